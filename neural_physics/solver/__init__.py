"""The bundled reference simulator: solids, shells and rods with contact, by implicit Euler as a minimisation.

Runs in processes of its own, with SciPy; Play never imports it.
"""

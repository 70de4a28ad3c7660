"""Energies of deformation, in one place for the bundled solver, the trainers and the methods at run time.

Each module has one energy as plain functions of arrays: its value (array or tensor), its gradient and its
Hessian (NumPy), the last also projected to be positive semi-definite.
"""

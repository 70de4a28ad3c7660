"""Energies as terms of the solver: values, gradients and Hessians, assembled."""

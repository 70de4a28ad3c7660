"""Cloth stepped by ADMM projective dynamics: NumPy only, for Play as for the solver."""

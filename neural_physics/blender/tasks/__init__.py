"""Bake, Train, Evaluate and Play of an object: what keeps them from starting, and their commands."""

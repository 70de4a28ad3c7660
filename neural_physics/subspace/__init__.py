"""Handle subspaces while they play: the blend, learned corrections, cubature, contact, steps in time."""

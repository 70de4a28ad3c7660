"""Hierarchical cloth (Oh et al. 2018): level 0 by ADMM, finer levels by networks, as they play."""

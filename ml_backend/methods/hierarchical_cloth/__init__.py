"""Trains hierarchical cloth (Oh et al. 2018)."""

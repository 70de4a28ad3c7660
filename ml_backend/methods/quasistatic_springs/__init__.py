"""Trains jiggle springs (Jin et al. 2022)."""

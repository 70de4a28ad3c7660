"""Jiggle springs (Jin et al. 2022), measured."""

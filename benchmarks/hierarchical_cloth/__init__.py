"""Hierarchical cloth (Oh et al. 2018), measured."""

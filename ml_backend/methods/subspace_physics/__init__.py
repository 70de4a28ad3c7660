"""Trains subspace neural physics (Holden et al. 2019)."""

"""Subspace neural physics (Holden et al. 2019), measured."""

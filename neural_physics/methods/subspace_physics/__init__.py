"""Subspace neural physics (Holden et al. 2019): PCA and a residual network, as it plays."""

"""The trainer of subspace neural physics (Holden et al. 2019)."""

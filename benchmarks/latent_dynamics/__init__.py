"""Latent dynamics (Li et al. 2025), measured."""

"""Trains latent dynamics (Li et al. 2025)."""

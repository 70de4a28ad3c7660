"""Latent dynamics (Li et al. 2025): a network integrates a few latents, as it plays."""

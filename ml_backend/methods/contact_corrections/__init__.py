"""Trains contact corrections (Romero et al. 2021)."""

"""Rollouts against held-out takes, and how far they are off."""

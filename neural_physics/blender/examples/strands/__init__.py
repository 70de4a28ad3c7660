"""Example hair."""

"""Armatures: what their bones carry, how they move, and what they play."""

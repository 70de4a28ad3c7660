"""Colliders as shapes that contact has distances to."""

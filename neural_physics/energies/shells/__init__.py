"""Stretching and bending of triangle meshes in space."""

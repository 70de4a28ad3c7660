"""Meshes that are subdivisions of coarser ones, and their levels (Oh et al. 2018, section 3.1)."""

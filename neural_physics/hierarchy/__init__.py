"""Levels of cloth, from the coarsest that is simulated to the mesh that is shown (Oh 2018, section 3.1)."""

"""Elasticity of tetrahedra, and of triangles in the plane."""

"""Model files, and what turns coefficients into vertices and normals."""

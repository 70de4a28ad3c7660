"""Where shapes that play go: into a mesh that a modifier reads, or onto the graphics card."""

"""Motion as vertex animation textures, which game engines look vertices up in."""

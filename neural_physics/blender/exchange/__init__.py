"""Motion, written and read as other programs and game engines have it, by another Blender."""

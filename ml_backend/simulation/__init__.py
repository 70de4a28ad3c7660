"""Baking with the bundled solver: from what Blender asked for to the frames of a take."""

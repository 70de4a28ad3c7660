"""Baked poses as training data: skeletal meshes with a frame for each, and the shapes in them."""

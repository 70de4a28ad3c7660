"""Vertices that follow bones, as Blender's Armature modifier has them."""

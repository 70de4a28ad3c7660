"""The one folder that knows Blender: reading scenes, baking, playing, packing."""

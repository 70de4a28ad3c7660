"""Models as assets: one dragged from Blender's asset browser onto its mesh plays there."""

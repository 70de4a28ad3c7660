"""Training and evaluation in NumPy alone: `python -m learning ...`, in Blender's own Python too."""

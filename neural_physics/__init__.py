"""The library behind the Neural Physics extension: datasets, models and their run time.

Needs NumPy alone. Only `neural_physics.blender` knows Blender.
"""

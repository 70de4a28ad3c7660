"""Buttons: thin; they read settings and call `neural_physics.blender` or start a job."""

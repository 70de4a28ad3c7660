"""Modifiers of an object: the place of the physics in its stack, and what shows files there."""

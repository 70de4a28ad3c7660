"""Rigs that Rigify makes, the add-on that Blender ships: made in a Blender of their own, then brought here."""

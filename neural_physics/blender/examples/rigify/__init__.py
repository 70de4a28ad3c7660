"""Rigs that Rigify makes, the add-on that Blender ships: made in another Blender, then brought here; and a
human around one."""

"""Changing the artist's mesh and capsules: fitting, editing, subdividing."""

"""Motion that plays, written as other programs read it: Alembic and USD, by Blender's own exporters."""

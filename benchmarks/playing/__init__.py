"""What playing costs in Blender and on the graphics card."""

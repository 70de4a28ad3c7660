"""Pictures of shapes, painted without a graphics card: for reports, and for Blender's previews of assets."""

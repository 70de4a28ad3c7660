"""Play: from a frame change to the mesh that is shown."""

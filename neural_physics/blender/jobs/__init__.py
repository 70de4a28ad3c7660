"""The processes that this Blender starts and watches, and the Python that trains."""

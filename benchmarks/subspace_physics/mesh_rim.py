"""Where a mesh ends."""

from __future__ import annotations

import bpy


def rim(mesh: bpy.types.Mesh) -> set[int]:
    """The vertices of edges that have one face."""
    counts: dict[tuple[int, int], int] = {}
    for polygon in mesh.polygons:
        for key in polygon.edge_keys:
            counts[key] = counts.get(key, 0) + 1
    return {vertex for key, count in counts.items() if count == 1 for vertex in key}

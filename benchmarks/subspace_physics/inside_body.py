"""How much of a cloth is inside a body, determined by the body's own faces and not by capsules."""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from neural_physics.models.normals import triangulate
from neural_physics.solver.meshing.surface_checks import winding_numbers

Points = NDArray[np.floating]
# Two ways to look out of the body, in no direction in which a mesh is likely to have edges.
RAYS = tuple(Vector(way).normalized() for way in ((0.531, 0.287, 0.797), (-0.613, 0.711, -0.344)))
PAST = 1e-6  # metres: so far behind a face that was hit a ray goes on
MOST_HITS = 100  # of one ray; more are rounding on a face seen edge on


class Surface:
    """A closed mesh as it is at one frame.

    It may pass through itself, as bent limbs do; depths below such a place are to the nearest face, be it
    one that is inside itself.
    """

    def __init__(self, positions: Points, faces: list[list[int]]) -> None:
        """positions (V, 3), metres; faces: the vertices of each, seen from outside counterclockwise."""
        # The stubs say that it makes nothing.
        self._tree = cast(BVHTree, BVHTree.FromPolygons(positions.tolist(), faces))
        sizes = np.array([len(face) for face in faces])
        self._triangles = triangulate(np.concatenate([np.asarray(face) for face in faces]), sizes)
        self._positions = np.asarray(positions, np.float64)
        self._low, self._high = self._positions.min(0), self._positions.max(0)

    def depths(self, points: Points) -> NDArray[np.float64]:
        """(n,) metres: how far points (n, 3) are from the surface, those outside 0.

        A point is inside where the surface winds around it once or more often, which is how often a ray
        leaves the body more than it enters. Where two rays are not of one opinion, which happens where one
        passes through an edge, the solid angle decides.
        """
        depths = np.zeros(len(points))
        near = np.flatnonzero(((points > self._low) & (points < self._high)).all(1))
        for index in near:
            point = Vector(points[index])
            first, second = (self._winds(point, way) for way in RAYS)
            inside = first > 0
            if first != second:
                inside = self._solid_angle(points[index]) > 0.5
            if inside:
                depths[index] = cast(float, self._tree.find_nearest(point)[3])  # there are faces
        return depths

    def _solid_angle(self, point: Points) -> float:
        """How often the surface winds around a point (3,), from all its faces."""
        return float(winding_numbers(np.array(point, np.float64)[None], self._positions, self._triangles)[0])

    def _winds(self, point: Vector, way: Vector) -> int:
        count = 0
        for _ in range(MOST_HITS):
            place, normal, _, _ = self._tree.ray_cast(point, way)
            if place is None or normal is None:
                break
            count += 1 if normal.dot(way) > 0.0 else -1
            point = place + PAST * way
        return count


def faces_of(obj: bpy.types.Object) -> list[list[int]]:
    """The vertices of each face of a mesh."""
    mesh = obj.data
    assert isinstance(mesh, bpy.types.Mesh)
    return [list(face.vertices) for face in mesh.polygons]

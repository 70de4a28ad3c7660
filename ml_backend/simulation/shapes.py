"""From a collider's mesh to the shape that contact has: the simplest that it is, as that is the quickest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.closed_mesh import ClosedMesh
from neural_physics.energies.colliders.collider import Collider
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.errors import Problem
from neural_physics.simulation_request import ColliderMesh
from neural_physics.solver.rigid_motion import Pose
from neural_physics.solver.surface_checks import enclosed_volume

Array = NDArray[np.float64]

EXACT = 1e-5  # of a mesh's size: what is off by less is off by the rounding of Blender's numbers
# How deep a ball's faces lie below its surface, in radii. Cubes and cylinders have all corners on a sphere,
# too; their faces lie deeper.
FACES_BELOW = 0.1
ROUND_FROM = 20  # vertices of a ball


@dataclass(frozen=True)
class FittedShape:
    """A shape, and where its own axes are in those of the collider's mesh."""

    shape: Collider
    place: Pose


def fit_shape(collider: ColliderMesh, body: Array) -> FittedShape:
    """A ball, a box, a ground without end for a flat mesh, else the closed mesh itself.

    body (n, 3): points of the body at the start, in the collider's axes: a ground is solid on the other
    side. Raises Problem("collider_unusable" | "collider_without_faces").
    """
    vertices = np.asarray(collider.vertices, np.float64)
    triangles = np.asarray(collider.triangles, np.intp)
    if len(triangles) == 0:
        raise Problem("collider_without_faces", object=collider.name)
    vertices = vertices[np.unique(triangles)]
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    flat = _ground(vertices, body, EXACT * size)
    if flat is not None:
        return flat
    try:
        mesh = ClosedMesh(collider.vertices, triangles)
    except ValueError as error:
        reason = str(error).partition(":")[0].lower()
        raise Problem("collider_unusable", collider=collider.name, reason=reason) from error
    fitted = None
    if enclosed_volume(mesh.positions, triangles) > 0.0:  # else all outside of it is solid
        fitted = _box(vertices, EXACT * size) or _ball(vertices, mesh.positions[triangles], EXACT * size)
    return fitted or FittedShape(mesh, Pose(np.eye(3), np.zeros(3)))


def _ground(vertices: Array, body: Array, exact: float) -> FittedShape | None:
    middle = vertices.mean(0)
    _, _, axes = np.linalg.svd(vertices - middle, full_matrices=False)
    normal = axes[-1]
    if np.abs((vertices - middle) @ normal).max() > exact:
        return None
    if ((body - middle) @ normal).mean() < 0.0:
        normal = -normal
    first = np.cross(np.eye(3)[np.abs(normal).argmin()], normal)
    first /= np.linalg.norm(first)
    return FittedShape(HalfSpace(3), Pose(np.stack([first, np.cross(normal, first), normal], 1), middle))


def _box(vertices: Array, exact: float) -> FittedShape | None:
    low, high = vertices.min(0), vertices.max(0)
    upper = np.abs(vertices - high) <= exact
    at_corners = (upper | (np.abs(vertices - low) <= exact)).all()
    if len(vertices) != 8 or not at_corners or len(np.unique(upper, axis=0)) != 8:
        return None
    extents = 0.5 * (high - low)
    return FittedShape(Box(tuple(extents.tolist())), Pose(np.eye(3), 0.5 * (low + high)))


def _ball(vertices: Array, corners: Array, exact: float) -> FittedShape | None:
    """corners (m, 3, 3): of all triangles."""
    if len(vertices) < ROUND_FROM:
        return None
    # |x - c|^2 = r^2 is linear in c and r^2 - |c|^2; about the mean, so that no digits are lost.
    middle = vertices.mean(0)
    x = vertices - middle
    solution = np.linalg.lstsq(np.column_stack([2.0 * x, np.ones(len(x))]), (x * x).sum(1), rcond=None)[0]
    centre = solution[:3]
    radius = float(np.sqrt(max(solution[3] + centre @ centre, 0.0)))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    depths = np.einsum("md,md->m", corners[:, 0] - middle - centre, normals)
    round_ = np.abs(np.linalg.norm(x - centre, axis=1) - radius).max() <= exact
    if not round_ or (depths < (1.0 - FACES_BELOW) * radius * lengths).any():
        return None
    return FittedShape(Sphere(radius), Pose(np.eye(3), middle + centre))

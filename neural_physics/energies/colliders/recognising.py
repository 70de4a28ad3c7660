"""The simplest shape that a collider's mesh is: a ground, a box or a ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles
from .box import Box
from .half_space import HalfSpace
from .sphere import Sphere

EXACT = 1e-5  # of a mesh's size: what is off by less is off by the rounding of Blender's numbers
# How deep a ball's faces lie below its surface, in radii. Cubes and cylinders have all corners on a sphere,
# too; their faces lie deeper.
FACES_BELOW = 0.1
ROUND_FROM = 20  # vertices of a ball


@dataclass(frozen=True)
class Recognised:
    """A shape, and where its own axes are in those of the mesh: turn (3, 3), place (3,), m."""

    shape: Sphere | Box | HalfSpace
    turn: Doubles
    place: Doubles


def recognised(vertices: Doubles, triangles: NDArray[np.integer]) -> Recognised | None:
    """What a mesh of vertices (V, 3), m, and triangles (m, 3) is; None for any other shape."""
    used = vertices[np.unique(triangles)]
    return recognised_ground(used) or recognised_box(used) or recognised_ball(used, vertices[triangles])


def recognised_ground(vertices: Doubles) -> Recognised | None:
    """A plane that vertices (V, 3), m, are all in; which side of it is solid is left open."""
    middle = vertices.mean(0)
    _, _, axes = np.linalg.svd(vertices - middle, full_matrices=False)
    normal = axes[-1]
    if np.abs((vertices - middle) @ normal).max() > _exact(vertices):
        return None
    first = np.cross(np.eye(3)[np.abs(normal).argmin()], normal)
    first /= np.linalg.norm(first)
    return Recognised(HalfSpace(3), np.stack([first, np.cross(normal, first), normal], 1), middle)


def recognised_box(vertices: Doubles) -> Recognised | None:
    """A box along the axes, of vertices (V, 3), m, that are its corners."""
    exact = _exact(vertices)
    low, high = vertices.min(0), vertices.max(0)
    upper = np.abs(vertices - high) <= exact
    at_corners = (upper | (np.abs(vertices - low) <= exact)).all()
    if len(vertices) != 8 or not at_corners or len(np.unique(upper, axis=0)) != 8:
        return None
    width, depth, height = (0.5 * (high - low)).tolist()
    return Recognised(Box((width, depth, height)), np.eye(3), 0.5 * (low + high))


def recognised_ball(vertices: Doubles, corners: Doubles) -> Recognised | None:
    """A ball that vertices (V, 3), m, are all on. corners (m, 3, 3): of all triangles, turned outwards."""
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
    round_ = np.abs(np.linalg.norm(x - centre, axis=1) - radius).max() <= _exact(vertices)
    if not round_ or (depths < (1.0 - FACES_BELOW) * radius * lengths).any():
        return None
    return Recognised(Sphere(radius), np.eye(3), middle + centre)


def _exact(vertices: Doubles) -> float:
    return EXACT * float(np.linalg.norm(np.ptp(vertices, axis=0)))

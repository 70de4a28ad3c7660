"""The shape that contact has for a collider's mesh: the simplest that fits, as that is the quickest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neural_physics.arrays import Doubles
from neural_physics.datasets.simulation_request import ColliderMesh
from neural_physics.energies.colliders.closed_mesh import ClosedMesh
from neural_physics.energies.colliders.collider import Collider
from neural_physics.energies.colliders.recognising import (
    Recognised,
    recognised_ball,
    recognised_box,
    recognised_ground,
)
from neural_physics.errors import Problem
from neural_physics.solver.contact.rigid_motion import Pose
from neural_physics.solver.meshing.surface_checks import enclosed_volume


@dataclass(frozen=True)
class FittedShape:
    """A shape, and where its own axes are in those of the collider's mesh."""

    shape: Collider
    place: Pose


def fit_shape(collider: ColliderMesh, body: Doubles) -> FittedShape:
    """A ball, a box, a ground without end for a flat mesh, else the closed mesh itself.

    body (n, 3): points of the body at the start, in the collider's axes: a ground is solid on the other
    side. Raises Problem("collider_unusable" | "collider_without_faces").
    """
    vertices = np.asarray(collider.vertices, np.float64)
    triangles = np.asarray(collider.triangles, np.intp)
    if len(triangles) == 0:
        raise Problem("collider_without_faces", object=collider.name)
    vertices = vertices[np.unique(triangles)]
    flat = recognised_ground(vertices)
    if flat is not None:
        return _over(flat, body)
    try:
        mesh = ClosedMesh(collider.vertices, triangles)
    except ValueError as error:
        reason = str(error).partition(":")[0].lower()
        raise Problem("collider_unusable", collider=collider.name, reason=reason) from error
    fitted = None
    if enclosed_volume(mesh.positions, triangles) > 0.0:  # else all outside of it is solid
        fitted = recognised_box(vertices) or recognised_ball(vertices, mesh.positions[triangles])
    if fitted is None:
        return FittedShape(mesh, Pose(np.eye(3), np.zeros(3)))
    return FittedShape(fitted.shape, Pose(fitted.turn, fitted.place))


def _over(ground: Recognised, body: Doubles) -> FittedShape:
    """The ground with the body (n, 3) on its open side."""
    turn = ground.turn
    if ((body - ground.place) @ turn[:, 2]).mean() < 0.0:
        turn = turn * [-1.0, 1.0, -1.0]
    return FittedShape(ground.shape, Pose(turn, ground.place))

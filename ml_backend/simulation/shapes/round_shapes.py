"""Recognising the ball or capsule that a collider's mesh is: the shapes that cloth of springs meets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ml_backend.simulation.shapes.collider_shapes import fit_shape
from neural_physics.arrays import Doubles
from neural_physics.datasets.simulation_request import ColliderMesh
from neural_physics.energies.colliders.recognising import ROUND_FROM
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.errors import Problem

ROUND = 0.01  # of the radius: how far off a capsule its vertices may be, and how far from the caps' tops


@dataclass(frozen=True)
class RoundShape:
    """start, end (3,): the middles of both caps' balls, one place for a ball, in the mesh's axes, metres."""

    start: Doubles
    end: Doubles
    radius: float


def round_shape(collider: ColliderMesh) -> RoundShape:
    """Raises Problem("collider_not_round") and what `fit_shape` does."""
    fitted = fit_shape(collider, np.zeros((1, 3)))
    if isinstance(fitted.shape, Sphere):
        return RoundShape(fitted.place.translation, fitted.place.translation, fitted.shape.radius)
    vertices = np.asarray(collider.vertices, np.float64)[np.unique(collider.triangles)]
    capsule = _capsule(vertices)
    if len(vertices) < ROUND_FROM or capsule is None:
        raise Problem("collider_not_round", collider=collider.name)
    return capsule


def _capsule(vertices: Doubles) -> RoundShape | None:
    """The capsule that all vertices (V, 3) lie on, if there is one that is longer than a ball."""
    low, high = vertices.min(0), vertices.max(0)
    middle = 0.5 * (low + high)
    _, _, axes = np.linalg.svd(vertices - vertices.mean(0), full_matrices=False)
    along = (vertices - middle) @ axes[0]
    middle = middle + 0.5 * (along.max() + along.min()) * axes[0]
    along = (vertices - middle) @ axes[0]
    across = vertices - middle - along[:, None] * axes[0]
    # Where the sides are seen end on, they are a circle; its middle is that of what it spans.
    sides = across @ axes[1:].T
    off = 0.5 * (sides.max(0) + sides.min(0))
    radius = float(np.linalg.norm(sides - off, axis=1).max())
    half = float(along.max()) - radius
    if half <= 0.0:
        return None
    middle = middle + off @ axes[1:]
    ends = middle - half * axes[0], middle + half * axes[0]
    shares = np.clip((vertices - ends[0]) @ axes[0] / (2.0 * half), 0.0, 1.0)
    distances = np.linalg.norm(vertices - ends[0] - 2.0 * half * shares[:, None] * axes[0], axis=1)
    if np.abs(distances - radius).max() > ROUND * radius:
        return None
    return RoundShape(*ends, radius)

"""Flat meshes in any plane, and colliders for them."""

from __future__ import annotations

import numpy as np
from bake_requests import triangles_of

from neural_physics.datasets.simulation_request import ColliderMesh

# Columns: where x, y and z of what is made in the plane z = 0 go, so that y is up.
UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def polygon(corners, turn=UPRIGHT):
    """One face with corners (n, 2): vertices, corners, face sizes."""
    corners = np.asarray(corners, float)
    return np.column_stack([corners, 0 * corners[:, 0]]) @ turn.T, np.arange(len(corners)), [len(corners)]


def rectangle(low, high, turn=UPRIGHT):
    (a, b), (c, d) = low, high
    return polygon([(a, b), (c, b), (c, d), (a, d)], turn)


def extruded(name, corners, depth=0.2, turn=UPRIGHT):
    """A closed mesh of an outline (n, 2), counter-clockwise; where that is not convex its ends overlap."""
    corners = np.asarray(corners, float)
    n = len(corners)
    ends = [np.column_stack([corners, np.full(n, z)]) for z in (-0.5 * depth, 0.5 * depth)]
    i, j = np.arange(n), (np.arange(n) + 1) % n
    k = np.arange(1, n - 1)
    triangles = [
        np.stack([i, j, j + n], 1),
        np.stack([i, j + n, i + n], 1),
        np.stack([0 * k, k + 1, k], 1),
        np.stack([0 * k, k, k + 1], 1) + n,
    ]
    vertices = np.concatenate(ends) @ turn.T
    return ColliderMesh(name, vertices, np.concatenate(triangles).astype(np.int32))


def star(points=5, outer=0.3, inner=0.12):
    """(2 points, 2)."""
    angles = np.pi * np.arange(2 * points) / points
    radii = np.where(np.arange(2 * points) % 2, inner, outer)
    return radii[:, None] * np.stack([np.sin(angles), np.cos(angles)], 1)[:, ::-1]


def floor(size=4.0, height=0.0):
    vertices = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * 0.5 * size
    vertices[:, 2] = height
    return ColliderMesh("Floor", vertices, triangles_of(np.arange(4), np.array([4])))

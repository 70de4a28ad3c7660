"""Meshes whose levels are known."""

from __future__ import annotations

import numpy as np

from neural_physics.datasets.rest_mesh import Mesh


def mesh_of(positions, faces, pins=None, loose=()):
    """A mesh of faces with any numbers of corners."""
    positions = np.asarray(positions, np.float32)
    pins = np.zeros(len(positions)) if pins is None else pins
    return Mesh(
        positions,
        np.concatenate([np.asarray(f, np.int32) for f in faces]),
        np.array([len(f) for f in faces], np.int32),
        np.asarray(pins, np.float32),
        loose_edges=np.asarray(loose, np.int32).reshape(-1, 2),
    )


def grid(columns, rows, width=1.0, height=1.0):
    """A sheet of so many vertices each way, of quads, as Blender's grid is."""
    x, y = np.meshgrid(np.linspace(0, width, columns), np.linspace(0, height, rows))
    at = np.arange(rows * columns).reshape(rows, columns)
    quads = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], -1).reshape(-1, 4)
    return mesh_of(np.stack([x, y, 0 * x], -1).reshape(-1, 3), list(quads))


def icosahedron():
    g = (1 + 5**0.5) / 2
    x = [[s, t * g, 0] for s in (-1, 1) for t in (-1, 1)]
    x = np.array(x + [[0, a, b] for a, b, _ in x] + [[b, 0, a] for a, b, _ in x])
    near = np.isclose(np.linalg.norm(x[:, None] - x[None], axis=2), 2.0)
    faces = []
    for i in range(12):
        for j in range(i):
            for k in range(j):
                if near[i, j] and near[j, k] and near[i, k]:
                    outward = np.dot(np.cross(x[j] - x[i], x[k] - x[i]), x[i]) > 0
                    faces.append([i, j, k] if outward else [i, k, j])
    return mesh_of(x, faces)


def fan(corners):
    """A disc of triangles around one vertex: an inner vertex of any valence, and a boundary."""
    angles = 2 * np.pi * np.arange(corners) / corners
    rim = np.stack([np.cos(angles), np.sin(angles), 0 * angles], 1)
    faces = [[0, 1 + k, 1 + (k + 1) % corners] for k in range(corners)]
    return mesh_of(np.concatenate([np.zeros((1, 3)), rim]), faces)


def tube(around, along):
    """Open at both ends, regular at every vertex: nothing marks the coarse ones."""
    angles = 2 * np.pi * np.arange(around) / around
    rows = [np.stack([np.cos(angles), np.sin(angles), 0 * angles + h], 1) for h in range(along)]
    faces = []
    for h in range(along - 1):
        for k in range(around):
            a, b = h * around + k, h * around + (k + 1) % around
            faces += [[a, b, b + around], [a, b + around, a + around]]
    return mesh_of(np.concatenate(rows), faces)

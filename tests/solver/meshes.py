"""Meshes to simulate."""

from __future__ import annotations

import itertools

import numpy as np

# Kuhn's six tetrahedra of a cube: from one corner to the opposite one, along one axis after the other.
ORDERS = np.array(list(itertools.permutations(range(3))))
PATHS = np.concatenate([np.zeros((6, 1, 3), int), np.cumsum(np.eye(3, dtype=int)[ORDERS], axis=1)], axis=1)


def block(counts, size):
    """(V, 3) vertices of a box from the origin and (m, 4) tetrahedra, six in each of its cells.

    The cells' diagonals alternate in direction, so that no side is preferred.
    """
    nx, ny, nz = counts
    grid = np.stack(np.meshgrid(*(np.arange(n + 1) for n in counts), indexing="ij"), -1)
    vertices = grid.reshape(-1, 3) * (np.asarray(size, float) / counts)
    number = np.arange(len(vertices)).reshape(nx + 1, ny + 1, nz + 1)
    tetrahedra = []
    for cell in itertools.product(range(nx), range(ny), range(nz)):
        mirror = np.array(cell) % 2
        for path in PATHS:
            tetrahedra.append(number[tuple((np.abs(path - mirror) + cell).T)])
    tetrahedra = np.array(tetrahedra)
    a, b, c, d = (vertices[tetrahedra[:, k]] for k in range(4))
    flipped = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) < 0
    tetrahedra[flipped] = tetrahedra[flipped][:, [0, 2, 1, 3]]
    return vertices, tetrahedra


def grid(counts, size):
    """(V, 3) vertices of a rectangle in the plane z = 0 and (m, 3) triangles, their diagonals alternating."""
    nx, ny = counts
    plane = np.stack(np.meshgrid(np.arange(nx + 1), np.arange(ny + 1), indexing="ij"), -1).reshape(-1, 2)
    vertices = np.column_stack([plane * (np.asarray(size, float) / counts), np.zeros(len(plane))])
    number = np.arange(len(vertices)).reshape(nx + 1, ny + 1)
    triangles = []
    for i, j in itertools.product(range(nx), range(ny)):
        a, b, c, d = number[i, j], number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]
        triangles += [(a, b, c), (a, c, d)] if (i + j) % 2 == 0 else [(a, b, d), (b, c, d)]
    return vertices, np.array(triangles)

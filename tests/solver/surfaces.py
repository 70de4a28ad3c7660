"""Closed surfaces of triangles, turned outwards."""

from __future__ import annotations

import numpy as np

# Two triangles for each wall: z, then y, then x.
CUBE = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
CUBE = CUBE[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)


def cube(size=1.0, at=(0.0, 0.0, 0.0)):
    """One corner at the origin or elsewhere; vertex 1 is the next along x, 2 along y and 4 along z."""
    corners = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)], float)
    return size * corners + np.asarray(at), CUBE.copy()


def icosphere(splits, radius=1.0):
    """An icosahedron, each triangle cut in four and moved to the sphere, as often as splits says."""
    g = (1 + 5**0.5) / 2
    rest = np.array([[0, a, b * g] for a in (-1, 1) for b in (-1, 1)])
    vertices = np.concatenate([np.roll(rest, k, axis=1) for k in range(3)])
    near = np.linalg.norm(vertices[:, None] - vertices, axis=-1) < 2.1
    triangles = [(i, j, k) for i in range(12) for j in range(i) for k in range(j)]
    triangles = np.array([t for t in triangles if near[np.ix_(t, t)].all()])
    inward = np.linalg.det(vertices[triangles]) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    for _ in range(splits):
        edges = np.sort(np.stack([triangles, np.roll(triangles, -1, 1)], -1).reshape(-1, 2), 1)
        edges, middles = np.unique(edges, axis=0, return_inverse=True)
        ab, bc, ca = middles.reshape(-1, 3).T + len(vertices)
        vertices = np.concatenate([vertices, vertices[edges].mean(1)])
        a, b, c = triangles.T
        parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        triangles = np.concatenate([np.stack(part, 1) for part in parts])
    return radius * vertices / np.linalg.norm(vertices, axis=1, keepdims=True), triangles


def torus(around, across, large=1.0, small=0.35):
    """Around the z axis."""
    u, v = np.meshgrid(*(2 * np.pi * np.arange(n) / n for n in (around, across)), indexing="ij")
    ring = large + small * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), small * np.sin(v)], -1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(around), np.arange(across), indexing="ij"))
    a, b = i * across + j, (i + 1) % around * across + j
    c, d = (i + 1) % around * across + (j + 1) % across, i * across + (j + 1) % across
    return vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def together(*surfaces):
    """Several surfaces as one."""
    shifts = np.cumsum([0] + [len(vertices) for vertices, _ in surfaces])
    triangles = [faces + shift for (_, faces), shift in zip(surfaces, shifts, strict=False)]
    return np.concatenate([vertices for vertices, _ in surfaces]), np.concatenate(triangles)


def volumes(vertices, tetrahedra):
    a, b, c, d = (vertices[tetrahedra[:, k]] for k in range(4))
    return np.linalg.det(np.stack([b - a, c - a, d - a], axis=1)) / 6

"""Meshes of the coarse scenes in `scenes`, and what the solver is asked to make of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from neural_physics.datasets.simulation_request import ColliderMesh, SimulationRequest, SimulationSettings

Array = NDArray[np.float64]
Polygons = tuple[Array, NDArray[np.integer], NDArray[np.integer]]  # points (V, 3), faces' corners and sizes

GRAVITY = np.array([0.0, 0.0, -9.81])
SHEET = (12, 16)  # vertices: the paper's cloth has 576 numbers, too


def sheet() -> SimulationRequest:
    """The paper's cloth: 0.75 m by 1 m, hanging from its two upper corners."""
    columns, rows = SHEET
    x, z = np.meshgrid(np.linspace(0.0, 0.75, columns), -np.linspace(0.0, 1.0, rows), indexing="ij")
    points = np.stack([x, 0.0 * x, z], -1).reshape(-1, 3)
    at = np.arange(columns * rows).reshape(columns, rows)
    quads = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], -1).reshape(-1, 4)
    settings = SimulationSettings(
        "shell", young=2e4, poisson=0.3, thickness=1e-3, bending=1e-3, area_density=0.3, steps=1
    )
    mesh = points, quads.ravel(), np.full(len(quads), 4)
    return request("Cloth", settings, mesh, lambda p: (p[:, 2] > -1e-6) & (np.abs(p[:, 0] - 0.375) > 0.37))


def block_mesh(size: tuple[float, float, float], cells: tuple[int, int, int]) -> Polygons:
    """The surface of a block from the origin along x, of quads turned outwards."""
    numbers: dict[tuple[int, int, int], int] = {}
    quads: list[list[int]] = []
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, cells[axis]):
            for i in range(cells[a]):
                for j in range(cells[b]):
                    corners = []
                    for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        at = [0, 0, 0]
                        at[axis], at[a], at[b] = side, i + di, j + dj
                        corners.append(numbers.setdefault((at[0], at[1], at[2]), len(numbers)))
                    quads.append(corners if side else corners[::-1])
    points = np.array(list(numbers), float) / cells * size - np.array([0.0, 0.5, 0.5]) * size
    return points, np.array(quads).ravel(), np.full(len(quads), 4)


def ball_mesh(radius: float, points: int = 200) -> ColliderMesh:
    """A ball, its vertices on a spiral from pole to pole."""
    height = 1.0 - (2.0 * np.arange(points) + 1.0) / points
    around = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(points)
    out = np.sqrt(1.0 - height**2)
    vertices = radius * np.stack([out * np.cos(around), out * np.sin(around), height], 1)
    triangles = ConvexHull(vertices).simplices
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    inwards = (np.cross(b - a, c - a) * a).sum(1) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return ColliderMesh("Ball", vertices, triangles.astype(np.int32))


def request(
    name: str,
    settings: SimulationSettings,
    mesh: Polygons,
    pinned: Callable[[Array], NDArray[np.bool_]],
    *,
    edges: Array | None = None,
) -> SimulationRequest:
    """What the solver is given for a mesh: points (V, 3) in metres, the faces' corners and their sizes.

    pinned: from points to a mask (V,) of those that are held. edges (e, 2): loose ones, of strands.
    """
    points, corners, sizes = mesh
    loose = np.empty((0, 2), np.int32) if edges is None else edges.astype(np.int32)
    return SimulationRequest(
        name,
        settings,
        points,
        corners.astype(np.int32),
        face_sizes=sizes.astype(np.int32),
        edges=loose,
        pins=pinned(points),
        gravity=GRAVITY,
        colliders=(),
    )

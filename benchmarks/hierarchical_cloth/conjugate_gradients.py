"""Implicit Euler as Baraff and Witkin 1998 step it: what Oh 2018 calls CG in its Table 2."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from benchmarks.hierarchical_cloth import springs
from ml_backend.methods.hierarchical_cloth.scenes import ClothScene
from neural_physics.energies.air import wind_forces
from neural_physics.energies.local_steps import Lengths
from neural_physics.energies.shells.triangle_edges import triangle_edges
from neural_physics.projective_dynamics.cloth import GRAVITY, Cloth
from neural_physics.solver.linear import SparsePattern

ITERATIONS = 100  # section 4.2

Array = NDArray[np.float64]


class ConjugateGradients:
    """One linear system a step, by so many iterations of conjugate gradients."""

    def __init__(self, scene: ClothScene, triangles: NDArray[np.integer]) -> None:
        """triangles (m, 3): of the scene's mesh."""
        mesh = scene.mesh()
        self.dt, self.triangles = scene.dt, triangles
        self.rest = mesh.rest_positions.astype(float)
        cloth = Cloth(self.rest, triangles, np.flatnonzero(mesh.pins), scene.dt)
        stretch, bend = cloth.terms(scene.fabric)
        assert isinstance(stretch, Lengths) and isinstance(bend, Lengths)
        self.masses, self.edges, self.stretch, self.bend = (
            cloth.masses(scene.fabric),
            triangle_edges(triangles).edges,
            stretch,
            bend,
        )
        n = len(self.rest)
        self.free = (np.flatnonzero(mesh.pins == 0)[:, None] * 3 + np.arange(3)).ravel()
        every = np.arange(3 * n)[:, None]
        of_edges = (self.edges[:, :, None] * 3 + np.arange(3)).reshape(-1, 6)
        of_hinges = (bend.stencils.T[:, :, None] * 3 + np.arange(3)).reshape(-1, 12)
        self.pattern = SparsePattern([every, of_edges, of_hinges], 3 * n, self.free)
        self.bend_blocks = np.einsum(
            "rsm,rtm,m,ij->msitj", bend.operator, bend.operator, bend.stiffness, np.eye(3)
        ).reshape(-1, 12, 12)

    def step(self, x: Array, v: Array, wind: Array) -> tuple[Array, Array]:
        """Positions and velocities (n, 3), m and m/s, of the next frame; wind (3,), m/s."""
        dt, ends = self.dt, x[self.edges]
        hessians = springs.projected_hessian(ends, self.stretch.rest, self.stretch.stiffness)
        diagonal = np.repeat(self.masses, 3)[:, None, None]
        matrix = self.pattern.matrix(
            self.pattern.assemble([diagonal, dt**2 * hessians, dt**2 * self.bend_blocks])
        )
        pull = springs.gradient(ends, self.stretch.rest, self.stretch.stiffness).reshape(-1, 3)
        curvature = self.bend.reduce(np.ascontiguousarray(x.T)) * (self.bend.stiffness / self.bend.weight)
        forces = self.masses[:, None] * GRAVITY - self.bend.spread(curvature, len(x)).T
        for axis in range(3):
            forces[:, axis] -= np.bincount(self.edges.ravel(), pull[:, axis], len(x))
        areas = self.masses.sum() / len(self.triangles) * np.ones(len(self.triangles))
        forces += wind_forces(x, v, self.triangles, areas, wind=wind, dt=dt)
        # (M + dt^2 H) v' = M v + dt f, as M v' = M v + dt (f - dt H v').
        momentum = self.masses[:, None] * v + dt * forces
        after = v.ravel().copy()
        after[self.free] = _conjugate_gradients(matrix, momentum.ravel()[self.free], after[self.free])
        after = after.reshape(-1, 3)
        return x + dt * after, after


def _conjugate_gradients(matrix: scipy.sparse.csr_matrix, right: Array, x: Array) -> Array:
    residual = right - matrix @ x
    direction, square = residual.copy(), float(residual @ residual)
    for _ in range(ITERATIONS):
        if square < 1e-30:
            break
        product = matrix @ direction
        step = square / float(direction @ product)
        x = x + step * direction
        residual -= step * product
        square, before = float(residual @ residual), square
        direction = residual + square / before * direction
    return x

"""Cusick's drape test (BS 5058, ISO 9073-9): a 30 cm disc of cloth, held between two of 18 cm, hangs.

The drape coefficient is how much of the ring beyond the discs still casts a shadow from above, in per cent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.signal import find_peaks
from scipy.spatial import Delaunay

from neural_physics.energies.shells.triangle_edges import triangle_edges
from neural_physics.solver.implicit_euler import ImplicitEuler
from neural_physics.solver.masses import lumped, of_coordinates
from neural_physics.solver.system import State, System
from neural_physics.solver.terms.shells import HingeTerm, MembraneTerm

CLOTH, SUPPORT = 0.15, 0.09  # radii, metres
GRAVITY = 9.81
PIXEL = 5e-4  # of the shadow, metres
AT_REST = 2e-3  # m/s


@dataclass(frozen=True)
class Drape:
    """coefficient: per cent. folds: of the rim. at_rest: whether it has come to. iterations: Newton's."""

    vertices: int
    coefficient: float
    folds: int
    at_rest: bool
    iterations: int


def ring(spacing, seed):
    """(V, 3) vertices of the cloth beyond the support, with a row of triangles on it, and triangles (m, 3).

    Circles of vertices about `spacing` apart, each turned and all but the borders' moved at random, so that
    no direction is preferred.
    """
    rng = np.random.default_rng(seed)
    steps = round((CLOTH - SUPPORT) / spacing)
    circles = []
    for k, radius in enumerate(SUPPORT + (CLOTH - SUPPORT) * np.arange(-1, steps + 1) / steps):
        count = round(2 * np.pi * radius / spacing)
        moved = 0.15 * spacing * rng.uniform(-1.0, 1.0, (2, count)) * (1 < k < steps + 1)
        angles = 2 * np.pi * (np.arange(count) + rng.uniform()) / count + moved[0] / radius
        circles.append((radius + moved[1]) * np.stack([np.cos(angles), np.sin(angles)]))
    points = np.concatenate(circles, axis=1).T
    triangles = Delaunay(points).simplices
    triangles = triangles[(triangles >= circles[0].shape[1]).any(1)]
    return np.column_stack([points, np.zeros(len(points))]), triangles


def drape(shell, spacing, seed=0, dt=0.03, damping=4.0, most_steps=200):
    """Let go of flat cloth, dented at random by 0.1 mm, until no vertex moves faster than AT_REST."""
    rest, triangles = ring(spacing, seed)
    corners, radii = rest[triangles], np.linalg.norm(rest, axis=1)
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    terms = [
        MembraneTerm(triangles, rest, shell.thickness, shell.young, poisson=shell.poisson),
        HingeTerm(triangle_edges(triangles), rest, shell.bending),
    ]
    masses = of_coordinates(lumped(len(rest), triangles, shell.area_density * areas))
    weight = -GRAVITY * masses * np.tile([0.0, 0.0, 1.0], len(rest))
    free = np.repeat(radii > SUPPORT + 1e-9, 3)
    system = System(masses, terms, free, force=lambda *_: weight, mass_damping=damping, solid=False)
    dents = np.random.default_rng(seed).uniform(-1e-4, 1e-4, len(rest))
    q = (rest + np.where(radii > SUPPORT + 1e-9, dents, 0.0)[:, None] * [0.0, 0.0, 1.0]).ravel()
    solver, state = ImplicitEuler(system, 1e-4), State(q, np.zeros(len(q)))
    iterations, at_rest = 0, False
    for _ in range(most_steps):
        state = solver.step(state, dt)
        assert state.converged
        iterations += state.iterations
        at_rest = bool(np.abs(state.velocity).max() < AT_REST)
        if at_rest:
            break
    x = state.q.reshape(-1, 3)
    rim = np.flatnonzero(radii > CLOTH - 1e-9)
    count = folds(x[rim[np.argsort(np.arctan2(rest[rim, 1], rest[rim, 0]))]])
    return Drape(len(rest), coefficient(x[triangles]), count, at_rest, iterations=iterations)


def coefficient(corners):
    """Of triangles (m, 3, 3), their corners: by counting the pixels whose middles they cover."""
    low = np.floor(corners[:, :, :2].min(1) / PIXEL).astype(int)
    reach = np.arange(int(np.ptp(corners[:, :, :2], axis=1).max() / PIXEL) + 2)
    cells = low[:, None] + np.stack(np.meshgrid(reach, reach), -1).reshape(-1, 2)
    middles = (cells + 0.5) * PIXEL
    sides = []
    for k in range(3):
        start, end = corners[:, None, k, :2], corners[:, None, (k + 1) % 3, :2]
        along, there = end - start, middles - start
        sides.append(along[..., 0] * there[..., 1] - along[..., 1] * there[..., 0])
    covered = (np.array(sides) >= 0).all(0) | (np.array(sides) <= 0).all(0)
    covered &= np.linalg.norm(middles, axis=-1) > SUPPORT
    shadow = len(np.unique(cells[covered], axis=0)) * PIXEL**2
    return 100.0 * shadow / (np.pi * (CLOTH**2 - SUPPORT**2))


def folds(rim):
    """How many times the rim (V, 3), in order, comes out and goes in again by 2 mm at least."""
    out = np.linalg.norm(rim[:, :2], axis=1)
    around = np.roll(out, -int(out.argmin()))
    return len(find_peaks(np.append(around, around[0]), prominence=2e-3)[0])

"""How quick the bundled solver is: a soft block of 12,000 tetrahedra that a ball presses into the ground."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.solver import shell, simkit
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.energies.solids import stable_neo_hookean
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.energies.solids.lame import lame_parameters
from neural_physics.solver.contact.rigid import RigidCollider, RigidContact
from neural_physics.solver.contact.rigid_motion import Pose, RigidMotion
from neural_physics.solver.implicit_euler import ImplicitEuler
from neural_physics.solver.masses import lumped, of_coordinates
from neural_physics.solver.meshing.tetrahedralisation import cage
from neural_physics.solver.system import State, Surroundings, System, gravity
from neural_physics.solver.terms.solids import SolidTerm

TETRAHEDRA, FRAMES, FPS = 12_000, 90, 60
YOUNG, POISSON, DENSITY = 2e5, 0.45, 1000.0  # a firm jelly
D_HAT = 5e-3
Clock = Callable[[], float]  # seconds


def box(size: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """The corners and triangles of a box that stands on the ground at the origin."""
    corners = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]) * size
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([triangle for a, b, c, d in faces for triangle in ((a, b, c), (a, c, d))])


def judge() -> dict[str, Any]:
    """The figures of the block (see `pressed`), of a sheet (see `shell`) and, where simkit is installed, of
    the block without contact (see `simkit`).
    """
    block = _Block(TETRAHEDRA)
    mu, lam = map(float, lame_parameters(YOUNG, POISSON))
    return {
        **_pressed(block, FRAMES),
        "shell": shell.judge(),
        "simkit": simkit.judge(
            block.vertices, block.tetrahedra, block.masses[::3], (mu, lam), tolerance=block.solver.tolerance
        ),
    }


def pressed(tetrahedra: int, frames: int, clock: Clock = perf_counter) -> dict[str, Any]:
    """A block of about so many tetrahedra: median frames per second over frames that all have contact."""
    return _pressed(_Block(tetrahedra), frames, clock)


class _Block:
    """vertices (n, 3), m, and tetrahedra on the ground; masses (3 n,), kg; what solves for it."""

    def __init__(self, count: int) -> None:
        corners, triangles = box((1.0, 0.5, 0.5))
        vertices, tetrahedra = _of_about(count, corners, triangles)
        vertices[:, 2] += 1e-3 - vertices[:, 2].min()
        term = SolidTerm(vertices, tetrahedra, stable_neo_hookean, lame_parameters(YOUNG, POISSON))
        densities = DENSITY * rest_shapes(vertices[tetrahedra])[1]
        masses = of_coordinates(lumped(len(vertices), tetrahedra, densities))
        contact = RigidContact(
            [RigidCollider("Ground", HalfSpace(3)), RigidCollider("Ball", Sphere(0.2))],
            np.arange(len(vertices)),
            10.0 * masses[::3] * FPS**2,
            D_HAT,
        )
        system = System(
            masses,
            [term],
            np.ones(len(masses), bool),
            Surroundings(contact, _motions, np.full(2, 0.5)),
            force=gravity(masses, (0.0, 0.0, -9.81)),
            stiffness_damping=2e-3,
        )
        edges = vertices[tetrahedra[:, 0]] - vertices[tetrahedra[:, 1]]
        self.vertices, self.tetrahedra, self.masses = vertices, tetrahedra, masses
        self.solver = ImplicitEuler(system, 5e-3 * float(np.linalg.norm(edges, axis=1).mean()))


def _pressed(block: _Block, frames: int, clock: Clock = perf_counter) -> dict[str, Any]:
    state = State(block.vertices.ravel(), np.zeros(len(block.masses)))
    seconds, iterations, unfinished = [], [], 0
    for _ in range(frames):
        began = clock()
        state = block.solver.step(state, 1 / FPS)
        seconds.append(clock() - began)
        iterations.append(state.iterations)
        unfinished += not state.converged
    return {
        "tetrahedra": len(block.tetrahedra),
        "vertices": len(block.vertices),
        "frames_per_second": 1.0 / float(np.median(seconds)),
        "mean_frames_per_second": 1.0 / float(np.mean(seconds)),
        "slowest_ms": 1e3 * max(seconds),
        "iterations": float(np.mean(iterations)),
        "not_converged": unfinished,
        "solver": block.solver.assembly.chosen,
    }


def _of_about(count: int, corners: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cage whose number of tetrahedra is nearest above."""
    length = 0.1
    while True:
        vertices, tetrahedra = cage(corners, triangles, length)
        if len(tetrahedra) >= count:
            return vertices, tetrahedra
        length *= 0.97


def _motions(start: float, end: float) -> list[RigidMotion]:
    ground = Pose(np.eye(3), np.zeros(3))
    return [RigidMotion(ground, ground), RigidMotion(_ball(start), _ball(end))]


def _ball(time: float) -> Pose:
    """It comes down, presses the block in by 15 of its 50 cm, and goes to and fro."""
    return Pose(np.eye(3), np.array([0.5 + 0.3 * np.sin(3.0 * time), 0.25, 0.75 + 0.2 * np.cos(4.0 * time)]))

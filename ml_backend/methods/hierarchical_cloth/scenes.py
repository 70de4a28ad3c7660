"""Simulations of fine cloth to learn levels from: random winds, hands and balls (Oh 2018, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ml_backend.simulation.sparse_solve import sparse_solve
from neural_physics.arrays import Doubles, Indices
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.interaction.training_motion import MotionBox, wander
from neural_physics.projective_dynamics.cloth import GRAVITY, Cloth, Fabric, Load
from neural_physics.projective_dynamics.round_colliders import RoundColliders

Kind = Literal["flag", "curtain", "drape"]


@dataclass(frozen=True)
class ClothScene:
    """One simulation. columns, rows: vertices of the sheet; spacing: between them, metres.

    kind "flag": one side is held, in gusty wind; "curtain": two corners are, by moving hands, with a moving
    collider; "drape": nothing is, above a moving collider. frames, dt: how many and how long, seconds.
    capsules: whether colliders are longer than a ball. radius: theirs, in metres.
    """

    seed: int
    kind: Kind
    fabric: Fabric
    columns: int = 49
    rows: int = 73
    spacing: float = 1.0 / 48
    frames: int = 180
    dt: float = 1.0 / 60
    capsules: bool = False
    radius: float = 0.2

    def mesh(self) -> Mesh:
        """The sheet at rest: upright for what hangs, flat for what falls."""
        u, v = np.meshgrid(
            np.arange(self.columns) * self.spacing, np.arange(self.rows) * self.spacing, indexing="xy"
        )
        flat = np.zeros_like(u)
        rest = np.stack([u, v, flat] if self.kind == "drape" else [u, flat, v], -1).reshape(-1, 3)
        at = np.arange(self.columns * self.rows).reshape(self.rows, self.columns)
        quads = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], -1).reshape(-1, 4)
        pins = np.zeros(at.shape, np.float32)
        if self.kind == "flag":
            pins[:, 0] = 1.0
        elif self.kind == "curtain":
            pins[-1, [0, -1]] = 1.0
        return Mesh(
            rest.astype(np.float32),
            quads.ravel().astype(np.int32),
            np.full(len(quads), 4, np.int32),
            pins.ravel(),
        )


@dataclass(frozen=True)
class Motions:
    """What moves in a scene, at each of T frames: wind (T, 3) m/s; pins (T, p, 3) m; colliders, T of them."""

    wind: Doubles
    pins: Doubles
    colliders: list[RoundColliders]


def motions_of(scene: ClothScene) -> Motions:
    """What a scene's seed says."""
    rng = np.random.default_rng([scene.seed, ("flag", "curtain", "drape").index(scene.kind)])
    mesh = scene.mesh()
    width, height = (scene.columns - 1) * scene.spacing, (scene.rows - 1) * scene.spacing
    pinned = mesh.rest_positions[mesh.pins > 0].astype(np.float64)
    count = scene.frames
    wind, pins = np.zeros((count, 3)), np.broadcast_to(pinned, (count, *pinned.shape)).copy()
    colliders = [RoundColliders()] * count
    if scene.kind == "flag":
        box = MotionBox((2.0, -3.0, -1.5), (9.0, 3.0, 1.5), shortest=0.5, longest=1.5, fastest=60.0)
        wind = wander(box, count, scene.dt, rng, start=(4.0, 0.5, 0.0))
    else:
        middle = np.array([0.5 * width, 0.0, 0.4 * height])
        if scene.kind == "drape":
            middle = np.array([0.5 * width, 0.5 * height, -0.1 - scene.radius])
        colliders = _colliders(scene, middle, 0.25 * width, rng)
    if scene.kind == "curtain":
        reach = np.array([0.2 * width, 0.4, 0.15])
        for corner in range(2):
            hand = MotionBox(_three(-reach), _three(reach), shortest=0.4, longest=1.4, fastest=2.5)
            pins[:, corner] += wander(hand, count, scene.dt, rng, start=(0.0, 0.0, 0.0))
    return Motions(wind, pins, colliders)


def _colliders(
    scene: ClothScene, middle: Doubles, reach: float, rng: np.random.Generator
) -> list[RoundColliders]:
    """One collider that wanders about a place, and turns if it is a capsule, above the ground."""
    # A hanging sheet is met from the front, one that falls from below.
    before = 0.6 if scene.kind == "curtain" else reach
    low, high = middle - np.array([reach, before, 0.1]), middle + np.array([reach, 0.6, 0.1])
    start = middle - np.array([0.0, 0.5 if scene.kind == "curtain" else 0.0, 0.0])
    path = wander(
        MotionBox(_three(low), _three(high), shortest=0.5, longest=1.5, fastest=1.5),
        scene.frames,
        scene.dt,
        rng,
        start=_three(start),
    )
    half = np.zeros_like(path)
    if scene.capsules:
        turn = rng.uniform(0, np.pi) + rng.uniform(-1.5, 1.5) * np.arange(scene.frames) * scene.dt
        half = 1.5 * scene.radius * np.stack([np.cos(turn), np.sin(turn), 0.3 * np.sin(2 * turn)], 1)
    ends = np.stack([path - half, path + half])
    speeds = np.gradient(ends, scene.dt, axis=1)
    ground = (np.array([0.0, 0.0, 1.0]), float(middle[2] - 2.5 * scene.radius))
    radius = np.array([scene.radius + scene.fabric.thickness])
    return [
        RoundColliders(
            ends[0, t, None],
            ends[1, t, None],
            radius,
            speeds[0, t, None],
            end_velocities=speeds[1, t, None],
            ground=ground,
        )
        for t in range(scene.frames)
    ]


def simulated(scene: ClothScene, cloth: Cloth | None = None, motions: Motions | None = None) -> Doubles:
    """(T, V, 3) float64, metres: a scene's frames, by ADMM on the mesh itself or on `cloth`."""
    mesh, motions = scene.mesh(), motions or motions_of(scene)
    if cloth is None:
        triangles = grid_triangles(scene.columns, scene.rows)
        pinned = np.flatnonzero(mesh.pins > 0)
        cloth = Cloth(mesh.rest_positions, triangles, pinned, scene.dt, make_solve=sparse_solve)
    x, v = cloth.rest.copy(), np.zeros_like(cloth.rest)
    frames = np.empty((scene.frames, *x.shape))
    for t in range(scene.frames):
        frames[t] = x
        load = Load(motions.wind[t], GRAVITY, motions.pins[t], motions.colliders[t])
        x, v = cloth.step(x, v, scene.fabric, load)
    return frames


def grid_triangles(columns: int, rows: int) -> Indices:
    """(m, 3): a grid's squares, all cut from the corner of the lowest vertex, as its levels are."""
    at = np.arange(columns * rows).reshape(rows, columns)
    p, q, r, s = (c.ravel() for c in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    return np.concatenate([np.stack([p, q, r], 1), np.stack([p, r, s], 1)])


def random_scenes(
    count: int,
    seed: int,
    stretches: tuple[float, float] = (100.0, 1000.0),
    bendings: tuple[float, float] = (2e-5, 1e-3),
    *,
    frames: int = 180,
    **changes: object,
) -> list[ClothScene]:
    """Scenes of all kinds in turn; stiffness and bending are drawn evenly in their logarithms."""
    rng = np.random.default_rng(seed)
    kinds: tuple[Kind, ...] = ("flag", "curtain", "drape")
    scenes = []
    for k in range(count):
        stretch, bending = (float(np.exp(rng.uniform(*np.log(span)))) for span in (stretches, bendings))
        scene = ClothScene(
            int(rng.integers(1 << 31)),
            kinds[k % 3],
            Fabric(stretch, bending),
            frames=frames,
            radius=float(rng.uniform(0.15, 0.25)),
        )
        scenes.append(replace(scene, **changes))  # type: ignore[arg-type]
    return scenes


def _three(values: NDArray[np.floating]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z

"""Takes of a small sheet that swings in eight shapes, made in a second: for what is trained dozens of times.

Each shape is an oscillator that a ball pushes; it stiffens with its swing, and neighbours pull at each other,
so that a linear map is not enough.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neural_physics.arrays import Doubles
from neural_physics.datasets.dataset_info import DatasetInfo, Role, TakeInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout

FPS, SUBSTEPS = 24.0, 8
POINTS, SHAPES = 10, 8  # along each side of the sheet, of 1 m; ways to swing
ROLES: tuple[Role, ...] = ("training", "training", "training", "validation", "test")
FRAMES = 500


def make_takes(path: Path, seed: int) -> Dataset:
    """A dataset of these takes."""
    mesh, shapes = _mesh(), _shapes()
    layout = ChannelLayout((Channel("Ball", "position", 3, "Ball"),))
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, FPS, channels=layout)
    dataset = Dataset.create(path, info, mesh)
    for number, role in enumerate(ROLES):
        ball, swings = _motion(np.random.default_rng([seed, number]))
        with dataset.writer(f"take_{number:03d}", TakeInfo(FRAMES, role=role, seed=number)) as writer:
            for y, z in zip(ball, swings, strict=True):
                writer.append((mesh.rest_positions + np.tensordot(z, shapes, 1)).astype(np.float32), y)
    return dataset


def _motion(rng: np.random.Generator) -> tuple[Doubles, Doubles]:
    """The ball's positions (T, 3) and how far each shape is swung (T, 8), m."""
    ball, swings = np.zeros((FRAMES, 3)), np.zeros((FRAMES, SHAPES))
    push = np.random.default_rng(0).normal(size=(SHAPES, 3)) * 40.0  # the same in all takes
    square = (2.0 * np.pi * np.linspace(0.6, 2.2, SHAPES)) ** 2
    z, speed, pace, dt = np.zeros(SHAPES), np.zeros(SHAPES), np.zeros(3), 1.0 / FPS / SUBSTEPS
    for t in range(1, FRAMES):
        pace = 0.93 * pace + rng.normal(size=3) * 0.02
        ball[t] = 0.95 * ball[t - 1] + pace
        for _ in range(SUBSTEPS):
            pulled = 30.0 * (np.roll(z, 1) - z) * np.roll(z, -1)
            speed += dt * (push @ np.tanh(ball[t]) / 8.0 - square * (z + 4.0 * z**3) + pulled - 1.5 * speed)
            z = z + dt * speed
        swings[t] = z
    return ball, swings


def _mesh() -> Mesh:
    x, y = np.meshgrid(np.linspace(0, 1, POINTS), np.linspace(0, 1, POINTS))
    rest = np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3).astype(np.float32)
    index = np.arange(POINTS * POINTS).reshape(POINTS, POINTS)
    corners = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], -1).reshape(-1)
    sizes = np.full((POINTS - 1) ** 2, 4, np.int32)
    return Mesh(rest, corners.astype(np.int32), sizes, np.zeros(POINTS * POINTS, np.float32))


def _shapes() -> Doubles:
    """(8, V, 3): waves across the sheet, in all three directions."""
    x, y, _ = _mesh().rest_positions.T
    found = np.zeros((SHAPES, POINTS * POINTS, 3))
    for number in range(SHAPES):
        wave = np.sin(np.pi * (number % 4 + 1) * x) * np.cos(np.pi * (number // 2) * y) / (1 + number / 3)
        found[number, :, 2] = wave
        found[number, :, number % 2] = 0.3 * wave**2
    return found

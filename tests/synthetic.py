"""A cheap sheet that hangs from a moving hand, and models of it, for tests without Blender.

The sheet is Verlet points held together by distance constraints (Jakobsen 2001), so it swings,
lags behind and settles as cloth does, and a hundred frames take some milliseconds.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neural_physics.datasets.dataset_info import DatasetInfo, Role, TakeInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.interaction.training_motion import MotionBox, wander
from neural_physics.models.model_file import METADATA_KEY, ModelInfo, info_to_json

FPS = 24.0
LAYOUT = ChannelLayout((Channel("Hand", "position", 3, source="Hand"),))
BOX = MotionBox((-0.5, -0.5, -0.3), (0.5, 0.5, 0.3), shortest=0.4, longest=1.2, fastest=4.0)
SUBSTEPS, ROUNDS, DAMPING, GRAVITY = 4, 3, 0.02, 9.81


def sheet_mesh(points: int = 6) -> Mesh:
    """A square metre of points x points vertices in the xz plane, hanging from its top corners."""
    across, down = np.meshgrid(np.linspace(-0.5, 0.5, points), np.linspace(0.0, -1.0, points))
    rest = np.stack([across, np.zeros_like(across), down], -1).reshape(-1, 3).astype(np.float32)
    corner = (np.arange(points - 1)[:, None] * points + np.arange(points - 1)).ravel()
    faces = np.stack([corner, corner + 1, corner + points + 1, corner + points], 1).astype(np.int32)
    pins = np.zeros(len(rest), np.float32)
    pins[[0, points - 1]] = 1.0
    return Mesh(rest, faces.ravel(), np.full(len(faces), 4, np.int32), pins)


def hand_motion(frames: int, seed: int) -> NDArray[np.float32]:
    """(frames, 3) metres: where the hand goes, from the origin."""
    return wander(BOX, frames, 1 / FPS, np.random.default_rng(seed), start=(0.0, 0.0, 0.0)).astype(np.float32)


def simulate(mesh: Mesh, hand: NDArray[np.float32]) -> NDArray[np.float32]:
    """(T, V, 3) float32 metres: the sheet while its pins follow the hand (T, 3)."""
    pairs = _constraints(mesh)
    rest = mesh.rest_positions.astype(float)
    lengths = np.linalg.norm(rest[pairs[:, 0]] - rest[pairs[:, 1]], axis=1)[:, None]
    pinned = mesh.pins > 0
    weight = np.where(pinned, 0.0, 1.0)[:, None]
    shares = weight[pairs[:, 0]] + weight[pairs[:, 1]]
    valence = np.maximum(1, np.bincount(pairs.ravel(), minlength=len(rest)))[:, None] / 2
    x, before, dt = rest.copy(), rest.copy(), 1 / FPS / SUBSTEPS
    frames = np.empty((len(hand), *rest.shape), np.float32)
    for t, target in enumerate(hand.astype(float)):
        start = hand[t - 1].astype(float) if t else target
        for step in range(SUBSTEPS if t else 0):
            velocity = (1 - DAMPING) * (x - before)
            x, before = x + velocity + dt * dt * np.array([0, 0, -GRAVITY]), x
            x[pinned] = rest[pinned] + start + (step + 1) / SUBSTEPS * (target - start)
            for _ in range(ROUNDS):
                apart = x[pairs[:, 1]] - x[pairs[:, 0]]
                distance = np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
                fix = apart * (1 - lengths / distance) / np.maximum(shares, 1)
                move = np.zeros_like(x)
                np.add.at(move, pairs[:, 0], fix)
                np.add.at(move, pairs[:, 1], -fix)
                x = x + weight * move / valence
        frames[t] = x
    return frames


def make_dataset(
    path: Path, roles: tuple[Role, ...] = ("training", "validation"), frames: int = 120, points: int = 6
) -> Dataset:
    """A dataset of the sheet with one take per role, each with a motion of its own."""
    mesh = sheet_mesh(points)
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, FPS, channels=LAYOUT)
    dataset = Dataset.create(path, info, mesh)
    for number, role in enumerate(roles):
        hand = hand_motion(frames, seed=number)
        with dataset.writer(f"take_{number:03d}", TakeInfo(frames, role=role, seed=number)) as writer:
            for positions, y in zip(simulate(mesh, hand), hand, strict=True):
                writer.append(positions, y)
    return dataset


def make_model_tensors(
    mesh: Mesh, bases: int = 5, channels: int = 3, hidden: int = 8, seed: int = 0
) -> dict[str, NDArray[np.float32]]:
    """The tensors of a valid subspace_physics model: random, damped, bounded."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(3 * mesh.vertex_count, bases)))[0].T
    sizes = [2 * bases + channels, hidden, bases]
    tensors = {
        "mean": mesh.rest_positions,
        "basis": basis.reshape(bases, -1, 3),
        "start": 0.1 * rng.normal(size=bases),
        "alpha": np.full(bases, 0.95),
        "beta": np.full(bases, 0.8),
        "z_low": np.full(bases, -4.0),
        "z_high": np.full(bases, 4.0),
        "y_mean": np.zeros(channels),
        "interaction_basis": np.eye(channels),
        "w_low": np.full(channels, -3.0),
        "w_high": np.full(channels, 3.0),
    }
    for k, (inputs, outputs) in enumerate(pairwise(sizes)):
        tensors[f"layers.{k}.weight"] = rng.normal(size=(outputs, inputs)) / np.sqrt(inputs)
        tensors[f"layers.{k}.bias"] = 0.1 * rng.normal(size=outputs)
    return {name: np.ascontiguousarray(tensor, np.float32) for name, tensor in tensors.items()}


def make_model_info(mesh: Mesh, layout: ChannelLayout = LAYOUT, **changes: object) -> ModelInfo:
    """What such a model says of itself."""
    info = ModelInfo(
        "subspace_physics", 1 / FPS, "Sheet", mesh.topology(), vertex_count=mesh.vertex_count, channels=layout
    )
    return replace(info, **changes)


def model_bytes(info: ModelInfo, tensors: dict[str, NDArray[np.float32] | NDArray[np.int32]]) -> bytes:
    """A model file, written without the safetensors library, which Blender does not have."""
    header: dict[str, object] = {"__metadata__": {METADATA_KEY: info_to_json(info)}}
    body = b""
    for name, tensor in tensors.items():
        whole = np.issubdtype(tensor.dtype, np.integer)
        data = np.ascontiguousarray(tensor, "<i4" if whole else "<f4").tobytes()
        place = [len(body), len(body) + len(data)]
        header[name] = {
            "dtype": "I32" if whole else "F32",
            "shape": list(tensor.shape),
            "data_offsets": place,
        }
        body += data
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def _constraints(mesh: Mesh) -> NDArray[np.int32]:
    """(n, 2): the edges of all quads and both their diagonals, each once."""
    quads = mesh.corners.reshape(-1, 4)
    pairs = [quads[:, [a, b]] for a in range(4) for b in range(a + 1, 4)]
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)

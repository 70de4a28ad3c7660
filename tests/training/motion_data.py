"""Small datasets whose truth is known: a sheet whose modes are damped and pushed by a ball."""

from pathlib import Path

import numpy as np

from neural_physics.datasets.dataset_info import DatasetInfo, Exclusion, Role, TakeInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout

FPS = 24.0
MODES = 4
LAYOUT = ChannelLayout((Channel("Ball", "position", 3, "Ball"),))


def grid(points: int) -> Mesh:
    """A flat sheet of points x points vertices, 1 m by 1 m."""
    x, y = np.meshgrid(np.linspace(0, 1, points), np.linspace(0, 1, points))
    rest = np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3).astype(np.float32)
    index = np.arange(points * points).reshape(points, points)
    corners = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], -1).reshape(-1)
    sizes = np.full((points - 1) ** 2, 4, np.int32)
    return Mesh(rest, corners.astype(np.int32), sizes, np.zeros(points * points, np.float32))


def simulate(frames: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """z (frames, MODES) and y (frames, 3): each mode damped, and pushed by a ball on a smooth random path."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(frames, 3))
    y = np.zeros((frames, 3))
    for t in range(2, frames):
        y[t] = 1.8 * y[t - 1] - 0.82 * y[t - 2] + 0.03 * noise[t]
    z = np.zeros((frames, MODES))
    push = np.array([[1.0, 0.2, 0.0], [0.0, 1.0, 0.3], [0.3, 0.0, 1.0], [0.5, 0.5, 0.0]]) * 0.05
    stays, keeps = np.array([0.93, 0.9, 0.85, 0.95]), np.array([0.6, 0.4, 0.7, 0.3])
    for t in range(2, frames):
        z[t] = stays * z[t - 1] + keeps * (z[t - 1] - z[t - 2]) + push @ y[t]
    return z, y.astype(np.float32)


def shapes(mesh: Mesh) -> np.ndarray:
    """(MODES, V, 3): what each mode does to the sheet, waves of falling size."""
    x, y, _ = mesh.rest_positions.T
    waves = [np.sin(np.pi * (k + 1) * x) * np.cos(np.pi * k * y) / (k + 1) for k in range(MODES)]
    modes = np.zeros((MODES, mesh.vertex_count, 3))
    for k, wave in enumerate(waves):
        modes[k, :, 2] = wave
        modes[k, :, k % 2] = 0.3 * wave**2
    return modes


def make_dataset(
    path: Path,
    frames: int = 400,
    roles: tuple[Role, ...] = ("training", "training", "validation"),
    points: int = 6,
    excluded: tuple[Exclusion, ...] = (),
    ball: float | None = None,
) -> Dataset:
    """A dataset of such takes, in the project's own format; `excluded` of every take.

    ball: its radius, metres, where that is known.
    """
    mesh, known = grid(points), {} if ball is None else {"Ball": ball}
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, FPS, channels=LAYOUT, colliders=known)
    dataset = Dataset.create(path, info, mesh)
    modes = shapes(mesh)
    for number, role in enumerate(roles):
        z, y = simulate(frames, number)
        positions = (mesh.rest_positions + np.tensordot(z, modes, 1)).astype(np.float32)
        take = TakeInfo(frames, role=role, seed=number, excluded=excluded)
        with dataset.writer(f"take_{number:03d}", take) as writer:
            for frame, values in zip(positions, y, strict=True):
                writer.append(frame, values)
    return dataset

"""Small bodies that the bundled solver moves, and datasets of them: a strip that swings from a hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from bake_requests import cloth, cuboid, grid, hair, jelly, request, tracks
from scipy.spatial.transform import Rotation
from workplaces import place_of, simulated

from ml_backend.simulation.preparing import prepare_body
from neural_physics.baking.plan import BakePlan, PlannedTake
from neural_physics.datasets.dataset_info import DatasetInfo, Role
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.simulation_request import SimulationRequest, Tracks
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.interaction.training_motion import MotionBox, wander

FPS = 30.0
HAND = ChannelLayout((Channel("Hand", "position", 3, "Hand"),))
BOX = MotionBox((-0.3, -0.3, -0.2), (0.3, 0.3, 0.2), shortest=0.4, longest=1.2, fastest=1.5)


def silent(_event):
    """Ignore every event."""


def cube(**settings):
    """A soft cube held at an edge."""
    return request(jelly(steps=1, **settings), cuboid((-0.2, -0.2, 0.25), (0.2, 0.2, 0.65)), pins=[0, 1])


def sheet(**settings):
    """A sheet held at two corners."""
    settings = {"bending": 1e-4, **settings}
    return request(cloth(steps=1, **settings), grid((5, 5), (1.0, 1.0)), pins=[0, 5])


def strands(points, **settings):
    """One strand through points (k, 3), held by its first edge."""
    edges = [(k, k + 1) for k in range(len(points) - 1)]
    return request(hair(steps=1, **settings), (points, [], []), pins=[0, 1], edges=edges)


def straight(**settings):
    """A strand that stands out to the side, soft enough to hang down."""
    line = np.stack([0.05 * np.arange(9), np.zeros(9), np.zeros(9)], 1)
    return strands(line, **{"radius": 5e-3, "young": 5e5, "shear": 2e5, "density": 300.0, **settings})


def strip(**settings):
    """A sheet of 3 x 6 vertices held by its upper edge."""
    vertices, corners, sizes = grid((2, 5), (0.2, 0.6))
    hanging = np.stack([vertices[:, 0], 0 * vertices[:, 1], -vertices[:, 1]], 1)
    settings = {"young": 2e4, "bending": 2e-3, "area_density": 0.3, **settings}
    return request(cloth(steps=1, **settings), (hanging, corners, sizes), pins=[0, 6, 12])


def hand(frames: int, seed: int):
    """(frames, 3): where the hand goes, from the origin."""
    return np.asarray(wander(BOX, frames, 1 / FPS, np.random.default_rng(seed), start=(0.0, 0.0, 0.0)))


def followed(asked: SimulationRequest, path, turning: bool = False) -> Tracks:
    """Pins and colliders go along with the hand (T, 3); turning: and so do the axes, which turn, too."""
    still = tracks(asked, len(path))
    held = asked.rest_positions[asked.pins]
    axes, colliders = still.frame_from_world.copy(), still.colliders.copy()
    colliders[:, :, :3, 3] = path[:, None]
    if turning:
        turns = Rotation.from_euler("zx", np.stack([path[:, 0], path[:, 1]], 1)).as_matrix()
        axes[:, :3, :3] = turns.swapaxes(1, 2)
        axes[:, :3, 3] = -np.einsum("tij,ti->tj", turns, path)
    return replace(
        still,
        fps=FPS,
        interaction=path.astype(np.float32),
        pins=held + path[:, None],
        colliders=colliders,
        frame_from_world=axes,
    )


def bake(
    folder: Path,
    asked: SimulationRequest,
    frames: int = 130,
    roles: tuple[Role, ...] = ("training", "validation"),
    turning: bool = False,
) -> Dataset:
    """A dataset with one take for each role."""
    loose = asked.edges if not len(asked.face_sizes) else np.empty((0, 2), np.int32)
    rest = asked.rest_positions.astype(np.float32)
    mesh = Mesh(rest, asked.corners, asked.face_sizes, asked.pins.astype(np.float32), loose_edges=loose)
    info = DatasetInfo(asked.object, mesh.topology(), len(rest), FPS, channels=HAND)
    dataset = Dataset.create(folder, info, mesh)
    takes = tuple(PlannedTake(f"take_{k:03d}", frames, k, role) for k, role in enumerate(roles))
    plan = BakePlan(folder, asked.object, "Scene", "Layer", takes=takes, by_solver=True)
    plan.write()
    asked.write(plan.request)
    prepare_body(plan, silent)
    for take in takes:
        followed(asked, hand(frames, take.seed), turning).write(place_of(plan, take.name).tracks)
        simulated(plan, take.name)
    return dataset

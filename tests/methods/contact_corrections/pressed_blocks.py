"""Blocks that a ball wanders into, baked by the bundled solver, for methods that learn contact."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from bake_requests import jelly, request, round_ball, tracks
from workplaces import place_of, simulated

from ml_backend.simulation.preparing import prepare_body
from neural_physics.baking.plan import BakePlan, PlannedTake
from neural_physics.datasets.dataset_info import DatasetInfo, Role
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.interaction.training_motion import MotionBox, wander

FPS = 30.0
RADIUS = 0.15
LAYOUT = ChannelLayout((Channel("Ball", "position", 3, "Ball"), Channel("Hand", "position", 3, "Hand")))
# Above the block, into which it reaches by up to 11 cm.
BOX = MotionBox((-0.22, -0.22, 0.44), (0.22, 0.22, 0.6), shortest=0.4, longest=1.2, fastest=0.8)
START = (0.0, 0.0, 0.6)
FAR = np.array([0.0, 0.0, 5.0])  # metres, from one ball to the next


def silent(_event):
    """Ignore every event."""


def cube(low, high, parts: int):
    """A box whose faces are parts x parts quads, turned outwards: vertices, corners, face sizes."""
    steps = np.linspace(0.0, 1.0, parts + 1)
    u, v = np.meshgrid(steps, steps, indexing="ij")
    at = np.arange((parts + 1) ** 2).reshape(parts + 1, parts + 1)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], -1).reshape(-1, 4)
    places, faces = [], []
    for axis in range(3):
        for side in (0.0, 1.0):
            face = np.empty((u.size, 3))
            face[:, axis], face[:, axis - 2], face[:, axis - 1] = side, u.ravel(), v.ravel()
            faces.append((quads if side else quads[:, ::-1]) + u.size * len(places))
            places.append(face)
    rounded = np.round(np.concatenate(places), 9)
    vertices, joined = np.unique(rounded, axis=0, return_inverse=True)
    corners = joined.ravel()[np.concatenate(faces)]
    return np.asarray(low) + vertices * np.subtract(high, low), corners.ravel(), np.full(len(corners), 4)


def pressed(**settings) -> SimulationRequest:
    """A block of jelly on its foot, and a ball."""
    settings = {"young": 3e4, "tetrahedra": 400, "steps": 1, "damping": 0.02, **settings}
    mesh = cube((-0.2, -0.2, 0.0), (0.2, 0.2, 0.4), 4)
    foot = np.flatnonzero(mesh[0][:, 2] < 1e-6)
    return request(jelly(**settings), mesh, pins=foot, colliders=[round_ball(RADIUS)])


def ball(frames: int, seed: int):
    """(frames, 3): where the ball goes."""
    return np.asarray(wander(BOX, frames, 1 / FPS, np.random.default_rng(seed), start=START))


def prepared(
    folder: Path, asked: SimulationRequest, layout: ChannelLayout, takes: tuple[PlannedTake, ...]
) -> tuple[Dataset, BakePlan]:
    """A dataset without its takes, and the plan of these, with the body that is filled."""
    loose = np.empty((0, 2), np.int32)
    rest = asked.rest_positions.astype(np.float32)
    mesh = Mesh(rest, asked.corners, asked.face_sizes, asked.pins.astype(np.float32), loose_edges=loose)
    info = DatasetInfo(asked.object, mesh.topology(), len(rest), FPS, channels=layout)
    dataset = Dataset.create(folder, info, mesh)
    plan = BakePlan(folder, asked.object, "Scene", "Layer", takes=takes, by_solver=True)
    plan.write()
    asked.write(plan.request)
    prepare_body(plan, silent)
    return dataset, plan


def bake(
    folder: Path,
    asked: SimulationRequest,
    frames: int = 150,
    roles: tuple[Role, ...] = ("training", "validation"),
    *,
    together: bool = False,
) -> Dataset:
    """A dataset with one take for each role; the hand sways a little, and the foot goes along with it.

    The first collider goes where the ball does. together: and each of the others `FAR` from the one before.
    """
    takes = tuple(PlannedTake(f"take_{k:03d}", frames, k, role) for k, role in enumerate(roles))
    dataset, plan = prepared(folder, asked, LAYOUT, takes)
    for take in takes:
        path = ball(frames, take.seed)
        phase = np.linspace(0.0, 6.0, frames)[:, None] + take.seed
        hand = 0.05 * (np.sin(phase * [1.0, 1.3, 0.7]) - np.sin(take.seed * np.ones(3)))
        still = tracks(asked, frames)
        colliders = still.colliders.copy()
        colliders[:, 0, :3, 3] = path
        if together:
            colliders[:, :, :3, 3] = path[:, None] + FAR * np.arange(colliders.shape[1])[:, None]
        replace(
            still,
            fps=FPS,
            interaction=np.concatenate([path, hand], 1).astype(np.float32),
            pins=asked.rest_positions[asked.pins] + hand[:, None],
            colliders=colliders,
        ).write(place_of(plan, take.name).tracks)
        simulated(plan, take.name)
    return dataset

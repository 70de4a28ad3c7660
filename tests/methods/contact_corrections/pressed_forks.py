"""A fork with two prongs, one of which a ball presses against the other, baked by the bundled solver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from bake_requests import jelly, request, round_ball, tracks
from pressed_blocks import FPS, prepared
from workplaces import place_of, simulated

from neural_physics.baking.plan import PlannedTake
from neural_physics.datasets.dataset_info import Role
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout

RADIUS = 0.08
LAYOUT = ChannelLayout((Channel("Ball", "position", 3, "Ball"),))
# Of the outline, m: prongs of 8 cm, 16 cm apart, on a foot of 10 cm.
OUTLINE = np.array(
    [(0.0, 0.0), (0.32, 0.0), (0.32, 0.5), (0.24, 0.5), (0.24, 0.1), (0.08, 0.1), (0.08, 0.5), (0.0, 0.5)]
)
DEPTH = 0.08
BEGUN = (-RADIUS - 0.01, 0.04, 0.44)  # beside the first prong's end


def fork(**settings) -> SimulationRequest:
    """It stands on its foot; one ball."""
    settings = {"young": 3e4, "tetrahedra": 900, "steps": 2, "damping": 0.02, "friction": 0.0, **settings}
    count = len(OUTLINE)
    sides = [np.column_stack([OUTLINE[:, 0], np.full(count, y), OUTLINE[:, 1]]) for y in (0.0, DEPTH)]
    # The front is turned to -y, where the outline goes around counter-clockwise.
    front = np.array([0, 1, 4, 5, 0, 5, 6, 7, 1, 2, 3, 4])
    back = count + front.reshape(-1, 4)[:, ::-1].ravel()
    at, after = np.arange(count), np.roll(np.arange(count), -1)
    around = np.stack([after, at, at + count, after + count], 1).ravel()
    corners = np.concatenate([front, back, around])
    mesh = np.concatenate(sides), corners, np.full(len(corners) // 4, 4)
    foot = np.flatnonzero(mesh[0][:, 2] < 1e-6)
    ball = round_ball(RADIUS)
    return request(jelly(**settings), mesh, pins=foot, colliders=[ball], gravity=np.zeros(3))


def way(frames: int, seed: int):
    """(frames, 3): the ball presses in and goes back, in up to three rounds, at other heights."""
    random = np.random.default_rng(seed)
    along = np.linspace(0.0, 3.0 * np.pi, frames)
    deep = 0.26 * np.sin(along) ** 2
    up = 0.02 * np.sin(along * 0.7 + random.uniform(0.0, 6.0))
    return np.asarray(BEGUN) + np.stack([deep, 0.0 * deep, up], 1)


def bake(folder: Path, asked: SimulationRequest, frames: int = 90, roles: tuple[Role, ...] = ()) -> Dataset:
    """A dataset with one take for each role."""
    roles = roles or ("training", "validation")
    takes = tuple(PlannedTake(f"take_{k:03d}", frames, k, role) for k, role in enumerate(roles))
    dataset, plan = prepared(folder, asked, LAYOUT, takes)
    for take in takes:
        path = way(frames, take.seed)
        still = tracks(asked, frames)
        colliders = still.colliders.copy()
        colliders[:, 0, :3, 3] = path
        replace(still, fps=FPS, interaction=path.astype(np.float32), colliders=colliders).write(
            place_of(plan, take.name).tracks
        )
        simulated(plan, take.name)
    return dataset

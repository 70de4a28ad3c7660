"""Flat jellies that something wanders into, baked by the bundled solver, for methods that learn contact."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from bake_requests import jelly, request, tracks
from flat_meshes import UPRIGHT, polygon
from pressed_blocks import FPS, silent
from scipy.spatial.transform import Rotation
from workplaces import place_of, simulated

from ml_backend.simulation.preparing import prepare_body
from neural_physics.baking.plan import BakePlan, PlannedTake
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.interaction.training_motion import MotionBox, wander, wander_turn

LAYOUT = ChannelLayout((Channel("Presser", "position", 3, "Presser"),))


TURNING = ChannelLayout((*LAYOUT.channels, Channel("Presser orientation", "orientation", 6, "Presser")))
ROCKED = ChannelLayout((*LAYOUT.channels, Channel("Hand orientation", "orientation", 6, "Hand")))


def bake_flat(
    folder: Path,
    presser,
    reach,
    frames=90,
    turn=UPRIGHT,
    spin=0.0,
    recorded=True,
    cores=(),
    rock=0.0,
    **settings,
) -> Dataset:
    """A jelly of 0.4 m on its foot, and a collider that reaches `reach` below its middle; y is up.

    Two takes, the second for validation. spin: radians, by which the collider turns in the plane at most;
    rock: radians, by which its foot does, either way, and the collider not.
    recorded: whether a channel records that rotation.
    """
    settings = {"young": 2e4, "tetrahedra": 200, "steps": 1, "damping": 0.02, "friction": 0.0, **settings}
    foot = [(x, 0.0) for x in np.linspace(-0.2, 0.2, 9)]
    mesh = polygon([*foot, (0.2, 0.4), (0.0, 0.4), (-0.2, 0.4)], turn)
    down = turn @ np.array([0.0, -9.81, 0.0])
    asked = replace(request(jelly(**settings), mesh, range(9), [presser], gravity=down), cores=cores)
    rest = asked.rest_positions.astype(np.float32)
    loose = np.empty((0, 2), np.int32)
    mesh = Mesh(rest, asked.corners, asked.face_sizes, asked.pins.astype(np.float32), loose_edges=loose)
    layout = (TURNING if spin else ROCKED if rock else LAYOUT) if recorded else LAYOUT
    info = DatasetInfo(asked.object, mesh.topology(), len(rest), FPS, channels=layout)
    dataset = Dataset.create(folder, info, mesh)
    takes = (PlannedTake("take_000", frames, 0, "training"), PlannedTake("take_001", frames, 1, "validation"))
    plan = BakePlan(folder, asked.object, "Scene", "Layer", takes=takes, by_solver=True)
    plan.write()
    asked.write(plan.request)
    prepare_body(plan, silent)
    box = MotionBox((-0.15, 0.35 + reach, 0), (0.15, 0.5 + reach, 0), shortest=0.4, longest=1.2, fastest=0.8)
    for take in takes:
        rng = np.random.default_rng(take.seed)
        path = np.asarray(wander(box, frames, 1 / FPS, rng, start=(0.0, 0.45 + reach, 0.0))) @ turn.T
        angles = wander_turn(spin, box, frames, 1 / FPS, rng=rng, axis=2) if spin else np.zeros((frames, 3))
        spins = turn @ Rotation.from_rotvec(angles).as_matrix() @ turn.T
        still = tracks(asked, frames)
        colliders = still.colliders.copy()
        colliders[:, 0, :3, 3] = path
        colliders[:, 0, :3, :3] = spins
        rocks = (
            turn
            @ Rotation.from_rotvec([[0.0, 0.0, a] for a in _rocking(rock, frames, take.seed)]).as_matrix()
        )
        rocks = rocks @ turn.T
        pins = np.einsum("tij,tpj->tpi", rocks, still.pins)
        axes = (rocks if layout is ROCKED else spins)[:, :, :2].swapaxes(1, 2).reshape(frames, 6)
        y = (path if layout is LAYOUT else np.hstack([path, axes])).astype(np.float32)
        moved = replace(still, fps=FPS, interaction=y, colliders=colliders, pins=pins)
        moved.write(place_of(plan, take.name).tracks)
        simulated(plan, take.name)
    return dataset


def _rocking(most: float, frames: int, seed: int) -> np.ndarray:
    """(T,) radians, from 0 on."""
    times = np.arange(frames) / FPS
    return most * np.sin(2.0 * np.pi * (0.5 + 0.2 * seed) * times)

"""What Blender would ask the solver for, and the tracks it would record: made up for tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from workplaces import place_of

from neural_physics.baking.plan import BakePlan, PlannedTake
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.simulation_request import (
    ColliderMesh,
    SimulationRequest,
    SimulationSettings,
    Tracks,
)
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout

FPS = 48.0
LAYOUT = ChannelLayout((Channel("Ball", "position", 3),))
GRAVITY = np.array([0.0, 0.0, -9.81])


def grid(counts, size):
    """A sheet of quads in the plane z = 0 from the origin on: (V, 3), corners, face sizes."""
    nx, ny = counts
    x, y = np.meshgrid(np.linspace(0, size[0], nx + 1), np.linspace(0, size[1], ny + 1), indexing="ij")
    at = np.arange((nx + 1) * (ny + 1)).reshape(nx + 1, ny + 1)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], -1).reshape(-1, 4)
    return np.stack([x, y, 0 * x], -1).reshape(-1, 3), quads.ravel(), np.full(len(quads), 4)


def cuboid(low, high):
    """Its eight corners, and six quads turned outwards."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    low, high = np.asarray(low, float), np.asarray(high, float)
    return low + corners * (high - low), np.array(quads).ravel(), np.full(6, 4)


def triangles_of(corners, face_sizes):
    assert (face_sizes == 4).all()
    quads = corners.reshape(-1, 4)
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32)


def round_ball(radius, segments=16, rings=8, centre=(0.0, 0.0, 0.0)):
    """Blender's UV sphere as a collider."""
    up = np.pi * np.arange(1, rings) / rings
    around = 2 * np.pi * np.arange(segments) / segments
    ring = np.stack(
        [
            np.outer(np.sin(up), np.cos(around)),
            np.outer(np.sin(up), np.sin(around)),
            np.outer(np.cos(up), 1 + 0 * around),
        ],
        -1,
    ).reshape(-1, 3)
    vertices = np.concatenate([[[0, 0, 1.0]], ring, [[0, 0, -1.0]]]) * radius + centre
    at = 1 + np.arange((rings - 1) * segments).reshape(rings - 1, segments)
    after = np.roll(at, -1, 1)
    last = len(vertices) - 1
    triangles = np.concatenate(
        [
            np.stack([0 * at[0], at[0], after[0]], 1),
            np.stack([at[:-1], at[1:], after[1:]], -1).reshape(-1, 3),
            np.stack([at[:-1], after[1:], after[:-1]], -1).reshape(-1, 3),
            np.stack([last + 0 * at[-1], after[-1], at[-1]], 1),
        ]
    )
    return ColliderMesh("Ball", vertices, triangles.astype(np.int32))


def ground(size=4.0, height=0.0):
    vertices, corners, sizes = grid((1, 1), (size, size))
    return ColliderMesh("Ground", vertices - [size / 2, size / 2, -height], triangles_of(corners, sizes))


def request(settings, mesh, pins=(), colliders=(), gravity=GRAVITY, edges=()):
    vertices, corners, sizes = mesh
    pinned = np.zeros(len(vertices), bool)
    pinned[list(pins)] = True
    return SimulationRequest(
        "Thing",
        settings,
        np.asarray(vertices, float),
        np.asarray(corners, np.int32),
        face_sizes=np.asarray(sizes, np.int32),
        edges=np.asarray(edges, np.int32).reshape(-1, 2),
        pins=pinned,
        gravity=np.asarray(gravity, float),
        colliders=tuple(colliders),
    )


def tracks(asked, frames, *, pins=None, colliders=None, wind=(0.0, 0.0, 0.0), place=None, bones=None):
    """Of things that stand still, but for what is given: functions of a time in seconds.

    pins: of the positions (P, 3) at rest where they stand; colliders: (C, 4, 4); bones: (K, 4, 4).
    """
    times = np.arange(frames) / FPS
    place = np.eye(4) if place is None else place
    held = asked.rest_positions[asked.pins] @ place[:3, :3].T + place[:3, 3]
    standing = np.tile(np.eye(4), (len(asked.colliders), 1, 1))
    return Tracks(
        FPS,
        place,
        np.stack([np.sin(times), np.cos(times), times], 1).astype(np.float32),
        np.array([held if pins is None else pins(held, t) for t in times]).reshape(frames, -1, 3),
        colliders=np.array([standing if colliders is None else colliders(t) for t in times]).reshape(
            frames, -1, 4, 4
        ),
        wind=np.tile(np.asarray(wind, float), (frames, 1)),
        frame_from_world=np.tile(np.eye(4), (frames, 1, 1)),
        object_from_frame=None,
        bones=np.array([np.empty((0, 4, 4)) if bones is None else bones(t) for t in times]),
    )


def moved(x, y, z):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def jelly(**more):
    """A solid quick to simulate: no fTetWild, few tetrahedra."""
    settings = SimulationSettings("solid", filling="cage", tetrahedra=150, young=2e4, poisson=0.4)
    return replace(settings, **more)


def cloth(**more):
    return replace(SimulationSettings("shell", young=1e5, poisson=0.3, thickness=1e-3), **more)


def hair(**more):
    """Thicker than hair, so that few edges bend smoothly."""
    return replace(SimulationSettings("rod", young=1e8, shear=4e7, radius=1e-3), **more)


def springs(**more):
    """Cloth of springs, of one fabric."""
    one = {"stretch_low": 200.0, "stretch_high": 200.0, "bending_low": 1e-4, "bending_high": 1e-4}
    return replace(SimulationSettings("springs", thickness=0.004, friction=0.3), **{**one, **more})


def plan_for(
    folder: Path, asked: SimulationRequest, of_take: Tracks, layout: ChannelLayout = LAYOUT
) -> BakePlan:
    """A dataset of one take, with its request and its tracks, ready for `simulate`."""
    loose = asked.edges if not len(asked.face_sizes) else np.empty((0, 2), np.int32)
    rest = asked.rest_positions.astype(np.float32)
    mesh = Mesh(rest, asked.corners, asked.face_sizes, asked.pins.astype(np.float32), loose_edges=loose)
    Dataset.create(folder, DatasetInfo(asked.object, mesh.topology(), len(rest), FPS, channels=layout), mesh)
    take = PlannedTake("take_000", len(of_take.wind), 0, "training")
    plan = BakePlan(folder, asked.object, "Scene", "Layer", takes=(take,), by_solver=True)
    plan.write()
    asked.write(plan.request)
    of_take.write(place_of(plan).tracks)
    return plan

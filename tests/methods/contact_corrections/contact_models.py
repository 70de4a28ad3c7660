"""A model of contact corrections with a closed form: a sheet between a hand and a point on springs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import synthetic
from numpy.typing import NDArray

from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.interaction.channels import Channel, ChannelLayout, handle_channel, size_channel

OMEGA, GRAVITY = 4.0, 20.0  # rad/s, m/s^2 along each axis
STEPS = 2  # in a frame
DT = 1 / synthetic.FPS / STEPS
ASIDE = (0.02, 0.0, -0.01)  # m
REACH = 20.0  # m: three walls whose springs never let go of the point
RADIUS = 2.0  # m, of the ball, which just touches the point from `ball_at`
BALL = Channel("Ball", "position", 3, "Ball")

Array = NDArray[np.float64]


def shares(mesh: Mesh) -> Array:
    """(V,): how much each vertex follows the point, 0 to 1; the rest of it follows the hand."""
    x = mesh.rest_positions[:, 0].astype(np.float64)
    return (x - x.min()) / np.ptp(x)


def ball_at(mesh: Mesh) -> Array:
    """(3,) m: where a ball just does not move the point, as large as in the takes."""
    place: Array = mesh.rest_positions[shares(mesh).argmax()] + np.array([REACH + RADIUS, 0.0, 0.0])
    return place


def contact_model_file(mesh: Mesh, handle: str = "", ball: str = "", **more: object) -> bytes:
    """x = rest + (1 - share) y + share u: y is the hand's place, u how far the point is off its own.

    One free handle, one frame that the hand carries, no elasticity. What pushes the point back is the contact
    of the last vertex, of share 1, with three walls, along one axis each; its weight presses it against them.
    handle: what the point can be held by, which is `ASIDE` of it while the artist places it. ball: "fixed" or
    "sized", for one more collider, whose place y has, and its size if "sized"; r_ext sees it and gives 0.
    more: settings.
    """
    rest, s = mesh.rest_positions.astype(np.float64), shares(mesh)
    count, last = len(rest), int(s.argmax())
    point, corners = rest[last], np.concatenate([np.zeros((1, 3)), np.eye(3)])
    by_frame = rest - s[:, None] * point  # what is left to the frame's corners
    weights = np.column_stack([s, 1.0 - s - by_frame.sum(1), by_frame])
    mass = 1.0 / count
    stiffness = mass * float((s**2).sum()) * OMEGA**2
    sag = mass * float(s.sum()) * GRAVITY / stiffness
    turns = np.stack([np.roll(np.eye(3), shift, axis=1) for shift in (1, 2, 0)])
    anchors = point + (sag - REACH) * turns[:, :, 2]
    floats = {
        "mean": rest,
        "carriers.weights": np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        "handles.weights": weights,
        "handles.gradients": np.zeros((count, 3, 5)),
        "handles.rest": np.concatenate([point[None], corners]),
        "frames.mean": np.zeros(3),
        "frames.offset": corners,
        "frames.matrix": np.tile(np.eye(3), (4, 1)),
        "contact.weights": np.array([[1.0, 0.0, 0.0, 0.0]]),
        "colliders.anchors": anchors,
        "colliders.axes": turns,
        "cubature.masses": np.full(count, mass),
        "cubature.inverse_rest": np.eye(3)[None],
        "cubature.volumes": np.zeros(1),
        "cubature.moduli": np.ones((1, 2)),
    }
    whole = {
        "carriers.corners": np.repeat(np.arange(count)[:, None], 4, 1),
        "contact.corners": np.array([[last, 0, 1, 2]]),
        "colliders.channels": np.full(3, -1),
        "colliders.turning": np.full(3, -1),
        "cubature.vertices": np.arange(count),
        "cubature.elements": np.arange(4)[None],
    }
    settings: dict[str, Any] = {
        "free": 1,
        "elasticity": "stvk",
        "steps": STEPS,
        "damping": 0.0,
        "gravity": [-GRAVITY] * 3,
        "tolerance": 1e-7,
        "iterations": 8,
        "stiffness": stiffness,
        "reach": REACH,
        "reference_depth": 1.0,
        "colliders": [{"kind": "half_space", "sizes": []}] * 3,
    }
    layout = synthetic.LAYOUT
    if ball:
        layout = ChannelLayout((*layout.channels, BALL))
        settings["colliders"] = [{"kind": "sphere", "sizes": [RADIUS]}, *settings["colliders"]]
        floats |= {
            "frames.mean": np.zeros(6),
            "frames.matrix": np.tile(np.eye(3, 6), (4, 1)),
            "colliders.anchors": np.concatenate([np.zeros((1, 3)), anchors]),
            "colliders.axes": np.concatenate([np.eye(3)[None], turns]),
            "external.basis": np.zeros((1, count, 3)),
            "external.layers.0.weight": np.zeros((1, 4)),
            "external.layers.0.bias": np.zeros(1),
            **{f"external.{name}": np.ones(4) for name in ("mean", "scale", "low", "high")},
        }
        whole |= {"colliders.channels": np.array([3, -1, -1, -1]), "colliders.turning": np.full(4, -1)}
    if ball == "sized":
        layout = ChannelLayout((*layout.channels, size_channel(BALL)))
        settings["widths"], whole["colliders.scaling"] = [2.0 * RADIUS], np.array([6, -1, -1, -1])
    if handle:
        layout = ChannelLayout((*layout.channels, handle_channel(handle)))
        floats["handles.aside"], whole["handles.held"] = -np.array([ASIDE]), np.zeros(1)
    info = synthetic.make_model_info(mesh, layout, method="contact_corrections", settings=settings | more)
    tensors = {name: np.asarray(array, np.float32) for name, array in floats.items()}
    return synthetic.model_bytes(
        info, tensors | {name: np.asarray(array, np.int32) for name, array in whole.items()}
    )


def swing(mesh: Mesh, hand: Array, held: Array | None = None) -> Array:
    """u (T, 3), metres, while the hand goes straight from one of its places (T, 3) to the next, from rest.

    Implicit Euler of a u'' + b hand'' + a omega^2 u = 0, with a = sum m s^2 and b = sum m s (1 - s): the
    weight is what the walls' springs bear at rest. held (T, 3): where the artist has u, not numbers where it
    is free: it goes straight there from where it is.
    """
    held = np.full(hand.shape, np.nan) if held is None else held
    s = shares(mesh)
    ratio = float((s * (1.0 - s)).sum() / (s**2).sum())
    u = before = hand[0].copy()
    y = y_before = hand[0]
    found = [u]
    for (start, end), goal in zip(pairwise(hand), held[1:], strict=True):
        begun = u
        for step in range(1, STEPS + 1):
            y_new = start + step / STEPS * (end - start)
            momentum = 2.0 * u - before - ratio * (y_new - 2.0 * y + y_before)
            free = momentum / (1.0 + (OMEGA * DT) ** 2)
            u, before = free if np.isnan(goal).any() else begun + step / STEPS * (goal - begun), u
            y, y_before = y_new, y
        found.append(u)
    return np.array(found)


def pushed(scales: Array) -> Array:
    """(T,) m: how far a ball at `ball_at`, so many times as large as in the takes (T,), pushes the point.

    Implicit Euler of u'' + omega^2 u + omega^2 (u + radius (scale - 1)) = 0, for scales that do not fall.
    """
    u = before = 0.0
    found = [u]
    for start, end in pairwise(scales):
        for step in range(1, STEPS + 1):
            short = RADIUS * (start + step / STEPS * (end - start) - 1.0)
            stiff = (OMEGA * DT) ** 2
            u, before = (2.0 * u - before - stiff * short) / (1.0 + 2.0 * stiff), u
        found.append(u)
    return np.array(found)

"""Interaction vectors for any layout of channels: ordinary ones, and what no scene gives."""

from __future__ import annotations

import random

import numpy as np

from fuzzing.extreme_values import extreme_number
from neural_physics.arrays import Floats
from neural_physics.interaction.channels import Channel, ChannelLayout


def ordinary(layout: ChannelLayout, frame: int) -> Floats:
    """y (e,) of a scene in which everything sways a little."""
    sway = 0.2 * np.sin(0.3 * frame + np.arange(layout.size))
    y = np.concatenate([_at_rest(channel) for channel in layout.channels])
    swaying = [np.full(c.size, c.kind not in ("pose", "orientation", "ground")) for c in layout.channels]
    return np.where(np.concatenate(swaying), y + sway, y).astype(np.float32)


def sequence(layout: ChannelLayout, frames: int, chance: random.Random) -> list[Floats]:
    """Ordinary ones, and in half of all cases now and then one that is not."""
    ys = [ordinary(layout, frame) for frame in range(frames)]
    if chance.random() < 0.5:
        return ys
    for frame in chance.sample(range(frames), chance.randint(1, max(1, frames // 4))):
        where = [chance.randrange(layout.size) for _ in range(chance.choice((1, 1, 3)))]
        with np.errstate(all="ignore"):
            ys[frame][slice(None) if chance.random() < 0.3 else where] = extreme_number(chance)
    return ys


def _at_rest(channel: Channel) -> Floats:
    matrix = np.eye(3, 4).ravel()
    values = {
        "pose": np.tile(matrix, channel.size // 12),
        "orientation": np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
        "ground": np.array([0.0, 0.0, 1.0, 1.0]),
        "size": np.ones(1),
        "capsule": np.array([0.0, 0.0, -1.0, 0.3, 0.0, -1.0, 0.1, 0.1]),
    }
    return values.get(channel.kind, np.zeros(channel.size)).astype(np.float32)

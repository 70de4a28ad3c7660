"""How long a frame of jiggle springs takes, by what the network of held poses has to show.

Models without meaning, since only their sizes count: 13,575 vertices along 60 bones, one to four of them on
each vertex. Frames of all models take turns, so that what else the machine does weighs on all alike.

    python -m benchmarks.quasistatic_springs.frame_times
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml_backend.methods.quasistatic_springs.pose_modes import leading
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.methods.quasistatic_springs.method import QuasistaticSprings
from neural_physics.models.model_file import Model, ModelInfo
from neural_physics.skinning.skin import Shares, Skin

VERTICES, BONES = 13_575, 60
FRAMES = 150
UNEVEN = 0.5  # the largest change of a bone's modes from all bones' mean, as a share
NAMES = tuple(f"bone{k}" for k in range(BONES))
SIZES = (("by matrices", False), ("Preserve Volume", True))

Tensors = dict[str, NDArray[Any]]


class Size(NamedTuple):
    """modes: at each vertex, on average; 0: no network. seen: bones; width: of layers."""

    name: str
    modes: int
    seen: int = 8
    width: int = 32


NETWORKS = (
    Size("without the network", 0),
    Size("12 modes at a vertex", 12),
    Size("16 (`preview` and `balanced`)", 16),
    Size("32 (`paper`)", 32),
    Size("48, of wider networks (`final`)", 48, 12, 64),
)


def skin_weights() -> NDArray[np.float32]:
    """(V, K): falling off along a row of bones, over different lengths."""
    rng = np.random.default_rng(0)
    place, reach = np.sort(rng.uniform(0.0, BONES, VERTICES)), rng.uniform(0.5, 2.0, VERTICES)
    away = np.abs(place[:, None] - 0.5 - np.arange(BONES))
    weights = np.maximum(0.0, 1.0 - away / reach[:, None])
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


def network(skin: Skin, size: Size) -> Tensors:
    """The tensors of a network; see `PoseNetwork`."""
    rng, shares = np.random.default_rng(1), Shares.of(skin)
    places, _ = leading(shares, VERTICES)
    parts = [part for _, part in shares.some(places).parts]
    sizes, regions = np.array([part.stop - part.start for part in parts]), len(parts)
    even = size.modes * VERTICES / len(places)
    counts = np.round(even * rng.uniform(1.0 - UNEVEN, 1.0 + UNEVEN, regions)).astype(np.int32)
    most, inputs = int(counts.max()), 6 * size.seen + 3

    def numbers(*shape: int) -> NDArray[np.float32]:
        return rng.normal(0.0, 0.1, shape).astype(np.float32)

    layers = [(size.width, inputs), (size.width, size.width), (most, size.width)]
    ahead = np.arange(regions)[:, None] + 1 + np.arange(size.seen)
    return {
        "network.shares": places.astype(np.int32),
        "network.seen": (ahead % BONES + 1).astype(np.int32),
        "network.low": np.full((regions, inputs), -1.0, np.float32),
        "network.high": np.ones((regions, inputs), np.float32),
        "network.linear": numbers(regions, most, inputs),
        "network.modes": counts,
        "network.mean": numbers(len(places), 3),
        "network.basis": numbers(int(3 * sizes @ counts)),
        **{f"network.{k}.weight": numbers(regions, *shape) for k, shape in enumerate(layers)},
        **{f"network.{k}.bias": numbers(regions, out) for k, (out, _) in enumerate(layers)},
    }


def springs(size: Size, preserve_volume: bool) -> QuasistaticSprings:
    """A model that plays, with or without a network."""
    rng, weights = np.random.default_rng(2), skin_weights()
    rest = rng.normal(size=(VERTICES, 3)).astype(np.float32)
    tensors = {
        "rest": rest,
        "mean": rest,
        "weights": weights,
        "stiffness": rng.uniform(60.0, 900.0, VERTICES).astype(np.float32),
        "damping": rng.uniform(1.0, 20.0, VERTICES).astype(np.float32),
    }
    if size.modes:
        tensors |= network(Skin(NAMES, weights, preserve_volume), size)
    layout = ChannelLayout((Channel("Rig", "pose", 12 * (BONES + 2), "Rig", parts=NAMES),))
    settings = {"preserve_volume": preserve_volume}
    info = ModelInfo(
        "quasistatic_springs", 1 / 24, "Row", "", vertex_count=VERTICES, channels=layout, settings=settings
    )
    return QuasistaticSprings(Model(info, tensors, "a model without meaning"))


def poses(count: int) -> NDArray[np.float32]:
    """y (count, 12 (K + 2)): every bone turned and shifted at random."""
    rng = np.random.default_rng(3)
    turns = np.linalg.qr(rng.normal(size=(count, BONES + 2, 3, 3)))[0]
    turns *= np.sign(np.linalg.det(turns))[..., None, None]
    shifts = rng.normal(size=(count, BONES + 2, 3, 1))
    return np.concatenate([turns, shifts], 3).reshape(count, -1).astype(np.float32)


def frame(method: QuasistaticSprings) -> Callable[[int], None]:
    """One frame of Play: a step, and its positions in the reference frame."""
    ys = poses(9)  # more than a method keeps targets of
    state = method.start(ys[0])

    def step(number: int) -> None:
        nonlocal state
        y = ys[number % len(ys)]
        state = method.step(state, y)
        method.positions(state, y)

    return step


def frame_ms(methods: list[QuasistaticSprings]) -> list[tuple[float, float]]:
    """Median and least of each method's frames, ms of the processor."""
    steps = [frame(method) for method in methods]
    taken: list[list[float]] = [[] for _ in steps]
    for number in range(FRAMES):
        for step, times in zip(steps, taken, strict=True):
            began = process_time()
            step(number)
            times.append(process_time() - began)
    return [(1e3 * median(times), 1e3 * min(times)) for times in taken]


def table() -> str:
    """The method page's, in Markdown."""
    columns = [frame_ms([springs(size, volume) for size in NETWORKS]) for _, volume in SIZES]
    lines = [f"| ms per frame | {' | '.join(name for name, _ in SIZES)} |", "|---|---|---|"]
    for size, *times in zip(NETWORKS, *columns, strict=True):
        lines.append(
            f"| {size.name} | {' | '.join(f'{middle:.1f} ({least:.1f})' for middle, least in times)} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")

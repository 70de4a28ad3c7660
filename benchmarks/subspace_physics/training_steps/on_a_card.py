"""How long a training step takes by NumPy and on a graphics card.

`python -m benchmarks.subspace_physics.training_steps.on_a_card`

It needs a card that torch calls CUDA, and no Blender; the table in
docs/benchmarks/subspace_physics.md is what it prints. The motion is made up: what a step
costs depends on sizes alone.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.markdown_tables import Column, table
from learning.methods.subspace_physics.learner import SubspaceLearner
from learning.methods.subspace_physics.network import Roller, SubspaceNetwork
from learning.methods.subspace_physics.presets import PRESETS, SubspacePreset
from learning.training.subspace_data import Sequences, SubspaceData
from ml_backend.methods.subspace_physics.graphed_rollout import GraphedRoller
from ml_backend.methods.subspace_physics.torch_rollers import torch_roller

CASES = [(preset, bases) for preset in ("balanced", "final") for bases in (32, 64, 128, 256)] + [
    ("paper", 256)
]
NUMBERS = 12  # that the network reacts to
STEPS, UNCOUNTED, SECONDS = 200, 20, 12.0  # of each side: at most so many steps, or so long
FPS = 24.0

SIDES = {"numpy": "NumPy", "torch": "torch, the card", "graph": "as CUDA graphs"}
COLUMNS = [
    Column("preset", "preset"),
    Column("bases", "bases"),
    *(Column(f"{head}: median", f"{side}.median", ".1f") for side, head in SIDES.items()),
    *(Column(f"{head}: mean", f"{side}.mean", ".1f") for side, head in SIDES.items()),
    Column(
        "NumPy's speed, of CUDA graphs'", lambda row: row["graph"]["median"] / row["numpy"]["median"], ".2f"
    ),
]


def data(bases: int, frames: int = 6000) -> SubspaceData:
    """Sines in each basis, which move the mesh the less the later they come."""
    random = np.random.default_rng(0)

    def sequences(count: int) -> Sequences:
        t = np.arange(count)[:, None] / FPS
        z, w = (
            np.sin(t * random.uniform(0.5, 6.0, n) + random.uniform(0.0, 6.0, n)).astype(np.float32)
            for n in (bases, NUMBERS)
        )
        return Sequences(z * np.float32(2**0.5), w, np.ones(count, np.float32), np.array([count // 2, count]))

    deviations = (1.0 / np.arange(1, bases + 1)).astype(np.float32)
    mean, basis = np.zeros((4, 3), np.float32), np.zeros((bases, 4, 3), np.float32)
    y_mean, y_basis = np.zeros(NUMBERS, np.float32), np.eye(NUMBERS, dtype=np.float32)
    start = np.zeros(bases, np.float32)
    training, validation = sequences(frames), sequences(frames // 5)
    return SubspaceData(mean, basis, deviations, 1.0, y_mean, y_basis, start, training, validation)


def step_times(
    of: SubspaceData, preset: SubspacePreset, roller_of: Callable[[SubspaceNetwork], Roller]
) -> dict[str, float]:
    """Median and mean of whole steps, ms, where windows have their full length."""
    network = SubspaceNetwork(of, preset, 0)
    learner = SubspaceLearner(of, preset, FPS, 0, network=network, roller=roller_of(network))
    times: list[float] = []
    until = time.perf_counter() + SECONDS
    while len(times) < STEPS and time.perf_counter() < until:
        begun = time.perf_counter()
        learner.step(preset.steps // 2 + len(times), 0.5)
        times.append(1e3 * (time.perf_counter() - begun))
    counted = times[UNCOUNTED:]
    return {"median": float(np.median(counted)), "mean": float(np.mean(counted))}


def rows(device: torch.device) -> Iterator[dict[str, Any]]:
    """Each case, all sides one after the other in this process."""
    rollers: dict[str, Callable[[SubspaceNetwork], Roller]] = {
        "numpy": lambda network: network,
        "torch": partial(torch_roller, device=device),
        "graph": lambda network: GraphedRoller(torch_roller(network, device)),
    }
    for preset, bases in CASES:
        sides = {side: step_times(data(bases), PRESETS[preset], of) for side, of in rollers.items()}
        yield {"preset": preset, "bases": bases, **sides}


def main() -> None:
    """Print the table."""
    versions = f"torch {torch.__version__}, NumPy {np.__version__}"
    sys.stdout.write(f"{torch.cuda.get_device_name()}, {os.cpu_count()} cores, {versions}\n\n")
    sys.stdout.write(table(COLUMNS, rows(torch.device("cuda"))) + "\n")


if __name__ == "__main__":
    main()

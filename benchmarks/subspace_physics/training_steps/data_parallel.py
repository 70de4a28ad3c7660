"""What a second process brings to one training, its gradients summed as torch's DistributedDataParallel does.

`OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 torchrun --nproc-per-node 2 -m \
benchmarks.subspace_physics.training_steps.data_parallel`

Each process has the whole model, rolls its share of a step's windows out by NumPy, which trains where there
is no graphics card, and gets the sum of all gradients by gloo. One process alone and all of them take the
same steps in turns. It needs no Blender; the table in docs/benchmarks/subspace_physics.md is what it prints.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import distributed

from benchmarks.markdown_tables import Column, table
from benchmarks.subspace_physics.training_steps.on_a_card import FPS, data
from learning.methods.subspace_physics.learner import SubspaceLearner
from learning.methods.subspace_physics.network import Pullback, Roller, SubspaceNetwork
from learning.methods.subspace_physics.presets import PRESETS
from learning.training.subspace_data import SubspaceData
from neural_physics.arrays import Floats

CASES = (("balanced", 64), ("balanced", 256), ("final", 64), ("final", 256), ("paper", 256))
ROUNDS, STEPS, UNCOUNTED = 5, 20, 2  # of each side in turns, and in each round

SIDES = {"alone": "one process", "together": "two processes"}
COLUMNS = [
    Column("preset", "preset"),
    Column("bases", "bases"),
    Column("numbers in the network", "numbers", ",d"),
    *(Column(f"{head}: median", f"{side}.median", ".1f") for side, head in SIDES.items()),
    *(Column(f"{head}: mean", f"{side}.mean", ".1f") for side, head in SIDES.items()),
    Column("as fast", lambda row: row["alone"]["mean"] / row["together"]["mean"], ".2f"),
    *(Column(f"{head}: validation error", f"{side}.error", ".6f") for side, head in SIDES.items()),
]


class DataParallelRoller:
    """A network whose windows all processes of the group roll out, each its share. See `Roller`."""

    device = "cpu"

    def __init__(self, network: SubspaceNetwork) -> None:
        self._network = network

    def rollout(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """See `Roller`."""
        return self._network.rollout(theta, z0, z1, w)

    def with_pullback(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> tuple[Floats, Pullback]:
        """See `Roller`. As many windows for each process."""
        count = len(z0) // distributed.get_world_size()
        own = slice(distributed.get_rank() * count, (distributed.get_rank() + 1) * count)
        rolled, own_pullback = self._network.with_pullback(theta, z0[own], z1[own], w[:, own])
        shares = [torch.empty(rolled.shape) for _ in range(distributed.get_world_size())]
        distributed.all_gather(shares, torch.from_numpy(np.ascontiguousarray(rolled)))

        def pullback(slope: Floats) -> Floats:
            gradient = torch.from_numpy(own_pullback(slope[:, own]))
            distributed.all_reduce(gradient)
            summed: Floats = gradient.numpy()
            return summed

        return torch.cat(shares, 1).numpy(), pullback


class Side:
    """A training, and how long its steps took, ms."""

    def __init__(self, of: SubspaceData, preset: str, roller_of: Callable[[SubspaceNetwork], Roller]) -> None:
        settings = PRESETS[preset]
        network = SubspaceNetwork(of, settings, 0)
        self.numbers = len(network.initial)
        self._learner = SubspaceLearner(of, settings, FPS, 0, network=network, roller=roller_of(network))
        self._all, self._taken, self._times = settings.steps, 0, list[float]()

    def go_on(self) -> None:
        """The next steps."""
        for number in range(STEPS):
            begun = time.perf_counter()
            self._learner.step(self._taken, self._taken / self._all)
            self._taken += 1
            if number >= UNCOUNTED:
                self._times.append(1e3 * (time.perf_counter() - begun))

    def figures(self) -> dict[str, float]:
        """Median and mean of the times, and the error that the training has come to."""
        median, mean = float(np.median(self._times)), float(np.mean(self._times))
        return {"median": median, "mean": mean, "error": self._learner.validate().relative}


def rows() -> Iterator[dict[str, Any]]:
    """Each case; the first process is the one that is alone."""
    for preset, bases in CASES:
        alone = Side(data(bases), preset, lambda network: network)
        together = Side(data(bases), preset, DataParallelRoller)
        for _ in range(ROUNDS):
            if distributed.get_rank() == 0:
                alone.go_on()
            distributed.barrier()
            together.go_on()
        if distributed.get_rank() == 0:
            sides = {"alone": alone.figures(), "together": together.figures()}
            yield {"preset": preset, "bases": bases, "numbers": alone.numbers, **sides}


def main() -> None:
    """Print the table."""
    distributed.init_process_group("gloo")
    measured = list(rows())
    if distributed.get_rank() == 0:
        count, versions = distributed.get_world_size(), f"torch {torch.__version__}, NumPy {np.__version__}"
        sys.stdout.write(f"{count} processes, {versions}\n\n{table(COLUMNS, measured)}\n")
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()

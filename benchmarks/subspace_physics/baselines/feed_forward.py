"""Holden's network once more, with dropout (Srivastava et al. 2014; Gal and Ghahramani 2016)."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType

import numpy as np

from benchmarks.subspace_physics.baselines.cells import Arrays, Memory, sigmoid
from benchmarks.subspace_physics.baselines.parameters import Array, Layout
from learning.methods.subspace_physics.network import SubspaceNetwork
from neural_physics.arrays import Floats

RATE = 0.1  # Holden 2019 gives none; of narrow layers more takes too much


class DropoutCell:
    """The network of eq. 3, whose hidden units are left out by chance while it trains.

    A unit that is left out is so for a whole window, as Gal and Ghahramani have it: noise that is new in
    each frame would be one more force for the next frames to answer.
    """

    remembers: tuple[int, ...] = ()

    def __init__(self, network: SubspaceNetwork, rate: float = RATE) -> None:
        """network: with eq. 1, "silu" and a shortcut, whose sizes and beginning it has."""
        self._rate, self._sizes = rate, network.sizes
        shapes: dict[str, tuple[int, ...]] = {}
        for k, (inputs, outputs) in enumerate(pairwise(network.sizes)):
            shapes |= {f"weight{k}": (outputs, inputs), f"bias{k}": (outputs,)}
        shapes["shortcut"] = (network.sizes[-1], network.sizes[0])
        self.layout, self.initial = Layout(shapes), network.initial
        self.constants: dict[str, Floats] = {
            "mixing": network.input_mixing,
            "unit": network.output_unit,
            "shortcut_unit": network.shortcut_unit,
        }

    def begin(
        self, p: Arrays, before: Array, now: Array, *, xp: ModuleType, random: np.random.Generator | None
    ) -> Memory:
        """See `Cell`: for each hidden layer what its units are multiplied by (n, h), none where all stay."""
        if random is None:
            return ()
        stays = 1.0 - self._rate
        drawn = [random.random((len(now), width), np.float32) < stays for width in self._sizes[1:-1]]
        return tuple(xp.asarray(mask.astype(np.float32) / np.float32(stays)) for mask in drawn)

    def change(self, p: Arrays, x: Array, memory: Memory, xp: ModuleType) -> tuple[Array, Memory]:
        """See `Cell`."""
        x = x @ p["mixing"]
        straight = x @ p["shortcut"].T * p["shortcut_unit"]
        last = len(self._sizes) - 2
        for k in range(last):
            x = x @ p[f"weight{k}"].T + p[f"bias{k}"]
            x = x * sigmoid(x, xp)
            if memory:
                x = x * memory[k]
        change = (x @ p[f"weight{last}"].T + p[f"bias{last}"]) * p["unit"]
        return change + straight, memory

"""Recurrent cells: RNN, GRU (Cho et al. 2014) and LSTM (Hochreiter and Schmidhuber 1997), of one layer.

What a cell remembers at the start of a rollout is a learned function of the two states given ("the hidden
state initialization needs to be handled carefully", Holden 2019, section 7.2). It is zero before training.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import ModuleType

import numpy as np

from benchmarks.subspace_physics.baselines.cells import Arrays, Memory, sigmoid
from benchmarks.subspace_physics.baselines.parameters import Array, Layout
from learning.methods.subspace_physics.network import LAST_GAIN
from neural_physics.arrays import Floats


class RecurrentCell(ABC):
    """What the three have in common; gates are rows one below the other, in torch's order.

    remembers: see `Cell`; all its widths are the number of units.
    """

    gates, memories = 1, 1

    def __init__(self, mixing: Floats, bases: int, units: int, seed: int, *, output_unit: Floats) -> None:
        """mixing (inputs, inputs), output_unit: what x and the output are multiplied by, as for our network
        (`network_units`).
        """
        inputs, rows = len(mixing), self.gates * units
        shapes = {
            "input": (rows, inputs),
            "hidden": (rows, units),
            "input_bias": (rows,),
            "hidden_bias": (rows,),
            "output": (bases, units),
            "output_bias": (bases,),
            "begin": (self.memories * units, 2 * bases),
            "begin_bias": (self.memories * units,),
        }
        several = {"input": self.gates, "hidden": self.gates, "begin": self.memories}
        self.layout = Layout(shapes, several)
        self.constants: dict[str, Floats] = {"mixing": mixing, "unit": output_unit}
        self.remembers: tuple[int, ...] = (units,) * self.memories
        random = np.random.default_rng(seed)
        arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        for name, gain, of in (("input", 1.0, inputs), ("hidden", 1.0, units), ("output", LAST_GAIN, units)):
            arrays[name] = random.standard_normal(shapes[name], np.float32) * np.float32(gain / of**0.5)
        self.initial = self.layout.vector(arrays)

    @classmethod
    def step_parameters(cls, inputs: int, bases: int, units: int) -> int:
        """How many parameters each step needs: all but those for the beginning."""
        return cls.gates * units * (inputs + units + 2) + bases * (units + 1)

    def begin(
        self, p: Arrays, before: Array, now: Array, *, xp: ModuleType, random: np.random.Generator | None
    ) -> Memory:
        """See `Cell`."""
        found = xp.tanh(xp.concatenate([now, now - before], -1) @ p["begin"].T + p["begin_bias"])
        units = self.remembers[0]
        return tuple(found[:, k * units : (k + 1) * units] for k in range(self.memories))

    def change(self, p: Arrays, x: Array, memory: Memory, xp: ModuleType) -> tuple[Array, Memory]:
        """See `Cell`."""
        memory = self.next(
            x @ p["mixing"] @ p["input"].T + p["input_bias"],
            memory[0] @ p["hidden"].T + p["hidden_bias"],
            memory,
            xp,
        )
        return (memory[0] @ p["output"].T + p["output_bias"]) * p["unit"], memory

    @abstractmethod
    def next(self, by_input: Array, by_hidden: Array, memory: Memory, xp: ModuleType) -> Memory:
        """The memory after this step; by_input, by_hidden (n, gates h): the gates' sums."""

    def _gate(self, sums: Array, k: int) -> Array:
        units = self.remembers[0]
        return sums[:, k * units : (k + 1) * units]


class Rnn(RecurrentCell):
    """h = tanh(W x + U h + b)."""

    def next(self, by_input: Array, by_hidden: Array, memory: Memory, xp: ModuleType) -> Memory:
        """See `RecurrentCell`."""
        return (xp.tanh(by_input + by_hidden),)


class Gru(RecurrentCell):
    """Gates: reset, update, new."""

    gates = 3

    def next(self, by_input: Array, by_hidden: Array, memory: Memory, xp: ModuleType) -> Memory:
        """See `RecurrentCell`."""
        reset, update = (sigmoid(self._gate(by_input, k) + self._gate(by_hidden, k), xp) for k in (0, 1))
        new = xp.tanh(self._gate(by_input, 2) + reset * self._gate(by_hidden, 2))
        return (new + update * (memory[0] - new),)


class Lstm(RecurrentCell):
    """Gates: input, forget, new, output. It remembers h and c."""

    gates, memories = 4, 2

    def __init__(self, mixing: Floats, bases: int, units: int, seed: int, *, output_unit: Floats) -> None:
        super().__init__(mixing, bases, units, seed, output_unit=output_unit)
        # Forget gates begin open (Jozefowicz et al. 2015), so that there is something to learn from.
        self.layout.views(self.initial)["input_bias"][units : 2 * units] = 1.0

    def next(self, by_input: Array, by_hidden: Array, memory: Memory, xp: ModuleType) -> Memory:
        """See `RecurrentCell`."""
        sums = by_input + by_hidden
        taken, kept, shown = (sigmoid(self._gate(sums, k), xp) for k in (0, 1, 3))
        c = kept * memory[1] + taken * xp.tanh(self._gate(sums, 2))
        return shown * xp.tanh(c), c

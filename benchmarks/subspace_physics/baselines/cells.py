"""Cells: what adds to eq. 1 in place of Holden's network, for NumPy and for torch alike.

A cell sees what the network sees: x = [z_bar_t, z_{t-1}, w_t, w_t - w_{t-1}] (n, i).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Protocol

import numpy as np
import torch

from benchmarks.subspace_physics.baselines.parameters import Array, Layout
from neural_physics.arrays import Floats

Arrays = Mapping[str, Array]
Memory = tuple[Array, ...]  # (n, .) each


class Cell(Protocol):
    """layout: of what is trained; initial: that before training. constants: what is not trained.

    remembers: the widths of the arrays of its memory that go on from one window to the next; what else it
    carries along begins anew with each.
    """

    layout: Layout
    initial: Floats
    constants: dict[str, Floats]
    remembers: tuple[int, ...]

    def begin(
        self, p: Arrays, before: Array, now: Array, *, xp: ModuleType, random: np.random.Generator | None
    ) -> Memory:
        """The memory at two states (n, u). random: for what is left to chance in training; else none is."""

    def change(self, p: Arrays, x: Array, memory: Memory, xp: ModuleType) -> tuple[Array, Memory]:
        """What is added to z_bar (n, u), and the memory after it."""


def sigmoid(x: Array, xp: ModuleType) -> Array:
    """1 / (1 + exp(-x)), which no x makes infinite."""
    return torch.sigmoid(x) if xp is torch else 0.5 + 0.5 * np.tanh(0.5 * x)


def width_for(count: int, parameters: Callable[[int], int]) -> int:
    """The width with which a cell has about `count` parameters, which grow with it."""
    width = 1
    while parameters(width + 1) <= count:
        width += 1
    below, above = count - parameters(width), parameters(width + 1) - count
    return width if below <= above else width + 1

"""Two sides that take turns, and what their steps take."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np

Row = dict[str, Any]
Numbers = Any  # an array of float32


@dataclass(frozen=True)
class Sizes:
    """rounds: turns of each. steps: in each turn."""

    rounds: int = 20
    steps: int = 500


class Side(Protocol):
    """What is timed, step after step."""

    def start(self, y: Numbers) -> None:
        """Before the first step."""

    def step(self, y: Numbers) -> object:
        """A step, or the part of one that is a file of its own."""

    def shape(self, y: Numbers) -> object:
        """What decodes the step's positions; not called of a part of a step."""


@dataclass(frozen=True)
class Compared:
    """One thing that is timed. found: how many numbers a step finds. ys: what each step is given."""

    name: str
    found: int
    ys: Numbers
    numpy: Side
    onnx: Side
    decoded: bool = True


def row(compared: Compared, sizes: Sizes) -> Row:
    """Microseconds of a step and of a shape by each side, median and mean, and the median ratio of turns."""
    taken = {f"{side}_{what}": list[float]() for side in ("numpy", "onnx") for what in ("step", "shape")}
    ratios = []
    for _ in range(sizes.rounds):
        medians = []
        for side in ("numpy", "onnx"):
            steps, shapes = _turn(getattr(compared, side), compared)
            taken[f"{side}_step"] += steps
            taken[f"{side}_shape"] += shapes
            medians.append(float(np.median(steps)))
        ratios.append(medians[1] / medians[0])
    return {
        "what": compared.name,
        "found": compared.found,
        "steps": sizes.rounds * len(compared.ys),
        "over_numpy": float(np.median(ratios)),
        **{f"{name}_us": float(np.median(times)) if times else None for name, times in taken.items()},
        **{f"{name}_mean_us": float(np.mean(times)) if times else None for name, times in taken.items()},
    }


def _turn(side: Side, compared: Compared) -> tuple[list[float], list[float]]:
    """Microseconds that steps took, and the shapes after them."""
    steps, shapes = list[float](), list[float]()
    side.start(compared.ys[0])
    for y in compared.ys:
        began = perf_counter()
        side.step(y)
        stepped = perf_counter()
        steps.append(1e6 * (stepped - began))
        if compared.decoded:
            began = perf_counter()
            side.shape(y)
            shapes.append(1e6 * (perf_counter() - began))
    return steps, shapes

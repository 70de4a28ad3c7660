"""A model is stepped and shown frame after frame, through burst after burst."""

from __future__ import annotations

import random
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neural_physics.arrays import Floats
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model
from tools.endurance.interactions import ORDINARY, bursts, ordinary

BETWEEN = 200  # ordinary frames between two bursts, if it is near by then
LOST_AFTER = 500  # ordinary frames after which something that is still far off is lost
FAR = 5.0  # times as far from the mean shape as in an ordinary scene, or as large, is far off


@dataclass
class Endured:
    """What became of `steps` steps. not_finite: frames whose mesh would get what is no number, by the kind
    of burst, or ordinary. farthest, m: of a vertex from its place in the mean shape, by the same. near: m,
    within which it is not far off. away: ordinary frames after which it is not, at most, by the kind of
    burst before. lost: bursts after which it was still far off after `LOST_AFTER` of them, with the step.
    """

    model: str
    method: str
    seed: int
    steps: int = 0
    near: float = 0.0
    seconds: float = 0.0
    bursts: Counter[str] = field(default_factory=Counter)
    not_finite: Counter[str] = field(default_factory=Counter)
    farthest: dict[str, float] = field(default_factory=dict)
    away: dict[str, int] = field(default_factory=dict)
    lost: list[tuple[str, int]] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with it."""
        return not (self.not_finite or self.lost)

    def line(self) -> str:
        """What there is to say, for a person."""
        far = ", ".join(f"{kind} {metres:.3g} m" for kind, metres in self.farthest.items())
        away = ", ".join(f"{kind} {frames}" for kind, frames in self.away.items())
        return (
            f"{self.model}: {self.steps:,} steps in {self.seconds:.0f} s, {self.bursts.total()} bursts; "
            f"not finite: {dict(self.not_finite) or 'never'}; farthest: {far}; far off for at most so many "
            f"frames after: {away}; lost: {self.lost[:5] or 'never'} ({len(self.lost)})"
        )


class _Course:
    """The way of one object."""

    def __init__(self, model: Model, endured: Endured) -> None:
        self.model, self.endured = model, endured
        self.method = load_method(model)
        self.mean = self.method.mean_shape.astype(np.float64)
        self.frame = 0
        self.state: Any = self.method.start(ordinary(model, 0))

    def burst(self, kind: str, ys: list[Floats]) -> None:
        """Frames of what no scene should give."""
        for number, y in enumerate(ys, 1):
            self._frame(kind, y, ys[number : number + self.method.look_ahead])

    def ordinary(self, kind: str = ORDINARY) -> float:
        """One ordinary frame; how far off its shape is, m. kind: what it is counted as."""
        self.frame += 1
        ahead = range(self.frame, self.frame + 1 + self.method.look_ahead)
        y, *later = (ordinary(self.model, frame) for frame in ahead)
        return self._frame(kind, y, later)

    def _frame(self, kind: str, y: Floats, ahead: list[Floats]) -> float:
        endured = self.endured
        self.state = self.method.step(self.state, y, ahead)
        shown = self.method.positions(self.state, y)
        endured.steps += 1
        distance = float(np.abs(shown - self.mean).max())
        if not np.isfinite(distance):
            endured.not_finite[kind] += 1
            distance = float("inf")
        endured.farthest[kind] = max(distance, endured.farthest.get(kind, 0.0))
        return distance


def endure(name: str, model: Model, steps: int, seed: int) -> Endured:
    """Step a model at least so often, from that seed."""
    endured, began = Endured(name, model.info.method, seed), time.monotonic()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        course = _Course(model, endured)
        usual = max(course.ordinary() for _ in range(BETWEEN))
        endured.near = FAR * max(usual, float(np.ptp(course.mean, axis=0).max()))
        for kind, ys in bursts(model, random.Random(seed)):
            if endured.steps >= steps:
                break
            course.burst(kind, ys)
            endured.bursts[kind] += 1
            _come_back(course, kind)
    endured.seconds = time.monotonic() - began
    return endured


def _come_back(course: _Course, kind: str) -> None:
    """Ordinary frames after a burst, until it is near and `BETWEEN` are over, or it is lost."""
    endured, away = course.endured, 0
    for frame in range(1, LOST_AFTER + 1):
        distance = course.ordinary(f"after {kind}")
        if distance > endured.near:
            away = frame
        elif frame >= BETWEEN:
            break
    endured.away[kind] = max(away, endured.away.get(kind, 0))
    if away == LOST_AFTER:
        endured.lost.append((kind, endured.steps))

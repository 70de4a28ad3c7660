"""How well a model knows how far off it is: what it expects beside what is true, frame by frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Doubles, Floats
from ..methods.interface import KnowsItsError, Method
from .rollouts import Window, states, steps_from


@dataclass(frozen=True)
class Expectation:
    """rank_correlation: Spearman's, of expected and true errors of all frames. ratio: of their means."""

    rank_correlation: float
    ratio: float

    @classmethod
    def of(cls, expected: Doubles, true: Doubles) -> Expectation:
        """Both (n,) metres."""
        ratio = float(expected.mean() / max(true.mean(), 1e-30))
        return cls(float(np.corrcoef(_ranks(expected), _ranks(true))[0, 1]), ratio)


def _ranks(values: Doubles) -> Doubles:
    return np.argsort(np.argsort(values, kind="stable"), kind="stable").astype(np.float64)


def expected_and_true(method: Method, windows: Iterable[Window]) -> tuple[Doubles, Doubles] | None:
    """(n,) both, metres: the root mean square distance of a vertex in each frame.

    None for a model that expects nothing.
    """
    expected, true = [], []
    for window in windows:
        interaction = window.take.interaction[window.predicted]
        for state, y, truth in zip(states(method, window), interaction, window.truth(), strict=True):
            error = _expected(method, state)
            if error is None:
                return None
            off = method.positions(state, y) - truth
            expected.append(error)
            true.append(float(np.sqrt(np.einsum("vc,vc->", off, off) / len(off))))
    return np.array(expected), np.array(true)


def expected_from_rest(method: Method, interaction: Floats) -> Doubles:
    """(n - 1,) metres: what a model expects of itself as it plays y (n, e) from rest; infinite where it
    expects nothing.
    """
    at_rest, frames = method.start(interaction[0]), range(1, len(interaction))
    found = (_expected(method, state) for state in steps_from(method, at_rest, interaction, frames))
    return np.array([np.inf if error is None else error for error in found])


def _expected(method: Method, state: Any) -> float | None:  # noqa: ANN401 (each method has its own State)
    return method.expected_error(state) if isinstance(method, KnowsItsError) else None

"""How well a model knows how far off it is: what it expects beside what is true, frame by frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import Doubles
from ..methods.interface import KnowsItsError, Method
from .rollouts import Window, states


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
            error = method.expected_error(state) if isinstance(method, KnowsItsError) else None
            if error is None:
                return None
            off = method.positions(state, y) - truth
            expected.append(error)
            true.append(float(np.sqrt(np.einsum("vc,vc->", off, off) / len(off))))
    return np.array(expected), np.array(true)

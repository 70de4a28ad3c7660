"""Keeping what a regression sees and says within what it was trained on (Holden 2019, section 8.1).

And all numbers within what can be calculated with, whatever a scene or a stranger's model gives: what a
method hands out is always a number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Indices, Mask

LARGEST = 1e8  # of a number of y, or of a coefficient: nothing that is learned from is near it
SQUARE = LARGEST**2
FURTHEST = 1e12  # metres: what is simulated never gets there
LOST = 1000.0  # sizes away from where it would be at rest: what is simulated and seen never gets there


def clipped(values: Floats, low: Floats, high: Floats) -> tuple[Floats, int]:
    """A new array, and how many values had to be changed; twice as fast as `np.clip`."""
    within = _within(values, low, high)
    count = int(np.count_nonzero(within != values))
    if count:
        _fill(within, low, high)
    return within, count


def clipped_rows(values: Floats, low: Floats, high: Floats) -> tuple[Floats, Indices]:
    """The same of values (n, k), and how many had to be changed in each row: (n,)."""
    within = _within(values, low, high)
    counts = np.count_nonzero(within != values, axis=1)
    if counts.any():
        _fill(within, low, high)
    return within, counts


def bounded(values: Floats) -> Floats:
    """The same array (n,), unless a number is beyond `LARGEST`, or is none, which is taken for 0."""
    # One product says it of ordinary numbers, in a tenth of the time that comparing each takes.
    if values.dot(values) <= SQUARE:
        return values
    return np.clip(np.nan_to_num(values, posinf=LARGEST, neginf=-LARGEST), -LARGEST, LARGEST)


def within_reach(*arrays: Doubles) -> bool:
    """Whether all numbers are that, and none is beyond `FURTHEST`: of what is simulated, m or m/s."""
    return all(bool(_reachable(array).all()) for array in arrays)


def keep_within_reach(places: Floats, instead: Floats) -> None:
    """Places (V, 3) m become those of `instead` where they are no numbers or out of reach, in place."""
    reachable = _reachable(places)
    if not reachable.all():
        np.copyto(places, instead, where=~reachable)


def _reachable(values: NDArray[np.floating]) -> Mask:
    return np.abs(values) <= FURTHEST


def _within(values: Floats, low: Floats, high: Floats) -> Floats:
    within = np.maximum(values, low)
    return np.minimum(within, high, out=within)


def _fill(within: Floats, low: Floats, high: Floats) -> None:
    """What is no number is taken for 0, the mean of training, in place."""
    lost = np.isnan(within)
    if lost.any():
        np.copyto(within, _within(np.zeros_like(low), low, high), where=lost)

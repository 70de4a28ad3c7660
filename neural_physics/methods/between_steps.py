"""Coefficients between two steps, for methods that keep those of two steps."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats


def parabola(before: Floats, now: Floats, ahead: Floats, share: float) -> Floats:
    """Coefficients (u,) a share of a step after `now`, on the parabola through three that are a step apart.

    A straight line would cut off what swings at each step.
    """
    s = np.float32(share)
    half = np.float32(0.5)
    return now + s * half * (ahead - before) + s * s * (half * (ahead + before) - now)

"""Zero-restlength springs between a target and each vertex, stepped exactly (Jin 2022, section 5).

A vertex x obeys x'' = k_s (x_hat - x) + k_d (x_hat' - x') (equation 4). For constant k_s, k_d and dt the
closed form (equations 7 to 13) is one linear map per vertex, made once, so that a frame costs a few passes
over the vertices. There is no truncation error, and no step is too long.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles, Floats
from .steps import step_factors
from .targets import Segment

# Added to offsets (m) and velocities (m/s), far below what float32 positions show: what has come to rest
# would else shrink on to below 1e-38, and over such numbers a step takes five times as long.
STIR = np.float32(1e-16)
NEGLIGIBLE = 1e-20  # factors below are made 0, for the same reason
ROUNDING = 2.0**-22  # of a determinant: more than twice what rounding its four factors to float32 changes


class Springs:
    """Springs of V vertices for steps of dt seconds; make new ones for other factors or another dt.

    What they obey is eq. 4 of Jin 2022.

    Making them takes some 20 ms for ten thousand vertices, a step a hundredth of that.
    """

    def __init__(self, stiffness: NDArray[np.floating], damping: NDArray[np.floating], dt: float) -> None:
        """stiffness k_s (V,) 1/s^2, damping k_d (V,) 1/s, both over the mass and not negative; dt: seconds.

        Where both are 0 nothing holds a vertex, and it keeps its velocity. Raises ValueError for what is
        negative or not a number, or faster than `responses.MOST`.
        """
        self.stiffness, self.damping = np.array(stiffness, np.float64), np.array(damping, np.float64)
        self.dt = dt
        factors = _rounded(step_factors(self.stiffness, self.damping, dt), dt)
        # Once per axis: over the last 3 of (V, 3) NumPy would take ten times as long.
        self._factors = np.repeat(factors, 3, axis=2)
        self._inputs = np.empty((4, self._factors.shape[2]), np.float32)

    def step(self, x: Floats, v: Floats, target: Segment) -> tuple[Floats, Floats]:
        """Positions and velocities at t^(n+1), new arrays (V, 3) float32, from those at t^n.

        The closed form (Jin 2022, eqs. 5 to 13).
        x (V, 3) metres; v (V, 3) m/s; target: from t^n to t^(n+1), dt seconds, float32.
        """
        offset, relative, bend, straightening = self._inputs.reshape(4, *x.shape)
        line = offset  # the velocity along the straight line; the offset comes after
        np.subtract(target.end, target.start, out=line)
        line *= np.float32(1.0 / self.dt)
        np.subtract(line, target.start_velocity, out=bend)
        np.subtract(target.end_velocity, line, out=straightening)
        np.subtract(x, target.start, out=offset)
        np.subtract(v, target.start_velocity, out=relative)
        self._inputs[:2] += STIR
        offset, relative = np.einsum("ckn,kn->cn", self._factors, self._inputs).reshape(2, *x.shape)
        return offset + target.end, relative + target.end_velocity


def _rounded(factors: Doubles, dt: float) -> Floats:
    """(2, 4, V) float32 of step factors, for velocities in m/s; repeated, they make no motion grow.

    A 2x2 map makes none grow if 1 - tr + det >= 0, 1 + tr + det >= 0 and det <= 1. Rounding keeps the signs
    of the free motion's factors and that those on the diagonal are at most 1, from which the first two
    follow; but not an undamped spring's determinant of 1. Where it gets larger, the spring is made to lose a
    few ten millionths of its velocity per step.
    """
    factors = np.where(np.abs(factors) < NEGLIGIBLE, 0.0, factors)
    factors[0, 1:] *= dt
    factors[1, 0] /= dt
    rounded: Floats = factors.astype(np.float32)
    (a, b), (c, d) = rounded[:, :2].astype(np.float64)
    rounded[1, :2] *= np.where(a * d - b * c > 1.0, np.float32(1.0 - ROUNDING), np.float32(1.0))
    return rounded

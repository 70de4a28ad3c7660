"""A spring's step as a linear map, and how that changes with the spring (Jin 2022, sections 5 and 6).

Offset e = x - x_hat and its velocity per step e' at the end of a step are made of four things (equations 7
to 13 at s = 1): of e and e' at its start, and of u_0 = d - m_0 and u_1 = m_1 - d, by which the velocities per
step m_0, m_1 of the target's cubic at both ends differ from d, that of the straight line between them:

    x_hat'' = 4 u_0 - 2 u_1 + 6 tau (u_1 - u_0),    2 a = 4 u_0 - 2 u_1 and q = u_1 - u_0 in equation 2.

Even motion has none of these, so that on the target at its velocity a vertex stays there to the last bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles
from .responses import Response, response, response_and_slopes


def step_factors(stiffness: NDArray[np.floating], damping: NDArray[np.floating], dt: float) -> Doubles:
    """(2, 4, n) float64: (e, e') at the end of a step from (e, e', u_0, u_1), velocities per step.

    At s = 1 (Jin 2022, eq. 7).
    stiffness k_s (n,) 1/s^2, damping k_d (n,) 1/s, both over the mass; dt: seconds. Raises ValueError for
    what is negative or not a number, or faster than `responses.MOST`.
    """
    k_s, k_d = np.asarray(stiffness, np.float64), np.asarray(damping, np.float64)
    answer = response(k_s, k_d, dt)
    return _assembled(answer, *_per_step(k_s, k_d, dt))


def step_factors_and_gradients(
    stiffness: NDArray[np.floating], damping: NDArray[np.floating], dt: float
) -> tuple[Doubles, Doubles, Doubles]:
    """The `step_factors`, and their derivatives by k_s and by k_d, all (2, 4, n) float64.

    Equations 15 and 16 of Jin 2022 (17 to 20 are in `responses`), without their recursion over the steps
    before; exact at critical damping, too.
    """
    k_s, k_d = np.asarray(stiffness, np.float64), np.asarray(damping, np.float64)
    answer, slopes = response_and_slopes(k_s, k_d, dt)
    kappa, delta = _per_step(k_s, k_d, dt)
    by_kappa = _assembled(slopes.by_kappa(), kappa, delta)
    by_kappa[1, 0] -= answer.kick
    by_delta = _assembled(slopes.by_delta(), kappa, delta)
    by_delta[0, 0] = kappa * slopes.kick  # h - g'' - delta g', which cancel where kappa is small
    return _assembled(answer, kappa, delta), by_kappa * dt**2, by_delta * dt


def _per_step(k_s: Doubles, k_d: Doubles, dt: float) -> tuple[Doubles, Doubles]:
    """kappa and delta; the first so that the largest k_s do not overflow on the way."""
    return (np.sqrt(k_s) * dt) ** 2, k_d * dt


def _assembled(answer: Response, kappa: Doubles, delta: Doubles) -> Doubles:
    """(2, 4, n); linear in the answer. p, gamma_1 and gamma_2 (Jin 2022, eqs. 8, 12 and 13), gathered."""
    rate, kick, push, ramp = answer
    position = [rate + delta * kick, kick, 6.0 * ramp - 4.0 * push, 2.0 * push - 6.0 * ramp]
    velocity = [-kappa * kick, rate, 6.0 * push - 4.0 * kick, 2.0 * kick - 6.0 * push]
    return np.array([position, velocity])

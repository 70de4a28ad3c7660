"""What a damped spring answers within one step, exact for every stiffness and damping (Jin 2022, section 5).

With time in steps, tau = (t - t^n) / dt, and e = x - x_hat, equation 4 is

    e'' + delta e' + kappa e = -x_hat'',    kappa = k_s dt^2,    delta = k_d dt.

All of equations 7 to 13 follows from the answer h to a unit kick (h(0) = 0, h'(0) = 1), from its integrals
over time h_1 and h_2, and from its rate h': an x_hat'' that is linear in tau, as the cubic target's is, is
answered by h_1 and h_2. They are divided differences of exp at the roots l, L of z^2 + delta z + kappa,

    h = exp[L, l],    h_1 = exp[L, l, 0],    h_2 = exp[L, l, 0, 0],

and so smooth (entire, even) functions of kappa and delta. The paper's own form is not: its particular
solution (equation 8) divides by k_s^2, equations 9 and 10 divide by epsilon, and exp(-k_d dt / 2) times
exp(epsilon) is 0 times infinity when strongly damped. The derivatives of equations 15 to 20 are the same kind
of function: with g = h * h (convolved), dh/dkappa = -g and dh/ddelta = -g', and so for the integrals.
The gradient exists on the curve of critical damping, too, contrary to the end of section 6.

Two ways to the numbers suffice: the power series in time where both roots are small, which holds every limit
k_s, k_d -> 0; elsewhere differences of functions of one root divided by the larger one, in complex numbers,
so that under-, over- and critically damped springs are one case.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles, Mask

Complexes = NDArray[np.complex128]

SMALL = 1.0  # a root, in 1 / steps: what is smaller is left to power series
TERMS = 24  # of a power series: what follows is below 1e-22 for roots below SMALL
MOST = 1e30  # 1 / steps: what is faster has no use, and its square and its float32 must be finite


class Response(NamedTuple):
    """Responses at the end of a step, each (n,) float64: h', h, h_1 and h_2; in steps, steps^2, ...

    What eqs. 7 and 8 of Jin 2022 are made of.
    """

    rate: Doubles
    kick: Doubles
    push: Doubles
    ramp: Doubles


class Slopes(NamedTuple):
    """How a Response changes, each (n,) float64: g'', g', g, g_1 and g_2 of g = h * h."""

    acceleration: Doubles
    rate: Doubles
    kick: Doubles
    push: Doubles
    ramp: Doubles

    def by_kappa(self) -> Response:
        """d Response / d kappa, for eq. 17 of Jin 2022."""
        return Response(-self.rate, -self.kick, -self.push, -self.ramp)

    def by_delta(self) -> Response:
        """d Response / d delta, for eq. 18 of Jin 2022."""
        return Response(-self.acceleration, -self.rate, -self.kick, -self.push)


def response(stiffness: Doubles, damping: Doubles, dt: float) -> Response:
    """The Response of springs over a step (Jin 2022, eqs. 7 and 8).

    stiffness k_s (n,) 1/s^2, damping k_d (n,) 1/s: not negative; dt: seconds, above 0.
    Raises ValueError for anything else, and for springs faster than MOST per step.
    """
    small, (kappa, delta), roots = _split(stiffness, damping, dt)
    out = np.empty((4, len(kappa)))
    out[:, small] = _series(kappa[small], delta[small])[:4]
    out[:, ~small] = _divided(*roots)
    return Response(*out)


def response_and_slopes(stiffness: Doubles, damping: Doubles, dt: float) -> tuple[Response, Slopes]:
    """The Response of springs over a step, and what its derivatives (Jin 2022, eqs. 17, 18) are made of."""
    small, (kappa, delta), roots = _split(stiffness, damping, dt)
    out = np.empty((9, len(kappa)))
    out[:, small] = _series(kappa[small], delta[small])
    out[:4, ~small] = _divided(*roots)
    out[4:, ~small] = _divided_slopes(*roots)
    return Response(*out[:4]), Slopes(*out[4:])


def _split(
    stiffness: Doubles, damping: Doubles, dt: float
) -> tuple[Mask, tuple[Doubles, Doubles], tuple[Complexes, Complexes, Complexes]]:
    """Which have small roots; kappa and delta of all; and L, l and r = (l - L) / 2 of the others.

    r is epsilon at s = 1, times i where underdamped, which makes one of the cases of damping (Jin 2022,
    eqs. 9 to 11).
    """
    stiffness, damping = np.asarray(stiffness, np.float64), np.asarray(damping, np.float64)
    if stiffness.ndim != 1 or damping.shape != stiffness.shape:
        raise ValueError("springs need a stiffness and a damping each")
    if not 0.0 < dt < np.inf:
        raise ValueError("a step must last longer than nothing")
    # The comparisons are false for what is not a number, too.
    if not ((stiffness >= 0.0) & (damping >= 0.0)).all():
        raise ValueError("a spring's stiffness or damping is negative or not a number")
    omega, half = np.sqrt(stiffness) * dt, 0.5 * damping * dt
    if not ((omega <= MOST) & (half <= MOST)).all():
        raise ValueError(f"a spring's frequency or damping is above {MOST:g} per step")
    # Subtracted before anything is rounded: near critical damping all depends on the difference.
    apart = (0.5 * damping - np.sqrt(stiffness)) * dt
    r = np.sqrt(apart.astype(np.complex128)) * np.sqrt(half + omega)
    larger = -(half + r)
    small = np.abs(larger) < SMALL
    r, larger = r[~small], larger[~small]
    return small, (omega * omega, 2.0 * half), ((omega * omega)[~small] / larger, larger, r)


def _series(kappa: Doubles, delta: Doubles) -> Doubles:
    """(9, n): Response and Slopes from the power series of h and g in tau, at tau = 1.

    For eqs. 9 to 11, 19 and 20 of Jin 2022.
    """
    sums = np.zeros((9, len(kappa)))
    h, h_next = np.zeros_like(kappa), np.ones_like(kappa)  # coefficients of tau^n and tau^(n + 1)
    g, g_next = np.zeros_like(kappa), np.zeros_like(kappa)
    for n in range(TERMS):
        for first, c in ((0, h), (5, g)):
            sums[first] += n * c
            sums[first + 1] += c
            sums[first + 2] += c / (n + 1)
            sums[first + 3] += c / ((n + 1) * (n + 2))
        sums[4] += n * (n - 1) * g
        g, g_next = g_next, (h / (n + 1) - delta * g_next - kappa * g / (n + 1)) / (n + 2)
        h, h_next = h_next, -(delta * h_next + kappa * h / (n + 1)) / (n + 2)
    return sums


def _divided(smaller: Complexes, larger: Complexes, r: Complexes) -> Doubles:
    """(4, n): the Response, for eqs. 9 to 11 of Jin 2022 in one."""
    near, apart = _exponentials(smaller), _exponentials(-2.0 * r)
    # With exp(L) in front: it and exp(-2 r) are at most 1; exp(r) would not be finite when strongly damped.
    kick = near.zero * apart.one
    push = (near.one - kick) / -larger
    ramp = (near.two - push) / -larger
    rate = smaller * kick + near.zero * apart.zero
    return np.stack([rate, kick, push, ramp]).real


def _divided_slopes(smaller: Complexes, larger: Complexes, r: Complexes) -> Doubles:
    """(5, n): the Slopes; g = exp[L, L, l, l], and one 0 more for each integral.

    For eqs. 19 and 20 of Jin 2022.
    """
    near, apart = _exponentials(smaller), _exponentials(-2.0 * r)
    kick = near.zero * apart.two_slope
    once = (near.one_slope - near.zero * apart.two) / -larger  # exp[L, L, l, 0]
    twice = (near.two_slope - once) / -larger  # exp[L, L, l, 0, 0]
    push = (once - kick) / -larger
    ramp = (twice - push) / -larger
    # The derivative by time takes out a node: (d/dtau - L) exp[L, ...] = exp[...].
    single = near.zero * apart.one_slope  # exp[L, l, l]
    rate = smaller * kick + single
    acceleration = smaller * (rate + single) + near.zero * apart.zero
    return np.stack([acceleration, rate, kick, push, ramp]).real


class _Exponentials(NamedTuple):
    """exp[z], exp[z, 0], exp[z, 0, 0], and the derivatives exp[z, z, 0] and exp[z, z, 0, 0]."""

    zero: Complexes
    one: Complexes
    two: Complexes
    one_slope: Complexes
    two_slope: Complexes


def _exponentials(z: Complexes) -> _Exponentials:
    """Quotients such as those of eqs. 19 and 20 (Jin 2022), by power series where z is small."""
    small = np.abs(z) < SMALL
    at = np.where(small, 1.0, z)  # where the power series serves, any number that can be divided by
    zero = np.exp(z)
    one = (zero - 1.0) / at
    two = (one - 1.0) / at
    far = _Exponentials(zero, one, two, (zero - one) / at, (one - 2.0 * two) / at)
    at = np.where(small, z, 0.0)
    three = np.zeros_like(z)
    for n in range(TERMS, 3, -1):
        three = (1.0 + at * three) / n
    three = (1.0 + at * three) / 6.0
    two = 0.5 + at * three
    one = 1.0 + at * two
    close = _Exponentials(zero, one, two, one - two, two - 2.0 * three)
    return _Exponentials(*(np.where(small, a, b) for a, b in zip(close, far, strict=True)))

"""The equations of a step in the handles' coordinates: equation 6 of Romero 2021, and its derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...arrays import Doubles, Indices


@dataclass(frozen=True)
class Residual:
    """Equation 6 at free handles q (n, d), m: its left side (m,) N, along the directions of what is not held.

    energy, J: what it is the gradient of. x (S, d), m: the cubature's vertices there. outside, too_deep: see
    `Pose`.
    """

    value: Doubles
    energy: float
    q: Doubles
    x: Doubles
    outside: float
    too_deep: int
    directions: Doubles | Indices | slice


@dataclass(frozen=True)
class Jacobian:
    """Equation 4 at some q: slopes (m, d n), see `Pose`, and what the cubature's vertices make of it: changes
    (k, d d, d n) of F, and masses (d n, d n), J^T M J / dt^2.
    """

    slopes: Doubles
    changes: Doubles
    masses: Doubles


class Step(Protocol):
    """The equations of one step."""

    def moved(self, q: Doubles, move: Doubles) -> Doubles:
        """q (n, d) with what is not held moved by (m,)."""

    def residual(self, q: Doubles) -> Residual:
        """The left side of eq. 6 (Romero 2021), at free handles q (n, d)."""

    def jacobian(self, at: Residual) -> Jacobian:
        """Equation 4 there."""

    def hessian(self, at: Residual, jacobian: Jacobian) -> Doubles:
        """(m, m): J^T (M / dt^2 + K) J (Romero 2021, section 3.3), positive definite where there is one."""


class Whole(Protocol):
    """A Hessian by all free rows."""

    def __call__(self, *, projected: bool) -> Doubles:
        """(d n, d n); projected: of elements without negative curvature."""


def positive_definite(whole: Whole, directions: Doubles | Indices | slice) -> Doubles:
    """(m, m): along these directions; of projected elements where it isn't positive definite otherwise."""
    for projected in (False, True):
        by_rows = whole(projected=projected)
        hessian = along(along(by_rows, directions).T, directions)
        try:
            np.linalg.cholesky(hessian)
        except np.linalg.LinAlgError:
            continue
        break
    return hessian


def along(by_rows: Doubles, directions: Doubles | Indices | slice) -> Doubles:
    """(..., m): derivatives (..., d n) by the free rows, along their directions."""
    if isinstance(directions, np.ndarray) and directions.ndim == 2:
        return by_rows @ directions
    return by_rows[..., directions]

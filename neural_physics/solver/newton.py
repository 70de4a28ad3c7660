"""Projected Newton's method with a backtracking line search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Doubles

SUFFICIENT_DECREASE = 1e-4  # Armijo's: of the decrease that the slope promises
MOST_HALVINGS = 40
ROUNDING = 1e-13  # of the value: a smaller decrease cannot be seen in it


class Objective(Protocol):
    """A function of q (n,) to be minimised over its free entries."""

    def advance(self, q: Doubles) -> tuple[Doubles, bool]:
        """Advance what has a motion of its own; returns q then, and whether all of it has arrived.

        Called before each iteration. The same array where nothing has moved.
        """
        ...

    def value(self, q: Doubles) -> float:
        """May be infinite where q is not allowed."""
        ...

    def gradient(self, q: Doubles) -> Doubles:
        """(n,), 0 for entries that are not free."""
        ...

    def direction(self, q: Doubles, gradient: Doubles) -> Doubles:
        """(n,): -H^-1 gradient, H positive definite and near the Hessian; 0 for entries that are not free."""
        ...

    def size(self, direction: Doubles) -> float:
        """How far the direction goes, m."""
        ...

    def largest_step(self, q: Doubles, direction: Doubles) -> float:
        """How much of the direction, 0 < share <= 1, can be gone without leaving what is allowed."""
        ...


@dataclass(frozen=True)
class Minimum:
    """Where the search ended. error: how far the last Newton step went, m."""

    q: Doubles
    converged: bool
    iterations: int
    error: float


def minimise(objective: Objective, q: Doubles, tolerance: float, most_iterations: int = 100) -> Minimum:
    """Descend from an allowed q until a Newton step is no longer than `tolerance`, m.

    The last step, smaller than the tolerance, is taken too: near the minimum it leaves an error far below.
    """
    value, error = np.inf, np.inf
    for iteration in range(1, most_iterations + 1):
        before = q
        q, arrived = objective.advance(q)
        if iteration == 1 or q is not before:
            value = objective.value(q)
        gradient = objective.gradient(q)
        direction = objective.direction(q, gradient)
        error, slope = objective.size(direction), float(gradient @ direction)
        if not np.isfinite(error):
            return Minimum(q, False, iteration, error)
        share = objective.largest_step(q, direction)
        flat = -slope <= ROUNDING * abs(value)
        for _ in range(MOST_HALVINGS):
            tried = q + share * direction
            tried_value = objective.value(tried)
            if tried_value <= value + SUFFICIENT_DECREASE * share * slope or (
                flat and tried_value <= value + ROUNDING * abs(value)
            ):
                break
            share *= 0.5
        else:
            # At rest without energy there is no decrease to be seen, however small the step that is left.
            return Minimum(q, flat or (arrived and error <= tolerance), iteration, error)
        q, value = tried, tried_value
        if error <= tolerance and arrived:
            return Minimum(q, True, iteration, error)
    return Minimum(q, False, most_iterations, error)

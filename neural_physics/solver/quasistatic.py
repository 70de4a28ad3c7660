"""Where a solid rests while bones hold some of it: its quasistatic poses (Jin et al. 2022, section 3.1).

The equilibrium is the minimum of the potential without inertia, by projected Newton (Teran et al. 2005).
It is sought from where skinning takes the whole body, and where that does not lead to it, along the way there
from the shape at rest, in steps (continuation).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles
from .assembly import Assembly
from .implicit_euler import assembly_of
from .newton import minimise
from .potential import Potential
from .system import State, System

NOT_CONVERGED = "no equilibrium was found"
INVERTED = "tetrahedra are turned inside out"
INSIDE = "it passes through itself or through a collider"

RESIDUAL = 1e-5  # of the force that shears an element through: what may be left unbalanced at any vertex
STEP_LENGTH = 1e-4  # of an element's edge: the Newton step that is taken last; what it leaves is far below
TIGHTENINGS = 2  # of that, by a hundredth each, where forces are not balanced yet
MOST_ITERATIONS = 200
FIRST_STEP, SHORTEST_STEP = 0.25, 1.0 / 16.0  # of the way from the shape at rest
ON_THE_WAY = 100.0  # times as long a Newton step is the last one there: shapes in between are not kept

Path = Callable[[float], Doubles]


@dataclass(frozen=True)
class Settled:
    """Where a search for an equilibrium ended.

    q (n,). residual: the largest force that is left at a free entry, N. failure: why this is none, "" where
    it is one. solves: minima that were sought, 1 where skinning was enough.
    """

    q: Doubles
    residual: float
    failure: str
    solves: int


@dataclass(frozen=True)
class Scales:
    """What is small for a body. edge: the mean length of its elements' edges, m; force: N, what shears one of
    its elements through, about its shear modulus times the edge squared."""

    edge: float
    force: float


def settle(
    system: System, tetrahedra: NDArray[np.integer], path: Path, scales: Scales, *, time: float = 0.0
) -> Settled:
    """The equilibrium at the end of a path, if it is found; never a shape with an element inside out.

    A held pose of Jin 2022, section 3.1.
    tetrahedra (m, 4): the vertices of the elements that must not be, of which q (n,) has the coordinates
    first; those that are held at all four do not count. path: q of a share of the way from the shape at rest
    (0) to the pose (1): where entries that are not free are held, and where skinning takes the others. time,
    s: that of force and colliders, which stand.
    """
    search = _Search(system, tetrahedra, scales, time)
    end = path(1.0)
    found = search.minimum(end, end, np.zeros_like(end))
    return found if not found.failure else search.continued_along(path)


class _Search:
    """The minima that are sought for one pose."""

    def __init__(self, system: System, tetrahedra: NDArray[np.integer], scales: Scales, time: float) -> None:
        self._system, self._scales, self._time = system, scales, time
        self._vertices = 3 * (int(tetrahedra.max()) + 1)
        free = system.free[: self._vertices].reshape(-1, 3).any(axis=1)
        self._moving = tetrahedra[free[tetrahedra].any(axis=1)]
        self._assembly: Assembly = assembly_of(system)
        self._solves = 0

    def continued_along(self, path: Path) -> Settled:
        """Step by step from the shape at rest, each half as long where the one before was too long."""
        share, step, q = 0.0, FIRST_STEP, path(0.0)
        while True:
            ahead = min(1.0, share + step)
            goal = path(ahead)
            found = self.minimum(q, goal, goal - path(share), on_the_way=ahead < 1.0)
            if not found.failure:
                share, q = ahead, found.q
                if share == 1.0:
                    return found
            else:
                step *= 0.5
                if step < SHORTEST_STEP:
                    return found

    def minimum(self, q: Doubles, goal: Doubles, lead: Doubles, *, on_the_way: bool = False) -> Settled:
        """The minimum found from q, of which the entries that are not free go to the goal; all (n,).

        lead: by how much the others are advanced first, as far as nothing is in the way. on_the_way: whether
        the shape only leads to another one, so that forces need not be balanced.
        """
        self._solves += 1
        force = self._system.force(q, np.zeros_like(q), self._time)
        potential = Potential(self._system, self._assembly, force, goal, ahead=lead)
        try:
            potential.begin(State(q, np.zeros_like(q), self._time), 0.0)
        except ValueError:
            return Settled(q, np.inf, INSIDE, self._solves)
        allowed, tolerance = RESIDUAL * self._scales.force, STEP_LENGTH * self._scales.edge
        if on_the_way:
            allowed, tolerance = np.inf, ON_THE_WAY * tolerance
        for _ in range(1 + TIGHTENINGS):
            found = minimise(potential, q, tolerance, MOST_ITERATIONS)
            q, tolerance = found.q, 0.01 * tolerance
            residual = float(np.abs(potential.gradient(q)).max(initial=0.0))
            if not found.converged or residual <= allowed:
                break
        settled = residual <= allowed and (found.converged or not on_the_way)
        failure = NOT_CONVERGED if not settled else INVERTED if self._is_inverted(q) else ""
        return Settled(q, residual, failure, self._solves)

    def _is_inverted(self, q: Doubles) -> bool:
        corners = q[: self._vertices].reshape(-1, 3)[self._moving]
        return bool((np.linalg.det(corners[:, 1:] - corners[:, :1]) <= 0.0).any())

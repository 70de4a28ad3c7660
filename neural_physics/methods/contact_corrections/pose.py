"""The body at some place of its handles, and what it was corrected by (Romero 2021, eqs. 4 and 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from ...arrays import Doubles, Indices
from .networks import TanhNetwork


class Differentiable(Protocol):
    """What corrected a body, and says how its corrections change with the handles."""

    def slopes(self, pose: Pose) -> Doubles:
        """See `Pose`."""

    def pulled(self, pose: Pose, by_c: Doubles) -> Doubles:
        """See `Pose`."""


@dataclass(frozen=True)
class Rest:
    """r_int at some q: what its network was given, (i,), what its layers made of it, and R of A(q) (d, d)."""

    network: TanhNetwork
    features: Doubles
    activations: Sequence[Doubles]
    rotation: Doubles


@dataclass(frozen=True)
class Dent:
    """r_ext of one collider at some q. share, steepness: see `pressing`. moved (i, n, d): how what is seen
    of the collider changes with the free handles. corners (s,), weights (s,): of the deepest point. normal
    (d,): of the collider there.
    """

    share: float
    steepness: float
    network: TanhNetwork
    features: Doubles
    activations: Sequence[Doubles]
    moved: Doubles
    corners: Indices
    weights: Doubles
    normal: Doubles


@dataclass(frozen=True)
class Pose:
    """The body at some q: Q (h, d), m; c (m,) all corrections' coefficients.

    outside: the share of what r_int is given that is beyond its training. rest, dents: what c was made of.
    too_deep: how many colliders reach deeper than any did in training.
    """

    q: Doubles
    c: Doubles
    outside: float
    corrections: Differentiable
    rest: Rest | None = None
    dents: Sequence[Dent] = ()
    too_deep: int = 0

    @cached_property
    def slopes(self) -> Doubles:
        """(m, d n): the derivatives of c by the free handles' coordinates, 1/m (dr/dq of eq. 4)."""
        return self.corrections.slopes(self)

    def pulled(self, by_c: Doubles) -> Doubles:
        """(n, d): slopes^T by_c (m,), without the slopes themselves."""
        return self.corrections.pulled(self, by_c)

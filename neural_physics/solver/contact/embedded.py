"""Contact of points that elements carry: where these reach beyond the surface that is to touch, and
between the vertices of an outline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices
from ..terms.term import Term
from .friction import RigidFriction
from .rigid import RigidContact
from .rigid_motion import RigidMotion


@dataclass(frozen=True)
class Carrier:
    """P points, each of which follows the vertices of a tetrahedron; in a plane, those of a triangle.

    corners (P, d + 1): those vertices, of which q has the coordinates first. weights (P, d + 1), their sum 1.
    """

    corners: Indices
    weights: Doubles

    @property
    def dimension(self) -> int:
        """d."""
        return self.corners.shape[1] - 1

    @property
    def size(self) -> int:
        """The size of a stencil: d (d + 1)."""
        return self.dimension * (self.dimension + 1)

    @property
    def stencils(self) -> Indices:
        """(P, d (d + 1)): what of q each point depends on."""
        d = self.dimension
        return (d * self.corners[:, :, None] + np.arange(d)).reshape(-1, self.size)

    def apply(self, q: Doubles) -> Doubles:
        """(d P,): the coordinates of the points. A straight line in q (n,) is one here."""
        d = self.dimension
        return np.einsum("pk,pkd->pd", self.weights, q[self.stencils].reshape(-1, d + 1, d)).ravel()


class CarriedTerm:
    """A `Term` of points, one to each of its elements, as a `Term` of what carries them."""

    def __init__(self, term: Term, carrier: Carrier) -> None:
        """term: of (d P,), the points' coordinates."""
        self._term, self._carrier = term, carrier

    @property
    def stencils(self) -> Indices:
        """(m, d (d + 1))."""
        return self._carrier.stencils[self._points]

    def value(self, q: Doubles) -> Doubles:
        """(m,)."""
        return self._term.value(self._carrier.apply(q))

    def gradient(self, q: Doubles) -> Doubles:
        """(m, d (d + 1))."""
        gradient = self._term.gradient(self._carrier.apply(q))
        return (self._weights[:, :, None] * gradient[:, None, :]).reshape(-1, self._carrier.size)

    def hessian(self, q: Doubles) -> Doubles:
        """(m, d (d + 1), d (d + 1)), semi-definite as that of the points is."""
        hessian = self._term.hessian(self._carrier.apply(q))
        weights, size = self._weights, self._carrier.size
        return np.einsum("mk,ml,mij->mkilj", weights, weights, hessian).reshape(-1, size, size)

    @property
    def _points(self) -> Indices:
        return self._term.stencils[:, 0] // self._carrier.dimension

    @property
    def _weights(self) -> Doubles:
        return self._carrier.weights[self._points]


class CarriedFriction(CarriedTerm):
    """What `RigidFriction` is to vertices, for points that are carried."""

    def __init__(self, friction: RigidFriction, carrier: Carrier) -> None:
        super().__init__(friction, carrier)
        self._friction = friction

    def observe(self, q: Doubles) -> None:
        """See `RigidFriction`."""
        self._friction.observe(self._carrier.apply(q))


class EmbeddedContact(CarriedTerm):
    """What `RigidContact` is to vertices, for points that are carried; it is used in the same way."""

    def __init__(self, points: RigidContact, carrier: Carrier) -> None:
        """points: contact of the points, which are its vertices."""
        super().__init__(points, carrier)
        self._contact = points
        self._motions: Sequence[RigidMotion] = ()

    @property
    def progress(self) -> float:
        """The share of their motion of this step that the colliders have made."""
        return self._contact.progress

    def begin_step(self, q: Doubles, motions: Sequence[RigidMotion]) -> None:
        """See `RigidContact`. Raises ValueError where points are in a collider."""
        self._motions = motions
        self._contact.begin_step(self._carrier.apply(q), motions)

    def largest_step(self, q: Doubles, direction: Doubles) -> float:
        """See `RigidContact`."""
        return self._contact.largest_step(self._carrier.apply(q), self._carrier.apply(direction))

    def largest_advance(self, q: Doubles, direction: Doubles) -> float:
        """See `RigidContact`."""
        return self._contact.largest_advance(self._carrier.apply(q), self._carrier.apply(direction))

    def advance(self, share: float) -> None:
        """See `RigidContact`."""
        self._contact.advance(share)

    def carry(self, q: Doubles, lead: Doubles) -> Doubles:
        """The lead (n,), changed where colliders are about to be in the way of points.

        What carries such a point goes along with the collider: then so do all points that it carries, and
        those that are pressed keep their distance exactly, as they must where that is tiny.
        """
        if self.progress == 1.0 or not self._motions:
            return lead
        lead, points, of_points = lead.copy(), self._carrier.apply(q), self._carrier.apply(lead)
        d = self._carrier.dimension
        changed = self._contact.carry(points, of_points) != of_points
        asked = np.flatnonzero(changed.reshape(-1, d).any(axis=1))
        poses = [motion.at(self.progress) for motion in self._motions]
        places = points.reshape(-1, d)[asked]
        distances = [
            collider.shape.distance(pose.to_own(places))
            for collider, pose in zip(self._contact.colliders, poses, strict=True)
        ]
        nearest = np.argmin(distances, axis=0)
        for index, (motion, pose) in enumerate(zip(self._motions, poses, strict=True)):
            carrying = np.unique(self._carrier.corners[asked[nearest == index]])
            dofs = d * carrying[:, None] + np.arange(d)
            lead[dofs] = motion.end.to_world(pose.to_own(q[dofs])) - q[dofs]
        return lead

    def rubbed(self, friction: RigidFriction, q: Doubles) -> CarriedFriction:
        """Friction of what is pressed at q (n,), where a step begins."""
        points = self._carrier.apply(q)
        friction.lag(self._contact.contacts(points), points)
        return CarriedFriction(friction, self._carrier)

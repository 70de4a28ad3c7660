"""Contact of points that tetrahedra carry, where these reach beyond the surface that is meant to touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .friction import RigidFriction
from .rigid_contact import RigidContact
from .rigid_motion import RigidMotion
from .term import Array, Indices, Term


@dataclass(frozen=True)
class Carrier:
    """P points that each follow the four vertices of a tetrahedron.

    corners (P, 4): those vertices, of which q has the coordinates first. weights (P, 4), with the sum 1.
    """

    corners: Indices
    weights: Array

    @property
    def stencils(self) -> Indices:
        """(P, 12): what of q each point depends on."""
        return (3 * self.corners[:, :, None] + np.arange(3)).reshape(-1, 12)

    def apply(self, q: Array) -> Array:
        """(3 P,): the coordinates of the points. A straight line in q (n,) is one here."""
        return np.einsum("pk,pkd->pd", self.weights, q[self.stencils].reshape(-1, 4, 3)).ravel()


class CarriedTerm:
    """A `Term` of points, one to each of its elements, as a `Term` of what carries them."""

    def __init__(self, term: Term, carrier: Carrier) -> None:
        """term: of (3 P,), the points' coordinates."""
        self._term, self._carrier = term, carrier

    @property
    def stencils(self) -> Indices:
        """(m, 12)."""
        return self._carrier.stencils[self._points]

    def value(self, q: Array) -> Array:
        """(m,)."""
        return self._term.value(self._carrier.apply(q))

    def gradient(self, q: Array) -> Array:
        """(m, 12)."""
        gradient = self._term.gradient(self._carrier.apply(q))
        return (self._weights[:, :, None] * gradient[:, None, :]).reshape(-1, 12)

    def hessian(self, q: Array) -> Array:
        """(m, 12, 12), semi-definite as that of the points is."""
        hessian = self._term.hessian(self._carrier.apply(q))
        weights = self._weights
        return np.einsum("mk,ml,mij->mkilj", weights, weights, hessian).reshape(-1, 12, 12)

    @property
    def _points(self) -> Indices:
        return self._term.stencils[:, 0] // 3

    @property
    def _weights(self) -> Array:
        return self._carrier.weights[self._points]


class CarriedFriction(CarriedTerm):
    """What `RigidFriction` is to vertices, for points that are carried."""

    def __init__(self, friction: RigidFriction, carrier: Carrier) -> None:
        super().__init__(friction, carrier)
        self._friction = friction

    def observe(self, q: Array) -> None:
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

    def begin_step(self, q: Array, motions: Sequence[RigidMotion]) -> None:
        """See `RigidContact`. Raises ValueError where points are in a collider."""
        self._motions = motions
        self._contact.begin_step(self._carrier.apply(q), motions)

    def largest_step(self, q: Array, direction: Array) -> float:
        """See `RigidContact`."""
        return self._contact.largest_step(self._carrier.apply(q), self._carrier.apply(direction))

    def largest_advance(self, q: Array, direction: Array) -> float:
        """See `RigidContact`."""
        return self._contact.largest_advance(self._carrier.apply(q), self._carrier.apply(direction))

    def advance(self, share: float) -> None:
        """See `RigidContact`."""
        self._contact.advance(share)

    def carry(self, q: Array, lead: Array) -> Array:
        """The lead (n,), changed where colliders are about to be in the way of points.

        What carries such a point goes along with the collider: then so do all points that it carries, and
        those that are pressed keep their distance exactly, as they must where that is tiny.
        """
        if self.progress == 1.0 or not self._motions:
            return lead
        lead, points, of_points = lead.copy(), self._carrier.apply(q), self._carrier.apply(lead)
        changed = self._contact.carry(points, of_points) != of_points
        asked = np.flatnonzero(changed.reshape(-1, 3).any(axis=1))
        poses = [motion.at(self.progress) for motion in self._motions]
        places = points.reshape(-1, 3)[asked]
        distances = [
            collider.shape.distance(pose.to_own(places))
            for collider, pose in zip(self._contact.colliders, poses, strict=True)
        ]
        nearest = np.argmin(distances, axis=0)
        for index, (motion, pose) in enumerate(zip(self._motions, poses, strict=True)):
            carrying = np.unique(self._carrier.corners[asked[nearest == index]])
            dofs = 3 * carrying[:, None] + np.arange(3)
            lead[dofs] = motion.end.to_world(pose.to_own(q[dofs])) - q[dofs]
        return lead

    def rubbed(self, friction: RigidFriction, q: Array) -> CarriedFriction:
        """Friction of what is pressed at q (n,), where a step begins."""
        points = self._carrier.apply(q)
        friction.lag(self._contact.contacts(points), points)
        return CarriedFriction(friction, self._carrier)

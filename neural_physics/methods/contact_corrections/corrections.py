"""What is learned on top of the blend: x = W Q + F r, r = r_int + r_ext (Romero 2021, eqs. 1 and 7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices
from .contact import Contact, Placed
from .handles import Handles
from .locator import Locator, seen_of
from .networks import TanhNetwork


@dataclass(frozen=True)
class Correction:
    """A network whose outputs are coefficients of bases (m, B, d), metres, in the axes of rest."""

    network: TanhNetwork
    basis: Doubles


@dataclass(frozen=True)
class Surface:
    """What contact is felt at, and where: see `Contact`. vertices: of the body, those that carry it."""

    contact: Contact
    vertices: Indices


@dataclass(frozen=True)
class Pose:
    """The body at some q: Q (h, d), m; c (m,) all corrections' coefficients.

    slopes (m, d n): their derivatives by the free handles' coordinates, 1/m. outside: the share of what r_int
    is given that is beyond its training.
    """

    q: Doubles
    c: Doubles
    slopes: Doubles
    outside: float


def internal_features(q: Doubles, rotation: Doubles, place: Doubles) -> Doubles:
    """(..., d h): all rows of Q (..., h, d), as seen from the anchor.

    The argument of r_int (Romero 2021, eq. 7, where it is q itself).
    """
    relative = (q - place[..., None, :]) @ rotation
    return relative.reshape(*q.shape[:-2], -1)


GROWTH = 1.25  # with what power of its depth a dent grows; measured, see docs/methods/contact_corrections.md


def pressing(depth: float, reference_depth: float) -> tuple[float, float]:
    """What r_ext's network is multiplied by where a collider reaches `depth` metres into the body that r_int
    gives, and its derivative, 1/m: nothing where it does not touch.
    """
    share = max(depth, 0.0) / reference_depth
    return share**GROWTH, GROWTH * share ** (GROWTH - 1.0) / reference_depth


class Corrections:
    """r_int, r_ext, both or none of them (Romero 2021, eq. 7).

    r_ext is added up over the colliders that move (superposition), each with a `pressing` of its own.
    """

    def __init__(
        self,
        handles: Handles,
        internal: Correction | None,
        external: Correction | None,
        surface: Surface,
        *,
        reference_depth: float,
        oriented: bool,
    ) -> None:
        """oriented: whether the inputs of r_ext include how colliders are turned."""
        self._handles, self._internal, self._external = handles, internal, external
        given = [each.basis for each in (internal, external) if each is not None]
        self.basis = np.concatenate(given) if given else np.zeros((0, *handles.gradients.shape[:2]))
        self._reference_depth, self._oriented = reference_depth, oriented
        self._inner = len(internal.basis) if internal else 0
        self._contact = surface.contact
        self._surface = Part(handles, self.basis, surface.vertices)
        self._locate = Locator(handles, surface.vertices)

    def pose(self, q: Doubles, placed: Placed, sizes: Doubles, turned: Doubles | None = None) -> Pose:
        """The body at Q (h, d), with colliders in their places, of which the first (k,) move, of sizes in m.

        r (Romero 2021, eq. 7) and dr/dq (eq. 4), as coefficients and their slopes.

        turned (d, d): the anchor's rotation, where it is known, or does not follow from Q.
        """
        place = q[self._handles.anchor].mean(0)
        rotation = self._handles.placement(q)[0] if turned is None else turned
        n, d = self._handles.free, q.shape[1]
        c, slopes, outside = np.zeros(len(self.basis)), np.zeros((len(self.basis), n, d)), 0.0
        inner = slice(0, self._inner)
        if self._internal is not None:
            features = internal_features(q, rotation, place)
            network = self._internal.network
            outside = network.outside(features)
            c[inner], slope = network.with_jacobian(features)
            slopes[inner] = slope[:, : d * n].reshape(-1, n, d) @ rotation.T
            if len(self._handles.rest) == n:
                # The anchor is the free points' own middle: it goes along with them.
                slopes[inner] -= slopes[inner].mean(1, keepdims=True)
        if self._external is not None and len(sizes):
            outer = slice(self._inner, None)
            # As it is without any collider: what these add does not change how deep the others are.
            inner_pose = Pose(q, c.copy(), slopes.reshape(len(c), d * n).copy(), outside)
            surface = self._surface.positions(inner_pose)
            contact = self._contact
            for number, size in enumerate(sizes):
                pressed = contact.deepest(surface, number, placed)
                if pressed is not None:
                    depth, point, normal = pressed
                    share, steepness = pressing(depth, self._reference_depth)
                    shape, centre, turn = contact.shapes[number], placed.centres[number], placed.turns[number]
                    at_rest, moved = self._locate(seen_of(shape, centre, turn, oriented=self._oriented), q)
                    found, slope = self._external.network.with_jacobian(np.append(at_rest, size))
                    c[outer] += share * found
                    slopes[outer] += share * np.einsum("ma,anb->mnb", slope[:, :-1], moved)
                    corners, weights = contact.corners[point], contact.weights[point]
                    retreat = weights @ (normal @ self._surface.jacobian(inner_pose, corners))
                    slopes[outer] -= steepness * np.multiply.outer(found, retreat.reshape(n, d))
        return Pose(q, c, slopes.reshape(len(c), d * n), outside)


class Part:
    """Some of the body's vertices, corrected."""

    def __init__(self, handles: Handles, basis: Doubles, vertices: Indices) -> None:
        self._handles = handles.at(vertices)
        count = len(vertices)
        self._basis = np.ascontiguousarray(basis[:, vertices].reshape(len(basis), basis.shape[2] * count).T)
        self.count = count

    def positions(self, pose: Pose) -> Doubles:
        """(S, d) m: equation 1."""
        x = self._handles.positions(pose.q)
        if len(pose.c):
            r = (self._basis @ pose.c).reshape(self.count, -1, 1)
            x = x + (self._handles.deformation(pose.q) @ r)[:, :, 0]
        return x

    def jacobian(self, pose: Pose, some: Indices | None = None) -> Doubles:
        """(S, d, d n): U + F dr/dq (equation 4); of some of its vertices (S,) only, where they are given."""
        handles, basis = self._handles, self._basis
        if some is not None:
            handles = handles.at(some)
            bases, axes = basis.shape[1], handles.rest.shape[1]
            basis = basis.reshape(self.count, axes, bases)[some].reshape(axes * len(some), bases)
        count, n, d = len(handles.weights), handles.free, handles.rest.shape[1]
        jacobian = np.zeros((count, d, n, d))
        for axis in range(d):
            jacobian[:, axis, :, axis] = handles.weights[:, :n]
        found = jacobian.reshape(count, d, d * n)
        if len(pose.c):
            local = (basis @ pose.slopes).reshape(count, d, d * n)
            found += handles.deformation(pose.q) @ local
        return found

"""What is learned on top of the blend: x = W Q + F r, r = r_int + r_ext (Romero 2021, eqs. 1 and 7)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices
from .contact import Contact, Placed
from .handles import Handles
from .locator import Locator, seen_of
from .networks import TanhNetwork
from .part import Part
from .pose import Dent, Pose, Rest


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


def internal_features(q: Doubles, rotation: Doubles, place: Doubles) -> Doubles:
    """(..., d h): all rows of Q (..., h, d), as seen from the anchor.

    The argument of r_int (Romero 2021, eq. 7, where it is q itself).
    """
    relative = (q - place[..., None, :]) @ rotation
    return relative.reshape(*q.shape[:-2], -1)


GROWTH = 1.25  # with what power of its depth a dent grows; measured, see docs/methods/contact_corrections.md


def pressing(depth: float, reference_depth: float, deepest: float = math.inf) -> tuple[float, float]:
    """What r_ext's network is multiplied by where a collider reaches `depth` metres into the body that r_int
    gives, and its derivative, 1/m: nothing where it does not touch, and from `deepest` on no more.
    """
    share = min(max(depth, 0.0), deepest) / reference_depth
    grows = GROWTH * share ** (GROWTH - 1.0) / reference_depth
    return share**GROWTH, grows if depth < deepest else 0.0


def depth_of(share: float, reference_depth: float) -> float:
    """How deep a collider reaches, m, where r_ext's network is multiplied by a share; see `pressing`."""
    depth: float = reference_depth * share ** (1.0 / GROWTH)
    return depth


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
        deepest: float = math.inf,
    ) -> None:
        """oriented: whether the inputs of r_ext include how colliders are turned. deepest: m, how deep they
        were pressed in for r_ext to learn from.
        """
        self._handles, self.internal, self.external = handles, internal, external
        given = [each.basis for each in (internal, external) if each is not None]
        self.basis = np.concatenate(given) if given else np.zeros((0, *handles.gradients.shape[:2]))
        self.reference_depth, self.deepest, self.oriented = reference_depth, deepest, oriented
        self._inner = len(internal.basis) if internal else 0
        self._contact = surface.contact
        self._surface = Part(handles, self.basis, surface.vertices)
        self.locator = Locator(handles, surface.vertices)
        # The anchor is then the free points' own middle: it goes along with them.
        self.floats = len(handles.rest) == handles.free

    def pose(self, q: Doubles, placed: Placed, sizes: Doubles, turned: Doubles | None = None) -> Pose:
        """The body at Q (h, d), with colliders in their places, of which the first (k,) move, of sizes in m.

        r (Romero 2021, eq. 7), as coefficients.

        turned (d, d): the anchor's rotation, where it is known, or does not follow from Q.
        """
        c, outside, rest = np.zeros(len(self.basis)), 0.0, None
        if self.internal is not None:
            place = q[self._handles.anchor].mean(0)
            rotation = self._handles.placement(q)[0] if turned is None else turned
            network, features = self.internal.network, internal_features(q, rotation, place)
            outside = network.outside(features)
            rest = Rest(network, features, network.activations(features), rotation)
            c[: self._inner] = rest.activations[-1]
        dents, too_deep = self._dents(Pose(q, c.copy(), outside, self, rest), placed, sizes)
        for dent in dents:
            c[self._inner :] += dent.share * dent.activations[-1]
        return Pose(q, c, outside, self, rest, dents=dents, too_deep=too_deep)

    def _dents(self, pose: Pose, placed: Placed, sizes: Doubles) -> tuple[list[Dent], int]:
        """Of colliders that press into the body as it is without any: so none changes how deep others are.

        How many reach deeper than was learned, too.
        """
        found, too_deep = list[Dent](), 0
        if self.external is None or not len(sizes):
            return found, too_deep
        network, contact = self.external.network, self._contact
        deepest = contact.deepest(self._surface.positions(pose), placed, len(sizes))
        for number, (size, pressed) in enumerate(zip(sizes, deepest, strict=True)):
            if pressed is None:
                continue
            depth, point, normal = pressed
            too_deep += depth > self.deepest
            shape, centre, turn = contact.shapes[number], placed.centres[number], placed.turns[number]
            at_rest, moved = self.locator(seen_of(shape, centre, turn, oriented=self.oriented), pose.q)
            features = np.append(at_rest, size)
            found.append(
                Dent(
                    *pressing(depth, self.reference_depth, self.deepest),
                    network,
                    features,
                    network.activations(features),
                    moved,
                    corners=contact.corners[point],
                    weights=contact.weights[point],
                    normal=normal,
                )
            )
        return found, too_deep

    def slopes(self, pose: Pose) -> Doubles:
        """See `Pose`."""
        (n, d), inner = (self._handles.free, pose.q.shape[1]), self._inner
        slopes = np.zeros((len(self.basis), n, d))
        if pose.rest is not None:
            by_features = pose.rest.network.jacobian(pose.rest.features, pose.rest.activations)
            slopes[:inner] = by_features[:, : d * n].reshape(-1, n, d) @ pose.rest.rotation.T
            if self.floats:
                slopes[:inner] -= slopes[:inner].mean(1, keepdims=True)
        by_rest = slopes[:inner].reshape(inner, n * d)
        for dent in pose.dents:
            slope = dent.network.jacobian(dent.features, dent.activations)[:, :-1]
            slopes[inner:] += dent.share * np.tensordot(slope, dent.moved, 1)
            by_q, by_inner = self._pulled_at_rest(pose, dent.corners, dent.weights[:, None] * dent.normal)
            retreat = by_q + (by_inner @ by_rest).reshape(n, d)
            slopes[inner:] -= dent.steepness * np.multiply.outer(dent.activations[-1], retreat)
        return slopes.reshape(-1, d * n)

    def pulled(self, pose: Pose, by_c: Doubles) -> Doubles:
        """See `Pose`."""
        (n, d), inner = (self._handles.free, pose.q.shape[1]), self._inner
        found, by_inner = np.zeros((n, d)), by_c[:inner]
        for dent in pose.dents:
            by_outer = by_c[inner:]
            back = dent.network.pulled(dent.features, dent.activations, by_outer)[:-1]
            found += dent.share * np.tensordot(back, dent.moved, 1)
            # The deeper, the more of the dent; and how deep it is, the body without it decides.
            deeper = dent.steepness * float(dent.activations[-1] @ by_outer)
            push = (-deeper * dent.weights)[:, None] * dent.normal
            by_q, back = self._pulled_at_rest(pose, dent.corners, push)
            found += by_q
            by_inner = by_inner + back
        if pose.rest is not None:
            rest = pose.rest
            back = rest.network.pulled(rest.features, rest.activations, by_inner)[: d * n]
            back = back.reshape(n, d) @ rest.rotation.T
            found += back - back.mean(0) if self.floats else back
        return found

    def _pulled_at_rest(self, pose: Pose, some: Indices, forces: Doubles) -> tuple[Doubles, Doubles]:
        """See `Part.pulled_at`, of the surface as r_int alone has it, and by its coefficients."""
        c = pose.c.copy()
        c[self._inner :] = 0.0
        by_q, by_c = self._surface.pulled_at(some, forces, pose.q, c)
        return by_q, by_c[: self._inner]

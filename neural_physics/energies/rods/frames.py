"""Kinematics of discrete elastic rods: strands, reference frames and what is measured at each joint.

A joint is an inner vertex i of a strand, with the edges e^{i-1} before it and e^i after it. Reference frames
(d1, d2, t) are parallel-transported in time (Bergou, Audoly, Vouga, Wardetzky, Grinspun 2010, "Discrete
viscous threads"): they are kept as of the last accepted state, and at any other state are those, turned by
the least rotation from the old tangent to the new one. So measured, all is a function of positions and thetas
alone as long as the kept frames stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices
from ..array_module import module_of


@dataclass(frozen=True)
class Strands:
    """Any number of rods, open or closed, in one set of arrays.

    edges (n, 2): vertices from and to. joints (m, 2): edges before and after each inner vertex.
    places (n,): how many edges of its strand come before each edge.
    """

    edges: Indices
    joints: Indices
    places: Indices

    @property
    def corners(self) -> Indices:
        """(m, 3): the vertices i-1, i and i+1 of each joint."""
        before, after = self.edges[self.joints[:, 0]], self.edges[self.joints[:, 1]]
        return np.column_stack([before, after[:, 1]])


@dataclass(frozen=True)
class ReferenceFrames:
    """The frames kept of an accepted state, for both edges of each joint; float64 or tensors.

    tangents (m, 2, 3): unit. d1 (m, 2, 3): unit and normal to them; d2 = t x d1.
    twists (m,): radians by which d1 of the first edge, transported to the second, must turn about it to
    become d1 of the second. Not confined to one turn.
    """

    tangents: Doubles
    d1: Doubles
    twists: Doubles


@dataclass(frozen=True)
class Joints:
    """What is measured at m joints; float64 or tensors, with any axes in front.

    lengths (..., m, 2), tangents (..., m, 2, 3) and material directors m1, m2 (..., m, 2, 3) of both edges.
    chi (..., m): 1 + t^{i-1} . t^i. binormals (..., m, 3): the curvature binormal, integrated (a pure
    number). twists (..., m): m_i = theta^i - theta^{i-1} + reference twist, radians.
    """

    lengths: Doubles
    tangents: Doubles
    m1: Doubles
    m2: Doubles
    chi: Doubles
    binormals: Doubles
    twists: Doubles


def adapted_frames(
    positions: Doubles, strands: Strands, directions: Doubles | None = None
) -> tuple[ReferenceFrames, Doubles]:
    """Frames without reference twist, by parallel transport along each strand from its first edge.

    positions (V, 3), metres. directions (S, 3): where d1 of each strand's first edge shall point, as far as
    it can; where None, along the coordinate axis that is most nearly normal to the edge. On a closed strand
    the last joint's reference twist takes what is left over after one round, within half a turn.
    Returns the frames and d1 of all edges (n, 3). Raises ValueError where an edge has no length or a
    direction is along its edge.
    """
    edges = np.diff(positions[strands.edges], axis=1)[:, 0]
    lengths = np.linalg.norm(edges, axis=-1, keepdims=True)
    if not (lengths > 0.0).all():
        raise ValueError("an edge has no length")
    tangents = edges / lengths
    d1 = np.empty_like(tangents)
    # All strands' first edges, then all their second ones, and so on.
    waves = np.split(np.argsort(strands.places, kind="stable"), np.cumsum(np.bincount(strands.places))[:-1])
    first = tangents[waves[0]]
    towards = np.eye(3)[np.abs(first).argmin(-1)] if directions is None else directions
    if not (np.linalg.norm(cross(first, towards), axis=-1) > 1e-9 * np.linalg.norm(towards, axis=-1)).all():
        raise ValueError("a direction is along its edge")
    d1[waves[0]] = _normal_unit(towards, first)
    for wave in waves[1:]:
        transported = parallel_transport(d1[wave - 1], tangents[wave - 1], tangents[wave])
        d1[wave] = _normal_unit(transported, tangents[wave])
    t, d = tangents[strands.joints], d1[strands.joints]
    return ReferenceFrames(t, d, _reference_twists(t, d, np.zeros(len(t)))), d1


def transported_frames(frames: ReferenceFrames, positions: Doubles) -> ReferenceFrames:
    """The frames at a newly accepted state, by parallel transport in time; reference twists follow.

    positions (m, 3, 3): of each joint's three vertices, metres.
    """
    edges = np.diff(positions, axis=1)
    tangents = edges / np.linalg.norm(edges, axis=-1, keepdims=True)
    d1 = _normal_unit(parallel_transport(frames.d1, frames.tangents, tangents), tangents)
    return ReferenceFrames(tangents, d1, _reference_twists(tangents, d1, frames.twists))


def joints_at(positions: Doubles, thetas: Doubles, frames: ReferenceFrames) -> Joints:
    """Measure the joints at a state.

    positions (..., m, 3, 3): of each joint's three vertices, metres. thetas (..., m, 2): of its two edges,
    radians. Arrays, or tensors as the frames then are, too. Not finite where an edge has no length or a joint
    is folded back onto itself, where the curvature is infinite.
    Source: Bergou et al. 2010; the binormal: Bergou et al. 2008, equation 1.
    """
    xp = module_of(positions)
    edges = positions[..., 1:, :] - positions[..., :-1, :]
    lengths = xp.sqrt((edges * edges).sum(-1))
    t = edges / lengths[..., None]
    d1 = parallel_transport(frames.d1, frames.tangents, t)
    d2 = cross(t, d1)
    cosines, sines = xp.cos(thetas)[..., None], xp.sin(thetas)[..., None]
    chi = _one_plus_cosine(t[..., 0, :], t[..., 1, :])
    return Joints(
        lengths=lengths,
        tangents=t,
        m1=cosines * d1 + sines * d2,
        m2=cosines * d2 - sines * d1,
        chi=chi,
        binormals=2.0 * cross(t[..., 0, :], t[..., 1, :]) / chi[..., None],
        twists=thetas[..., 1] - thetas[..., 0] + _reference_twists(t, d1, frames.twists),
    )


def parallel_transport(vectors: Doubles, start: Doubles, end: Doubles) -> Doubles:
    """Turn vectors by the least rotation that takes `start` to `end`; all (..., 3), the latter two unit.

    Where the two are opposite no rotation is the least, and one by half a turn is taken.
    arrays or tensors.
    """
    both, chi = start + end, _one_plus_cosine(start, end)
    # Closer to opposite than this, `both` is little more than what rounding left over.
    determined = chi > 1e-20
    shrink = determined * (both * vectors).sum(-1) / chi.clip(1e-20)
    return vectors - shrink[..., None] * both + 2.0 * (start * vectors).sum(-1)[..., None] * end


def time_holonomy(tangents: Doubles, lengths: Doubles, kept: Doubles) -> tuple[Doubles, Doubles]:
    """How the frames turn about their edges as the edges change, other than by transport from where they are.

    The frames come from the kept tangents by one transport, so that moving an edge by de makes them turn
    by g . de more than transport from the present tangent would; g is the area swept on the sphere.
    tangents, kept (m, 2, 3), unit; lengths (m, 2). Returns g (m, 2, 3), 1 / m, and the symmetric part
    (m, 2, 3, 3) of its derivative. Both vanish where the tangents are the kept ones.
    """
    chi = _one_plus_cosine(kept, tangents)[..., None]
    g = -cross(kept, tangents) / (chi * lengths[..., None])
    # The derivative of log(|e|^2 chi), by which u x e is divided in g.
    logarithmic = ((1.0 + chi) * tangents + kept) / (chi * lengths[..., None])
    slope = -0.5 * g[..., :, None] * logarithmic[..., None, :]
    return g, slope + slope.swapaxes(-1, -2)


def cross(a: Doubles, b: Doubles) -> Doubles:
    """The cross product along the last axis; arrays or tensors, broadcast."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    product: Doubles = module_of(a).stack((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), -1)
    return product


def _reference_twists(tangents: Doubles, d1: Doubles, near: Doubles) -> Doubles:
    """(..., m), the turn nearest to `near` that takes the first edge's d1, transported, to the second's."""
    xp = module_of(tangents)
    onto = tangents[..., 1, :]
    moved = parallel_transport(d1[..., 0, :], tangents[..., 0, :], onto)
    across = cross(onto, moved)
    turned = xp.cos(near)[..., None] * moved + xp.sin(near)[..., None] * across
    sine, cosine = (onto * cross(turned, d1[..., 1, :])).sum(-1), (turned * d1[..., 1, :]).sum(-1)
    twists: Doubles = near + xp.arctan2(sine, cosine)
    return twists


def _one_plus_cosine(a: Doubles, b: Doubles) -> Doubles:
    """1 + a . b of unit vectors, to full relative precision where they are nearly opposite, too."""
    both = a + b
    total: Doubles = 0.5 * (both * both).sum(-1)
    return total


def _normal_unit(vectors: Doubles, tangents: Doubles) -> Doubles:
    """The vectors' parts normal to unit tangents, made unit."""
    normal = vectors - (vectors * tangents).sum(-1)[..., None] * tangents
    unit: Doubles = normal / np.linalg.norm(normal, axis=-1, keepdims=True)
    return unit

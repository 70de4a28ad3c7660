"""The signed angle between two triangles that share an edge, its gradient and its exact Hessian.

A hinge is (m, 4, 3), metres: x0 and x1 are the ends of the edge, x2 completes the first triangle
(x0, x1, x2), x3 the other (x1, x0, x3). The angle is that between the normals: zero where flat, positive
where the edge is a ridge as seen from the side that the normals point to; it lies in [-pi, pi], smooth
but for the fold onto itself, where it jumps from pi to -pi.

Written from the two heights over the edge: with n the unit normal of a triangle, m the unit vector in it
that stands on the edge and points to the third vertex, h that height and t its foot from x0 to x1, moving
the vertices changes the angle by -(1/h) n . (dx - (1 - t) dx0 - t dx1), summed over both triangles
(Bridson, Marino and Fedkiw 2003, section 4.1). The Hessian is the derivative of that; it agrees with
Tamstorf and Grinspun 2013, section 4. Where a triangle has no area, its part of both is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Doubles
from ..array_module import module_of


def angle(hinges: Any) -> Any:  # noqa: ANN401 (an array or a tensor, and the same comes back)
    """Angles (m,) in radians of hinges (m, 4, 3); arrays or tensors. Zero for a triangle without area."""
    xp = module_of(hinges)
    edge = hinges[:, 1] - hinges[:, 0]
    second = hinges[:, 3] - hinges[:, 0]
    first_normal = _cross(edge, hinges[:, 2] - hinges[:, 0])
    other_normal = _cross(second, edge)
    # |n1 x n2| = |edge| |n1 . second|: one product less than from the normals, and exact where flat.
    sine = -xp.sqrt((edge * edge).sum(-1)) * (first_normal * second).sum(-1)
    return xp.arctan2(sine, (first_normal * other_normal).sum(-1))


def wrapped(turn: Any) -> Any:  # noqa: ANN401
    """An angle brought to [-pi, pi], radians; arrays or tensors.

    An angle less its rest angle must be wrapped: the energy of it is then continuous where the angle
    itself jumps.
    """
    return turn - 2.0 * np.pi * module_of(turn).round(turn / (2.0 * np.pi))


def gradient(hinges: Doubles) -> Doubles:
    """Derivatives (m, 12) in rad/m of the angle of hinges (m, 4, 3) by x0, x1, x2 and x3."""
    total = np.zeros(hinges.shape)
    for side in _sides(hinges):
        total -= side.lever[:, :, None] * (side.normal * side.inverse_height[:, None])[:, None, :]
    return total.reshape(-1, 12)


def hessian(hinges: Doubles) -> Doubles:
    """Second derivatives (m, 12, 12) in rad/m^2 of the angle of hinges (m, 4, 3); indefinite."""
    turns, slides = products(hinges)
    half = turns.swapaxes(1, 2) @ slides
    return half + half.swapaxes(1, 2)


def products(hinges: Doubles) -> tuple[Doubles, Doubles]:
    """What the Hessian is the sum of: a b^T + b a^T for the four rows a, b of the two (m, 4, 12) returned.

    Every a moves vertices along a triangle's normal, its b in that triangle's plane: a and b are
    perpendicular, and the only eigenvalues of each product are |a| |b| and -|a| |b|.
    """
    edge = hinges[:, 1] - hinges[:, 0]
    inverse_length = _inverse(np.sqrt((edge * edge).sum(-1)))[:, None]
    along = edge * inverse_length
    turns, slides = np.zeros((2, len(hinges), 4, 4, 3))
    for i, side in enumerate(_sides(hinges)):
        lever, inverse_height = side.lever[:, :, None], side.inverse_height[:, None]
        turns[:, 2 * i] = lever * side.normal[:, None, :]
        slides[:, 2 * i] = lever * (side.inward * inverse_height**2)[:, None, :]
        # The edge itself turns: its ends move apart along the normal.
        turns[:, 2 * i + 1, 0], turns[:, 2 * i + 1, 1] = -side.normal, side.normal
        slides[:, 2 * i + 1] = lever * (along * inverse_height * inverse_length)[:, None, :]
        slides[:, 2 * i + 1, 0] -= 0.5 * side.inward * inverse_length**2
        slides[:, 2 * i + 1, 1] += 0.5 * side.inward * inverse_length**2
    return turns.reshape(-1, 4, 12), slides.reshape(-1, 4, 12)


def convex_rows(hinges: Doubles, weights: Doubles) -> Doubles:
    """r (m, 4, 12) such that r^T r is positive semi-definite and no less than weights (m,) times the Hessian.

    Each product of `products` is replaced by its part with the positive eigenvalue.
    """
    turns, slides = products(hinges)
    turn, slide = (np.sqrt((rows * rows).sum(-1, keepdims=True)) for rows in (turns, slides))
    balance = np.sqrt(np.divide(slide, turn, out=np.ones_like(turn), where=(turn > 0.0) & (slide > 0.0)))
    weights = weights[:, None, None]
    rows = balance * turns + (np.sign(weights) / balance) * slides
    return np.sqrt(0.5 * np.abs(weights)) * rows


@dataclass(frozen=True)
class _Side:
    """One triangle of each hinge: unit vectors (m, 3), the height's inverse (m,), the lever (m, 4).

    The lever has the shares with which the four vertices' motion moves the third vertex away from the
    foot of its height.
    """

    normal: Doubles
    inward: Doubles
    inverse_height: Doubles
    lever: Doubles


def _sides(hinges: Doubles) -> tuple[_Side, _Side]:
    edge = hinges[:, 1] - hinges[:, 0]
    inverse_length = _inverse(np.sqrt((edge * edge).sum(-1)))
    along = edge * inverse_length[:, None]
    sides = []
    for slot, sign in ((2, 1.0), (3, -1.0)):
        spoke = hinges[:, slot] - hinges[:, 0]
        area_vector = _cross(along, spoke)
        inverse_height = _inverse(np.sqrt((area_vector * area_vector).sum(-1)))
        across = area_vector * inverse_height[:, None]
        foot = (spoke * along).sum(-1) * inverse_length
        lever = np.zeros((len(hinges), 4))
        lever[:, 0], lever[:, 1], lever[:, slot] = foot - 1.0, -foot, 1.0
        sides.append(_Side(sign * across, _cross(across, along), inverse_height, lever))
    return sides[0], sides[1]


def _inverse(lengths: Doubles) -> Doubles:
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)


def _cross(a: Any, b: Any) -> Any:  # noqa: ANN401
    """(m, 3) of both; np.cross takes several times as long, and a tensor library calls it otherwise."""
    x, y, z = a[:, 0], a[:, 1], a[:, 2]
    u, v, w = b[:, 0], b[:, 1], b[:, 2]
    return module_of(a).stack([y * w - z * v, z * u - x * w, x * v - y * u], -1)

"""Bending that converges on any mesh: shape operators from mid-edge normals.

Every edge e has a normal of its own at its middle, perpendicular to it; a triangle's shape operator is the
derivative of the normal that is linear between its three (Grinspun, Gingold, Reisman and Zorin 2006,
section 3):

    S = sum over its edges of 2 phi_e / h_e  t_e t_e^T,

with phi_e the angle from the triangle's normal outward to the mid-edge normal, h_e the triangle's height over
the edge, and t_e the edge's outward normal in the triangle's plane. Energy of a triangle of rest area A, for
a plate of stiffness D = E h^3 / (12 (1 - nu^2)):

    A D / 2 ((1 - nu) |S - S_rest|^2 + nu tr(S - S_rest)^2),    D/2 kappa^2 A for a cylinder.

For small deflections this is Morley's plate element (1968): the curvature may be anything constant, exactly.

The mid-edge normal is given by one degree of freedom for each edge, xi in radians, 0 at rest: from half way
between both triangles' normals it is turned by xi towards the one that runs back along the edge. With theta
the dihedral angle, phi_e is (theta - theta_rest) / 2 + xi for the triangle that runs along the edge, from
the lower vertex to the higher, and (theta - theta_rest) / 2 - xi for the one that runs back. The edge of
a boundary has no theta, its normal is free: phi_e = +- xi, and no moment acts there once xi has
come to rest. So a sheet is clamped by holding the vertices of a strip of its triangles, not by holding xi.

Why so: S is taken on the rest shape (h_e and t_e are those at rest), and phi is an angle rather than its sine
or tangent. The energy is then a quadratic function of three angles, stays one in a triangle that is squashed
or folded, and does not change where the sheet is only stretched; gradient and Hessian are those of theta.

Degrees of freedom of a triangle: its corners, the three vertices across from them, the xi of the three edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Doubles, Indices
from . import dihedral
from .triangle_edges import TriangleEdges


def stencil_vertices(mesh: TriangleEdges) -> Indices:
    """(m, 6): each triangle's corners, then the vertices across from them.

    At a boundary the corner itself stands for the missing one; nothing depends on it.
    """
    across = np.where(mesh.opposite < 0, mesh.triangles, mesh.opposite)
    return np.concatenate([mesh.triangles, across], 1)


def dihedral_angles(vertices: Any) -> Any:  # noqa: ANN401
    """Angles (m, 3), rad, at the edges across from the corners of vertices (m, 6, 3); arrays or tensors."""
    return dihedral.angle(_hinges(vertices)).reshape(-1, 3)


def angle_stiffness(rest_corners: Doubles, plate: float | Doubles, poisson: float | Doubles) -> Doubles:
    """K (m, 3, 3) in J/rad^2: the energy is phi K phi / 2 for the three angles phi from rest.

    rest_corners (m, 3, 3), metres; plate: D in N m, and poisson: nu, one
    or (m,). Positive definite for -1 < nu < 1. ValueError where a triangle has no area.
    """
    edges = np.roll(rest_corners, -2, 1) - np.roll(rest_corners, -1, 1)
    double_area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=-1)
    if not np.all(double_area > 0.0):
        raise ValueError(f"triangle {int(np.argmin(double_area))} has no area at rest")
    lengths = np.linalg.norm(edges, axis=-1)
    units = edges / lengths[:, :, None]
    # |t_k t_k^T|^2 and the like: the cosines between the t are those between the edges.
    cosines = units @ units.swapaxes(1, 2)
    nu = np.reshape(poisson, (-1, 1, 1))
    inverse_heights = lengths / double_area[:, None]
    scale = np.reshape(2.0 * double_area * plate, (-1, 1, 1))
    stiffness: Doubles = (
        scale * inverse_heights[:, :, None] * inverse_heights[:, None, :] * ((1.0 - nu) * cosines**2 + nu)
    )
    return stiffness


def value(vertices: Any, xi: Any, signs: Any, inner: Any, rest_angles: Any, stiffness: Any) -> Any:  # noqa: ANN401
    """Energies (m,) in J; arrays or tensors.

    vertices (m, 6, 3): positions of `stencil_vertices`, metres. xi (m, 3): of the edges across from the
    corners, radians. signs (m, 3): of `TriangleEdges`. inner (m, 3): 1.0 where there is a neighbour across
    the edge, 0.0 where not. rest_angles (m, 3): `dihedral_angles` at rest. stiffness (m, 3, 3): of
    `angle_stiffness`.
    """
    turns = _turns(vertices, xi, signs, inner, rest_angles=rest_angles)
    return (turns * (stiffness @ turns[:, :, None])[:, :, 0]).sum(-1) / 2.0


def gradient(
    vertices: Doubles, xi: Doubles, signs: Doubles, inner: Doubles, rest_angles: Doubles, stiffness: Doubles
) -> Doubles:
    """Derivatives (m, 21) of `value`, of the same arguments: 18 by the vertices in N, 3 by xi in N m."""
    turns = _turns(vertices, xi, signs, inner, rest_angles=rest_angles)
    moments = stiffness @ turns[:, :, None]
    slopes: Doubles = (_slopes(vertices, signs, inner).swapaxes(1, 2) @ moments)[:, :, 0]
    return slopes


def hessian(
    vertices: Doubles, xi: Doubles, signs: Doubles, inner: Doubles, rest_angles: Doubles, stiffness: Doubles
) -> Doubles:
    """Second derivatives (m, 21, 21) of `value`, of the same arguments; indefinite off rest."""
    slopes = _slopes(vertices, signs, inner)
    weights = _weights(vertices, xi, signs, inner, rest_angles=rest_angles, stiffness=stiffness)
    turns, slides = dihedral.products(_hinges(vertices))
    half = _by_vertex(turns * weights[:, None, None]).swapaxes(1, 2) @ _by_vertex(slides)
    return slopes.swapaxes(1, 2) @ stiffness @ slopes + half + half.swapaxes(1, 2)


def projected_hessian(
    vertices: Doubles, xi: Doubles, signs: Doubles, inner: Doubles, rest_angles: Doubles, stiffness: Doubles
) -> Doubles:
    """A positive semi-definite matrix for Newton's method, no less than `hessian`: (m, 21, 21).

    Made as `hinge_bending.projected_hessian` is: the Gauss-Newton part, and the positive part of each
    product that the moments add.
    """
    weights = _weights(vertices, xi, signs, inner, rest_angles=rest_angles, stiffness=stiffness)
    root = np.linalg.cholesky(stiffness).swapaxes(1, 2)
    convex = _by_vertex(dihedral.convex_rows(_hinges(vertices), weights))
    rows = np.concatenate([root @ _slopes(vertices, signs, inner), convex], 1)
    return rows.swapaxes(1, 2) @ rows


def _hinge_slots(k: int) -> tuple[int, int, int, int]:
    """Which of the six vertices the hinge across from corner k has, as the triangle itself sees it."""
    return (k + 1) % 3, (k + 2) % 3, k, k + 3


def _hinges(vertices: Any) -> Any:  # noqa: ANN401
    """(3 m, 4, 3)."""
    slots = [i for k in range(3) for i in _hinge_slots(k)]
    return vertices[:, slots].reshape(-1, 4, 3)


def _turns(vertices: Any, xi: Any, signs: Any, inner: Any, *, rest_angles: Any) -> Any:  # noqa: ANN401
    """phi - phi_rest, (m, 3)."""
    return inner * dihedral.wrapped(dihedral_angles(vertices) - rest_angles) / 2.0 + signs * xi


def _slopes(vertices: Doubles, signs: Doubles, inner: Doubles) -> Doubles:
    """(m, 3, 21): derivatives of `_turns`."""
    slopes = _by_vertex((dihedral.gradient(_hinges(vertices)) * inner.reshape(-1, 1) / 2.0)[:, None, :])
    slopes[:, range(3), range(18, 21)] = signs
    return slopes


def _weights(
    vertices: Doubles,
    xi: Doubles,
    signs: Doubles,
    inner: Doubles,
    *,
    rest_angles: Doubles,
    stiffness: Doubles,
) -> Doubles:
    """(3 m,): the derivative of the energy by each dihedral angle."""
    turns = _turns(vertices, xi, signs, inner, rest_angles=rest_angles)
    weights: Doubles = inner * (stiffness @ turns[:, :, None])[:, :, 0] / 2.0
    return weights.reshape(-1)


def _by_vertex(rows: Doubles) -> Doubles:
    """Rows (3 m, r, 12) by the three hinges' vertices, as rows (m, 3 r, 21) by the triangle's."""
    r = rows.shape[1]
    by_hinge = rows.reshape(-1, 3, r, 4, 3)
    placed = np.zeros((len(by_hinge), 3, r, 7, 3))
    for k in range(3):
        placed[:, k, :, _hinge_slots(k)] = by_hinge[:, k].transpose(2, 0, 1, 3)
    return placed.reshape(-1, 3 * r, 21)

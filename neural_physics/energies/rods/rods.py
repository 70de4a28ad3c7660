"""Bending and twisting of discrete elastic rods, naturally curved and twisted, and a rod's stiffnesses.

With the strains s of a joint, which are kappa_1 and kappa_2 as its first edge sees them, the same as its
second edge does, and the twist m, the stiffnesses K = (E I1 / 2, E I2 / 2, E I1 / 2, E I2 / 2, G J) and its
Voronoi length l (half of both edges' rest lengths), the energy is 1 / (2 l) sum_k K_k (s_k - rest_k)^2.
Source: Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008, "Discrete elastic rods", section 4.2; with frames
transported in time: Bergou, Audoly, Vouga, Wardetzky, Grinspun 2010, "Discrete viscous threads".

Common arguments: positions (m, 3, 3) of each joint's vertices i-1, i and i+1, metres; thetas (m, 2) of its
two edges, radians; the reference frames, kept constant; rest_strains (m, 5); voronoi_lengths (m,), metres;
stiffness: E I1, E I2 and G J, (m, 3) or (3,), N m^2. Degrees of freedom, 11: x_{i-1}, theta^{i-1}, x_i,
theta^i, x_{i+1}.
Nothing is finite where an edge has no length or a joint is folded back onto itself.

Gradients and Hessians are those of the energy as it is computed, at any state, also where tangents are not
those of the kept frames: the published formulas hold at the kept frames only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Doubles
from ..array_module import module_of
from ..projection import project
from .bending import curvature_gradients, curvature_hessian, material_curvatures
from .frames import Joints, ReferenceFrames, joints_at, time_holonomy
from .twisting import twist_gradient, twist_hessian


def _edges_from_vertices() -> Doubles:
    """(8, 11): e^{i-1}, theta^{i-1}, e^i, theta^i of the degrees of freedom."""
    matrix = np.zeros((8, 11))
    for row, start in ((0, 0), (4, 4)):
        matrix[row : row + 3, start : start + 3] = -np.eye(3)
        matrix[row : row + 3, start + 4 : start + 7] = np.eye(3)
        matrix[row + 3, start + 3] = 1.0
    return matrix


EDGES_FROM_VERTICES = _edges_from_vertices()


def rod_strains(positions: Doubles, thetas: Doubles, frames: ReferenceFrames) -> Doubles:
    """(..., m, 5): curvatures and twist of each joint; arrays or tensors, with any axes in front."""
    return _strains(joints_at(positions, thetas, frames))


def bend_twist_energy(
    positions: Doubles,
    thetas: Doubles,
    frames: ReferenceFrames,
    rest_strains: Doubles,
    voronoi_lengths: Doubles,
    stiffness: Doubles,
) -> Doubles:
    """(..., m), joules; arrays or tensors, with any axes in front."""
    excess = rod_strains(positions, thetas, frames) - rest_strains
    energy: Doubles = 0.5 * (_moduli(stiffness, voronoi_lengths) * excess * excess).sum(-1)
    return energy


def straight_bend_energy(positions: Any, voronoi_lengths: Any, stiffness: Any) -> Any:  # noqa: ANN401
    """(..., m), joules, of joints that are straight at rest, alike in all directions, and not twisted.

    What `bend_twist_energy` is then, whatever the frames: E I / (2 l) |kb|^2, of kb the curvature binormal.
    positions (..., m, 3, 3), voronoi_lengths and stiffness E I (m,); arrays or tensors, with any axes before.
    """
    edges = positions[..., 1:, :] - positions[..., :-1, :]
    tangents = edges / module_of(positions).sqrt((edges * edges).sum(-1))[..., None]
    t, s = tangents[..., 0, :], tangents[..., 1, :]
    # |kb|^2 = 4 (1 - t.s) / (1 + t.s), both to full relative precision.
    bent, straight = ((t - s) ** 2).sum(-1), ((t + s) ** 2).sum(-1)
    return 2.0 * stiffness / voronoi_lengths * bent / straight


def bend_twist_gradient(
    positions: Doubles,
    thetas: Doubles,
    frames: ReferenceFrames,
    rest_strains: Doubles,
    voronoi_lengths: Doubles,
    stiffness: Doubles,
) -> Doubles:
    """(m, 11): newtons by positions, N m by thetas."""
    joints = joints_at(positions, thetas, frames)
    stresses = _moduli(stiffness, voronoi_lengths) * (_strains(joints) - rest_strains)
    by_edges = np.einsum("mk,mki->mi", stresses, _strain_gradients(joints))
    g, _ = time_holonomy(joints.tangents, joints.lengths, frames.tangents)
    by_edges[:, 0:3] += by_edges[:, 3, None] * g[:, 0]
    by_edges[:, 4:7] += by_edges[:, 7, None] * g[:, 1]
    gradient: Doubles = by_edges @ EDGES_FROM_VERTICES
    return gradient


def bend_twist_hessian(
    positions: Doubles,
    thetas: Doubles,
    frames: ReferenceFrames,
    rest_strains: Doubles,
    voronoi_lengths: Doubles,
    stiffness: Doubles,
    projected: bool = False,
) -> Doubles:
    """(m, 11, 11), symmetric; if asked for, projected to be positive semi-definite.

    Projected in the 8 variables of the edges and thetas, by setting negative eigenvalues to zero.
    """
    joints = joints_at(positions, thetas, frames)
    moduli = _moduli(stiffness, voronoi_lengths)
    stresses = moduli * (_strains(joints) - rest_strains)
    strain_gradients = _strain_gradients(joints)
    hessian = strain_gradients.swapaxes(1, 2) @ (moduli[:, :, None] * strain_gradients)
    hessian += curvature_hessian(joints, stresses[:, :4])
    hessian += stresses[:, 4, None, None] * twist_hessian(joints)

    # With frames from the kept tangents: a change of variables, in which a theta turns by g . de, too.
    g, slope = time_holonomy(joints.tangents, joints.lengths, frames.tangents)
    change = np.tile(np.eye(8), (len(g), 1, 1))
    change[:, 3, 0:3], change[:, 7, 4:7] = g[:, 0], g[:, 1]
    hessian = change.swapaxes(1, 2) @ hessian @ change
    torques = np.einsum("mk,mki->mi", stresses, strain_gradients[:, :, [3, 7]])
    hessian[:, 0:3, 0:3] += torques[:, 0, None, None] * slope[:, 0]
    hessian[:, 4:7, 4:7] += torques[:, 1, None, None] * slope[:, 1]
    if projected:
        hessian = project(hessian)
    by_vertices: Doubles = EDGES_FROM_VERTICES.T @ hessian @ EDGES_FROM_VERTICES
    return by_vertices


def _strains(joints: Joints) -> Doubles:
    kappa = material_curvatures(joints)
    strains: Doubles = module_of(kappa).concatenate((kappa, joints.twists[..., None]), -1)
    return strains


def _moduli(stiffness: Doubles, voronoi_lengths: Doubles) -> Doubles:
    """(..., m, 5), N m: of each strain."""
    halves = (0.5, 0.5, 0.5, 0.5, 1.0)
    columns = [half * stiffness[..., k] for half, k in zip(halves, (0, 1, 0, 1, 2), strict=True)]
    moduli: Doubles = module_of(stiffness).stack(columns, -1) / voronoi_lengths[..., None]
    return moduli


def _strain_gradients(joints: Joints) -> Doubles:
    """(m, 5, 8), with frames that follow by parallel transport from where they are."""
    return np.concatenate([curvature_gradients(joints), twist_gradient(joints)[:, None]], axis=1)

"""Material curvatures of discrete rods, integrated over each joint: pure numbers.

Each of the two edges j sees the joint's curvature in its own frame, kappa_1^j = kb . m2^j and
kappa_2^j = -kb . m1^j (Bergou et al. 2008, equation 2), and the energies of both are averaged. Directors
that are averaged instead (Bergou et al. 2010) make a joint that is twisted by m as soft in bending as
cos(m / 2)^2 of its stiffness; one that is bent by 80 degrees and more then twists spontaneously.

All are written as kappa = 1/2 kb . (n^{i-1} + n^i) with directors n that turn with the frames, one of them
zero: that is linear in the directors.

Derivatives are by the edges and thetas of a joint, (e^{i-1}, theta^{i-1}, e^i, theta^i), 8 in all, with
frames that follow by parallel transport from where they are; `rods` turns them into those of the energy.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Doubles
from ..array_module import module_of
from .frames import Joints, cross


def material_curvatures(joints: Joints) -> Doubles:
    """(..., m, 4): kappa_1 and kappa_2 of each joint as its first edge sees them, then its second; arrays or
    tensors."""
    kb = joints.binormals[..., None, :]
    kappa_1, kappa_2 = (kb * joints.m2).sum(-1), -(kb * joints.m1).sum(-1)
    of_both = (kappa_1[..., 0], kappa_2[..., 0], kappa_1[..., 1], kappa_2[..., 1])
    curvatures: Doubles = module_of(kb).stack(of_both, -1)
    return curvatures


def curvature_gradients(joints: Joints) -> Doubles:
    """(m, 4, 8), in the order of `material_curvatures` (Bergou et al. 2010, for directors of both edges)."""
    directors = np.zeros((4, *joints.m1.shape))
    directors[0, :, 0], directors[1, :, 0] = 2.0 * joints.m2[:, 0], -2.0 * joints.m1[:, 0]
    directors[2, :, 1], directors[3, :, 1] = 2.0 * joints.m2[:, 1], -2.0 * joints.m1[:, 1]
    return np.stack([_gradient(joints, n) for n in directors], axis=1)


def curvature_hessian(joints: Joints, weights: Doubles) -> Doubles:
    """(m, 8, 8): sum over k of weights (m, 4) times the Hessian of the k-th curvature, symmetric.

    Source: Jawed, Novelia, O'Reilly 2018, "A primer on the kinematics of discrete elastic rods".
    """
    # kappa is linear in the directors, and so the sum is the Hessian for the directors' sum.
    by_edges = 2.0 * weights.reshape(-1, 2, 2)
    n = by_edges[:, :, 0, None] * joints.m2 - by_edges[:, :, 1, None] * joints.m1
    chi, kb = joints.chi[:, None], joints.binormals
    (t, s), (n_e, n_f) = joints.tangents.swapaxes(0, 1), n.swapaxes(0, 1)
    mean_tangent, mean_director = (t + s) / chi, (n_e + n_f) / chi
    kappa = 0.5 * (kb * (n_e + n_f)).sum(-1)[:, None, None]
    turns_e, turns_f = cross(s, mean_director), -cross(t, mean_director)
    identity, over_chi = np.eye(3), kappa / chi[:, :, None]
    common = 2.0 * kappa * _outer(mean_tangent, mean_tangent)
    by_ee = common - over_chi * (identity - _outer(t, t))
    by_ee += 2.0 * _symmetric(_outer(0.25 * kb, n_e) - _outer(turns_e, mean_tangent))
    by_ff = common - over_chi * (identity - _outer(s, s))
    by_ff += 2.0 * _symmetric(_outer(0.25 * kb, n_f) - _outer(turns_f, mean_tangent))
    by_ef = common - over_chi * (identity + _outer(t, s)) - cross_matrix(mean_director)
    by_ef -= _outer(turns_e, mean_tangent) + _outer(mean_tangent, turns_f)
    l_e, l_f = joints.lengths[:, 0, None, None], joints.lengths[:, 1, None, None]

    hessian = np.zeros((len(chi), 8, 8))
    hessian[:, 0:3, 0:3] = by_ee / l_e**2
    hessian[:, 4:7, 4:7] = by_ff / l_f**2
    hessian[:, 0:3, 4:7] = by_ef / (l_e * l_f)
    hessian[:, 4:7, 0:3] = hessian[:, 0:3, 4:7].swapaxes(1, 2)
    # A theta turns its own edge's director only, by which the gradient is linear.
    nothing = np.zeros_like(n_e)
    for theta, turned in ((3, (cross(t, n_e), nothing)), (7, (nothing, cross(s, n_f)))):
        slope = _gradient(joints, np.stack(turned, axis=1))
        for edge in (slice(0, 3), slice(4, 7)):
            hessian[:, edge, theta] = hessian[:, theta, edge] = slope[:, edge]
    hessian[:, 3, 3] = -0.5 * (kb * n_e).sum(-1)
    hessian[:, 7, 7] = -0.5 * (kb * n_f).sum(-1)
    return hessian


def cross_matrix(vectors: Doubles) -> Doubles:
    """(m, 3, 3): the matrix of the cross product with each of (m, 3) from the left."""
    # cross() of every unit vector in turn makes the columns.
    return cross(vectors[:, None, :], np.eye(3)).swapaxes(1, 2)


def _gradient(joints: Joints, n: Doubles) -> Doubles:
    """(m, 8), of 1/2 kb . (n^{i-1} + n^i) for directors n (m, 2, 3)."""
    chi, kb = joints.chi[:, None], joints.binormals
    (t, s), (n_e, n_f) = joints.tangents.swapaxes(0, 1), n.swapaxes(0, 1)
    lengths = joints.lengths[:, :, None]
    pull = -0.5 * (kb * (n_e + n_f)).sum(-1)[:, None] * (t + s) / chi
    mean_director = (n_e + n_f) / chi
    return np.concatenate(
        [
            (pull + cross(s, mean_director)) / lengths[:, 0],
            0.5 * (kb * cross(t, n_e)).sum(-1)[:, None],
            (pull - cross(t, mean_director)) / lengths[:, 1],
            0.5 * (kb * cross(s, n_f)).sum(-1)[:, None],
        ],
        axis=1,
    )


def _outer(a: Doubles, b: Doubles) -> Doubles:
    return a[:, :, None] * b[:, None, :]


def _symmetric(matrices: Doubles) -> Doubles:
    return 0.5 * (matrices + matrices.swapaxes(-1, -2))

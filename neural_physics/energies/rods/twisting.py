"""Derivatives of the twist m_i = theta^i - theta^{i-1} + reference twist of discrete rods.

By the edges and thetas of a joint, (e^{i-1}, theta^{i-1}, e^i, theta^i), 8 in all, with frames that follow by
parallel transport from where they are; `rods` turns them into those of the energy. That the reference twist
changes with the edges, although the thetas rest, is what makes a bent rod writhe.
Source: Bergou et al. 2010; the Hessian: Jawed, Novelia, O'Reilly 2018, "A primer on the kinematics of
discrete elastic rods".
"""

from __future__ import annotations

import numpy as np

from ...arrays import Doubles
from .bending import cross_matrix
from .frames import Joints


def twist_gradient(joints: Joints) -> Doubles:
    """(m, 8)."""
    gradient = np.empty((len(joints.chi), 8))
    gradient[:, 0:3] = joints.binormals / (2.0 * joints.lengths[:, 0, None])
    gradient[:, 4:7] = joints.binormals / (2.0 * joints.lengths[:, 1, None])
    gradient[:, 3], gradient[:, 7] = -1.0, 1.0
    return gradient


def twist_hessian(joints: Joints) -> Doubles:
    """(m, 8, 8), symmetric."""
    chi, kb = joints.chi[:, None], joints.binormals
    t, s = joints.tangents.swapaxes(0, 1)
    l_e, l_f = joints.lengths[:, 0, None, None], joints.lengths[:, 1, None, None]
    mean_tangent = (t + s) / chi
    hessian = np.zeros((len(chi), 8, 8))
    for edge, tangent, length in ((slice(0, 3), t, l_e), (slice(4, 7), s, l_f)):
        half = kb[:, :, None] * (tangent + mean_tangent)[:, None, :]
        hessian[:, edge, edge] = -(half + half.swapaxes(1, 2)) / (4.0 * length**2)
    by_ef = 2.0 * cross_matrix(t) / chi[:, :, None] - kb[:, :, None] * mean_tangent[:, None, :]
    hessian[:, 0:3, 4:7] = by_ef / (2.0 * l_e * l_f)
    hessian[:, 4:7, 0:3] = hessian[:, 0:3, 4:7].swapaxes(1, 2)
    return hessian

"""Stretching of discrete rods: E A / 2 (l / l0 - 1)^2 l0 for each edge (Bergou et al. 2010).

All take positions (m, 2, 3) of each edge's ends and rest_lengths (m,), metres, and stiffness (m,) or one for
all: E A, newtons. Degrees of freedom: x y z of the first end, then of the second.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Doubles
from ..array_module import module_of


def stretching_energy(positions: Doubles, rest_lengths: Doubles, stiffness: Doubles | float) -> Doubles:
    """(..., m), joules, of positions (..., m, 2, 3); arrays or tensors."""
    edges = positions[..., 1, :] - positions[..., 0, :]
    stretch = module_of(positions).sqrt((edges * edges).sum(-1)) / rest_lengths - 1.0
    energy: Doubles = 0.5 * stiffness * stretch**2 * rest_lengths
    return energy


def stretching_gradient(positions: Doubles, rest_lengths: Doubles, stiffness: Doubles | float) -> Doubles:
    """(m, 6), newtons. An edge of no length has no direction to push in: zero."""
    tangents, lengths = _tangents(positions)
    pull = (stiffness * (lengths / rest_lengths - 1.0))[:, None] * tangents
    return np.concatenate([-pull, pull], axis=1)


def stretching_hessian(
    positions: Doubles, rest_lengths: Doubles, stiffness: Doubles | float, projected: bool = False
) -> Doubles:
    """(m, 6, 6), N / m; projected to the nearest positive semi-definite matrix if asked for.

    An edge of no length has the stiffness E A / l0 in every direction if projected; not finite otherwise.
    """
    tangents, lengths = _tangents(positions)
    along = tangents[:, :, None] * tangents[:, None, :]
    with np.errstate(divide="ignore"):
        across = 1.0 / rest_lengths - 1.0 / lengths
    if projected:
        along[lengths == 0.0] = np.eye(3)
        across = np.maximum(across, 0.0)
    per_edge = along / rest_lengths[:, None, None] + across[:, None, None] * (np.eye(3) - along)
    per_edge *= np.broadcast_to(stiffness, lengths.shape)[:, None, None]
    return np.concatenate(
        [np.concatenate([per_edge, -per_edge], 2), np.concatenate([-per_edge, per_edge], 2)], 1
    )


def _tangents(positions: Doubles) -> tuple[Doubles, Doubles]:
    """Unit tangents (m, 3), zero where there is no length, and lengths (m,)."""
    edges = positions[:, 1] - positions[:, 0]
    lengths = np.linalg.norm(edges, axis=-1)
    return edges / np.where(lengths > 0.0, lengths, 1.0)[:, None], lengths

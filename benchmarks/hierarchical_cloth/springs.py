"""Springs between two points, for mass-spring cloth: along the edges, and across them against bending.

Energy of a spring: k/2 (l - l0)^2, k in N/m. Not k/2 (l/l0 - 1)^2 l0, for which k would be in N: the
springs of a sheet get as many more as they get shorter, so that k in N/m means the same cloth however fine
its mesh is. A lattice of equilateral triangles is a sheet of Young's modulus times thickness 2 k / sqrt(3)
and Poisson's ratio 1/3 (Ostoja-Starzewski 2002, section 3).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neural_physics.energies.array_module import module_of

Array = NDArray[np.float64]


def value(ends: Any, rest_lengths: Any, stiffness: Any) -> Any:  # noqa: ANN401
    """Energies (m,) in J; NumPy or torch. ends (m, 2, 3) in metres, rest_lengths (m,) in metres, zero
    allowed, stiffness in N/m, one or (m,).
    """
    between = ends[:, 1] - ends[:, 0]
    return stiffness / 2.0 * (module_of(ends).sqrt((between * between).sum(-1)) - rest_lengths) ** 2


def gradient(ends: Array, rest_lengths: Array, stiffness: float | Array) -> Array:
    """Derivatives (m, 6) in N of `value`, of the same arguments; zero where both ends are one point."""
    along, lengths = _direction(ends)
    pull = (stiffness * (lengths - rest_lengths))[:, None] * along
    return np.concatenate([-pull, pull], 1)


def hessian(ends: Array, rest_lengths: Array, stiffness: float | Array) -> Array:
    """Second derivatives (m, 6, 6) in N/m of `value`; negative across a spring that is pressed.

    A spring between one point and itself has k in every direction, which is exact if its rest length is zero.
    """
    return _hessian(ends, rest_lengths, stiffness, -np.inf)


def projected_hessian(ends: Array, rest_lengths: Array, stiffness: float | Array) -> Array:
    """`hessian` with its negative eigenvalues set to zero, (m, 6, 6), N/m (Choi and Ko 2002, section 4.1)."""
    return _hessian(ends, rest_lengths, stiffness, 0.0)


def _hessian(ends: Array, rest_lengths: Array, stiffness: float | Array, least: float) -> Array:
    along, lengths = _direction(ends)
    tension = 1.0 - np.divide(rest_lengths, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
    across = np.maximum(tension, least)[:, None, None]
    projector = along[:, :, None] * along[:, None, :]
    block = np.broadcast_to(stiffness, lengths.shape)[:, None, None] * (
        across * np.eye(3) + (1.0 - across) * projector
    )
    return np.concatenate([np.concatenate([block, -block], 2), np.concatenate([-block, block], 2)], 1)


def _direction(ends: Array) -> tuple[Array, Array]:
    between = ends[:, 1] - ends[:, 0]
    lengths = np.sqrt((between * between).sum(-1))
    return between / np.where(lengths > 0.0, lengths, 1.0)[:, None], lengths

"""Bending at the hinges between triangles: discrete shells (Grinspun, Hirani, Desbrun and Schroeder 2003).

Energy of a hinge: k (theta - theta_rest)^2 |e|^2 / A, with the rest length |e| of its edge, the sum A of its
two triangles' rest areas, and k = D/2 for a plate of bending stiffness D = E h^3 / (12 (1 - nu^2)). The
paper's sum of (theta - theta_rest)^2 |e| / h_e, h_e a third of the mean height, is the same with k / 3.

With k = D/2 the energy of a cylinder is exact on equilateral triangles (Seung and Nelson 1988) and along the
axes of a grid of squares; on other meshes, and in other directions, it may be off by a factor of up to 3,
however fine the mesh: see `midedge_bending` for one that converges. Poisson's ratio comes in through D only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Doubles
from . import dihedral


def hinge_stiffness(rest_hinges: Doubles, plate: float | Doubles) -> Doubles:
    """2 k |e|^2 / A = D |e|^2 / A of each hinge, (m,), J/rad^2.

    rest_hinges (m, 4, 3) as in `dihedral`, metres; plate: D in N m, one or (m,). ValueError where neither
    triangle of a hinge has an area.
    """
    edge = rest_hinges[:, 1] - rest_hinges[:, 0]
    areas = sum(
        np.linalg.norm(np.cross(edge, rest_hinges[:, k] - rest_hinges[:, 0]), axis=-1) / 2.0 for k in (2, 3)
    )
    if not np.all(areas > 0.0):
        raise ValueError(f"hinge {int(np.argmin(areas))} has no area at rest")
    stiffness: Doubles = plate * (edge * edge).sum(-1) / areas
    return stiffness


def value(hinges: Any, rest_angles: Any, stiffness: Any) -> Any:  # noqa: ANN401
    """Energies (m,) in J of hinges (m, 4, 3); arrays or tensors.

    rest_angles (m,): `dihedral.angle` of the hinges at rest. stiffness (m,): of `hinge_stiffness`.
    """
    return stiffness / 2.0 * dihedral.wrapped(dihedral.angle(hinges) - rest_angles) ** 2


def gradient(hinges: Doubles, rest_angles: Doubles, stiffness: Doubles) -> Doubles:
    """Derivatives (m, 12) in N of `value`, of the same arguments."""
    turn = dihedral.wrapped(dihedral.angle(hinges) - rest_angles)
    return (stiffness * turn)[:, None] * dihedral.gradient(hinges)


def hessian(hinges: Doubles, rest_angles: Doubles, stiffness: Doubles) -> Doubles:
    """Second derivatives (m, 12, 12) in N/m of `value`, of the same arguments; indefinite off rest."""
    moment = stiffness * dihedral.wrapped(dihedral.angle(hinges) - rest_angles)
    slope = dihedral.gradient(hinges)
    stretched: Doubles = (stiffness[:, None] * slope)[:, :, None] * slope[:, None, :]
    return stretched + moment[:, None, None] * dihedral.hessian(hinges)


def projected_hessian(hinges: Doubles, rest_angles: Doubles, stiffness: Doubles) -> Doubles:
    """A positive semi-definite matrix for Newton's method, no less than `hessian`: (m, 12, 12), N/m.

    The Gauss-Newton part and, of what the moment adds, the positive part of each product in closed form
    (`dihedral.convex_rows`). Newton's method takes about as many steps with it as with the nearest positive
    semi-definite matrix, which takes longer to find. With the Gauss-Newton part alone it takes between a
    third of them (a thick sheet let go while crumpled) and 3.5 times as many (one that buckles, or
    without inertia).
    """
    moment = stiffness * dihedral.wrapped(dihedral.angle(hinges) - rest_angles)
    slope = np.sqrt(stiffness)[:, None] * dihedral.gradient(hinges)
    rows = np.concatenate([slope[:, None, :], dihedral.convex_rows(hinges, moment)], 1)
    return rows.swapaxes(1, 2) @ rows

"""Stretching and shearing of thin shells: St. Venant-Kirchhoff on triangles in space, in plane stress.

Energy of a triangle: thickness area (mu |E|^2 + lam/2 tr(E)^2), with the Green strain E = (F^T F - I)/2 and
F (3, 2) from the rest triangle, laid flat, to space (Bonet and Wood 2008, section 6.4). A triangle laid on
its back is stretched as it was: the sheet has two sides, and F of (3, 2) no sign.

The Hessian is built from its eigen-decomposition in closed form, so that the projected one costs no more.
F's singular values and vectors give it: two twists in and two out of the plane, and two scalings (Smith, de
Goes and Kim 2019, section 4, with a third row). St. Venant-Kirchhoff makes every one of the eigenvalues a
polynomial of the singular values: nothing is divided by, even where the triangle has collapsed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Doubles
from ..array_module import module_of

Material = float | Doubles


def rest_shape(corners: Doubles) -> tuple[Doubles, Doubles]:
    """What the energy needs of rest triangles (m, 3, 3), metres: each laid flat, its first edge along x.

    Returns the inverses (m, 2, 2) of the matrices whose columns are the two edges from the first corner,
    1/m, and the areas (m,), m^2. ValueError where a triangle has no area.
    """
    first, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    length = np.linalg.norm(first, axis=-1)
    double_area = np.linalg.norm(np.cross(first, other), axis=-1)
    flat = double_area <= 1e-14 * (length**2 + (other**2).sum(-1))
    if flat.any():
        raise ValueError(f"triangle {int(np.argmax(flat))} has no area at rest")
    inverse = np.zeros((len(corners), 2, 2))
    inverse[:, 0, 0] = 1.0 / length
    inverse[:, 0, 1] = -(first * other).sum(-1) / (length * double_area)
    inverse[:, 1, 1] = length / double_area
    return inverse, double_area / 2.0


def deformation_gradient(corners: Any, inverse_rest: Any) -> Any:  # noqa: ANN401
    """F (m, 3, 2) of triangles (m, 3, 3) with the inverses of `rest_shape`; arrays or tensors."""
    edges = module_of(corners).stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], -1)
    return edges @ inverse_rest


def value(corners: Any, inverse_rest: Any, volume: Any, mu: Any, lam: Any) -> Any:  # noqa: ANN401
    """Energies (m,) in J of triangles (m, 3, 3); arrays or tensors.

    inverse_rest (m, 2, 2): of `rest_shape`. volume (m,): thickness times rest area, m^3. mu, lam: of
    `lame.plane_stress_lame_parameters`, Pa, one or (m,).
    """
    f = deformation_gradient(corners, inverse_rest)
    xx = ((f[:, :, 0] * f[:, :, 0]).sum(-1) - 1.0) / 2.0
    yy = ((f[:, :, 1] * f[:, :, 1]).sum(-1) - 1.0) / 2.0
    xy = (f[:, :, 0] * f[:, :, 1]).sum(-1) / 2.0
    return volume * (mu * (xx * xx + yy * yy + 2.0 * xy * xy) + lam / 2.0 * (xx + yy) ** 2)


def gradient(
    corners: Doubles, inverse_rest: Doubles, volume: Doubles, mu: Material, lam: Material
) -> Doubles:
    """Derivatives (m, 9) in N of `value`, of the same arguments, by the corners' coordinates."""
    f = deformation_gradient(corners, inverse_rest)
    green = (f.swapaxes(1, 2) @ f - np.eye(2)) / 2.0
    pressure = volume * lam * (green[:, 0, 0] + green[:, 1, 1])
    stress = (2.0 * volume * mu)[:, None, None] * green + pressure[:, None, None] * np.eye(2)
    forces = _spread(inverse_rest) @ stress @ f.swapaxes(1, 2)
    return forces.reshape(-1, 9)


def hessian(corners: Doubles, inverse_rest: Doubles, volume: Doubles, mu: Material, lam: Material) -> Doubles:
    """Second derivatives (m, 9, 9) in N/m of `value`, of the same arguments."""
    modes, eigenvalues = _modes(corners, inverse_rest, mu, lam)
    return (modes * (volume * eigenvalues).T[:, :, None]).swapaxes(1, 2) @ modes


def projected_hessian(
    corners: Doubles, inverse_rest: Doubles, volume: Doubles, mu: Material, lam: Material
) -> Doubles:
    """`hessian` with its negative eigenvalues, those by F, set to zero: (m, 9, 9), N/m."""
    modes, eigenvalues = _modes(corners, inverse_rest, mu, lam)
    modes *= np.sqrt(volume * np.maximum(eigenvalues, 0.0)).T[:, :, None]
    return modes.swapaxes(1, 2) @ modes


def _spread(inverse_rest: Doubles) -> Doubles:
    """(m, 3, 2): what each corner's motion adds to F, the gradients of its hat function."""
    return np.concatenate([-inverse_rest.sum(1, keepdims=True), inverse_rest], 1)


def _modes(corners: Doubles, inverse_rest: Doubles, mu: Material, lam: Material) -> tuple[Doubles, Doubles]:
    """Orthonormal in F: modes (m, 6, 9) by the corners, and their eigenvalues (6, m) in Pa."""
    f = deformation_gradient(corners, inverse_rest)
    left, right = f[:, :, 0], f[:, :, 1]
    turn = 0.5 * np.arctan2(2.0 * (left * right).sum(-1), (left * left).sum(-1) - (right * right).sum(-1))
    cos, sin = np.cos(turn), np.sin(turn)
    one, s1 = _unit(cos[:, None] * left + sin[:, None] * right, np.eye(3)[0])
    two = cos[:, None] * right - sin[:, None] * left
    # The other singular vector, made perpendicular to the first to the last digit. A collapsed triangle
    # has none: any will do, for those of the plane and the normal then have the same eigenvalues.
    two -= (two * one).sum(-1, keepdims=True) * one
    two, s2 = _unit(two, _perpendicular(one))
    normal = np.cross(one, two)
    spread = _spread(inverse_rest)
    by_one = spread @ np.stack([cos, sin], -1)[:, :, None]
    by_two = spread @ np.stack([-sin, cos], -1)[:, :, None]

    pressure = lam / 2.0 * (s1**2 + s2**2 - 2.0)
    a = mu * (3.0 * s1**2 - 1.0) + lam * s1**2 + pressure
    d = mu * (3.0 * s2**2 - 1.0) + lam * s2**2 + pressure
    b = lam * s1 * s2
    mix = 0.5 * np.arctan2(2.0 * b, a - d)
    mean, radius = (a + d) / 2.0, np.hypot((a - d) / 2.0, b)
    eigenvalues = np.stack(
        [
            mean + radius,
            mean - radius,
            mu * (s1**2 - s1 * s2 + s2**2 - 1.0) + pressure,
            mu * (s1**2 + s1 * s2 + s2**2 - 1.0) + pressure,
            mu * (s1**2 - 1.0) + pressure,
            mu * (s2**2 - 1.0) + pressure,
        ]
    )
    one, two, normal = one[:, None, :], two[:, None, :], normal[:, None, :]
    c, s = np.cos(mix)[:, None, None], np.sin(mix)[:, None, None]
    modes = np.empty((len(f), 6, 3, 3))
    stretch_one, stretch_two = by_one * one, by_two * two
    modes[:, 0] = c * stretch_one + s * stretch_two
    modes[:, 1] = c * stretch_two - s * stretch_one
    shear_one, shear_two = by_one * (np.sqrt(0.5) * two), by_two * (np.sqrt(0.5) * one)
    modes[:, 2] = shear_one - shear_two
    modes[:, 3] = shear_one + shear_two
    modes[:, 4] = by_one * normal
    modes[:, 5] = by_two * normal
    return modes.reshape(-1, 6, 9), eigenvalues


def _unit(vectors: Doubles, instead: Doubles) -> tuple[Doubles, Doubles]:
    """Unit vectors (m, 3) and lengths (m,); a length of next to nothing has the direction of `instead`."""
    lengths = np.sqrt((vectors * vectors).sum(-1))
    tiny = lengths < 1e-12
    return np.where(tiny[:, None], instead, vectors / np.where(tiny, 1.0, lengths)[:, None]), lengths


def _perpendicular(unit: Doubles) -> Doubles:
    """A unit vector (m, 3) at right angles to each (m, 3)."""
    axis = np.eye(3)[np.argmin(np.abs(unit), 1)]
    across = np.cross(unit, axis)
    return across / np.linalg.norm(across, axis=-1, keepdims=True)

"""Compressible Neo-Hookean rubber, the volume's change split off: what CalculiX calls NEO HOOKE.

W = mu / 2 (J^(-2/3) I_C - 3) + kappa / 2 (J - 1)^2, of I_C = |F|^2, J = det F and the bulk modulus
kappa = lam + 2 / 3 mu: the reduced polynomial of order 1 with C10 = mu / 2 and D1 = 2 / kappa
(CalculiX CrunchiX user's manual, *HYPERELASTIC). Small strain agrees with linear elasticity.

Every function takes f (m, 3, 3), the deformation gradients F, and mu, lam: Lame parameters in Pa, numbers
or (m,). Where J is not positive the energy is infinite, and its derivatives mean nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neural_physics.energies.array_module import module_of
from neural_physics.energies.projection import project
from neural_physics.energies.solids.deformation import cofactor, determinant, determinant_hessian
from neural_physics.energies.solids.lame import per_element

Array = NDArray[np.float64]


def energy_density(f: Any, mu: Any, lam: Any) -> Any:
    """(m,) J per m^3 at rest. f, and mu and lam where they are arrays: NumPy or torch."""
    module = module_of(f)
    j = determinant(f)
    upright = j > 0.0
    volume = module.where(upright, j, 1.0)
    stretched = volume ** (-2.0 / 3.0) * module.einsum("mij,mij->m", f, f) - 3.0
    density = 0.5 * mu * stretched + 0.5 * _bulk_modulus(mu, lam) * (j - 1.0) ** 2
    return module.where(upright, density, np.inf)


def stress(f: Array, mu: float | Array, lam: float | Array) -> Array:
    """First Piola-Kirchhoff stress dW/dF (m, 3, 3), Pa."""
    shear, pressure, _, _ = _coefficients(f, mu, lam)
    return shear[:, None, None] * f + pressure[:, None, None] * cofactor(f)


def hessian(f: Array, mu: float | Array, lam: float | Array) -> Array:
    """d2W/dF2 (m, 9, 9), Pa, by the entries 3 i + j of F; indefinite in places."""
    shear, pressure, mixed, stiffness = (each[:, None, None] for each in _coefficients(f, mu, lam))
    flat, slopes = f.reshape(-1, 9, 1), cofactor(f).reshape(-1, 9, 1)
    across = flat @ slopes.swapaxes(1, 2)
    by_entries: Array = shear * np.eye(9) + pressure * determinant_hessian(f)
    by_entries += mixed * (across + across.swapaxes(1, 2))
    by_entries += stiffness * (slopes @ slopes.swapaxes(1, 2))
    return by_entries


def projected_hessian(f: Array, mu: float | Array, lam: float | Array) -> Array:
    """The nearest positive semi-definite matrix to `hessian`."""
    return project(hessian(f, mu, lam))


def _bulk_modulus(mu: Any, lam: Any) -> Any:
    return lam + 2.0 / 3.0 * mu


def _coefficients(f: Array, mu: float | Array, lam: float | Array) -> tuple[Array, Array, Array, Array]:
    """dW/dI_C times 2, dW/dJ, d2W/dI_C dJ times 2 and d2W/dJ2, each (m,)."""
    mu, lam = per_element(mu, 0), per_element(lam, 0)
    j, squares, bulk = determinant(f), np.einsum("mij,mij->m", f, f), _bulk_modulus(mu, lam)
    shear = mu * j ** (-2.0 / 3.0)
    mixed = -2.0 / 3.0 * shear / j
    return shear, 0.5 * mixed * squares + bulk * (j - 1.0), mixed, bulk - 5.0 / 6.0 * mixed * squares / j

"""Lame parameters of isotropic elasticity from Young's modulus and Poisson's ratio."""

from __future__ import annotations

import numpy as np

from ...arrays import Doubles


def lame_parameters(young: float | Doubles, poisson: float | Doubles) -> tuple[Doubles, Doubles]:
    """mu and lam of a solid, and of a plate in plane strain: lam = E nu / ((1 + nu) (1 - 2 nu)).

    young: Young's modulus E, Pa; poisson: Poisson's ratio nu; numbers, or arrays of one shape.
    Returns mu, lam in Pa, of their shape. Raises ValueError where the two make no stable material.
    """
    young, poisson = _checked(young, poisson)
    return _shear_modulus(young, poisson), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))


def plane_stress_lame_parameters(young: float | Doubles, poisson: float | Doubles) -> tuple[Doubles, Doubles]:
    """mu and lam of a thin sheet, free to change its thickness: lam = E nu / (1 - nu^2).

    Takes, returns and raises what `lame_parameters` does.
    """
    young, poisson = _checked(young, poisson)
    return _shear_modulus(young, poisson), young * poisson / (1.0 - poisson * poisson)


def per_element(parameter: float | Doubles, axes: int) -> Doubles:
    """A parameter, one for all elements or (m,), with so many axes of 1 after it, to multiply arrays by."""
    return np.asarray(parameter, np.float64).reshape(-1, *(1,) * axes)


def _shear_modulus(young: Doubles, poisson: Doubles) -> Doubles:
    return young / (2.0 * (1.0 + poisson))


def _checked(young: float | Doubles, poisson: float | Doubles) -> tuple[Doubles, Doubles]:
    young, poisson = np.asarray(young, np.float64), np.asarray(poisson, np.float64)
    bad = ~(np.isfinite(young) & (young > 0.0))
    if bad.any():
        raise ValueError(
            f"Young's modulus must be a finite number of pascals above 0, not {young[bad][0]:g}."
        )
    bad = ~((poisson > -1.0) & (poisson < 0.5))
    if bad.any():
        raise ValueError(
            f"Poisson's ratio must lie between -1 and 0.5, both excluded, not {poisson[bad][0]:g}."
        )
    return young, poisson

"""Elastic forces, stiffness and mass of a whole body from a few of its tetrahedra (An et al. 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from ..energies import corotational, stable_neo_hookean, stvk
from ..energies.deformation import deformation_gradient, gradient_operator

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

ENERGIES: dict[str, ModuleType] = {
    "stable_neo_hookean": stable_neo_hookean,
    "stvk": stvk,
    "corotational": corotational,
}


@dataclass(frozen=True)
class Cubature:
    """k tetrahedra that stand for all, over S vertices that stand for the mass of all.

    elements (k, 4): numbers of those vertices. inverse_rest (k, 3, 3), 1/m. volumes (k,): of the rest shape
    times a weight that is not negative, m^3. moduli (k, 2): Lame's mu and lam, Pa. masses (S,), kg.
    energy: a module of `energies`.
    """

    elements: Indices
    inverse_rest: Array
    volumes: Array
    moduli: Array
    masses: Array
    energy: ModuleType

    def energies(self, x: Array) -> Array:
        """(k,) J, of the vertices' positions (S, 3)."""
        found: Array = self.volumes * self.energy.energy_density(self._deformation(x), *self.moduli.T)
        return found

    def forces(self, x: Array) -> Array:
        """(k, 12) N: the gradients of `energies` by the coordinates of each element's vertices."""
        stress = self.energy.stress(self._deformation(x), *self.moduli.T)
        pulled: Array = (stress.reshape(len(stress), 1, 9) @ self._operator)[:, 0]
        return self.volumes[:, None] * pulled

    def stiffness(self, x: Array, *, projected: bool) -> Array:
        """(k, 9, 9) J: second derivatives by the entries of each F; projected: without negative curvature."""
        hessian = self.energy.projected_hessian if projected else self.energy.hessian
        found: Array = self.volumes[:, None, None] * hessian(self._deformation(x), *self.moduli.T)
        return found

    def gathered(self, jacobian: Array) -> Array:
        """(k, 12, c): rows of a Jacobian of the vertices (S, 3, c), element by element."""
        found: Array = jacobian[self.elements].reshape(len(self.elements), 12, jacobian.shape[-1])
        return found

    def deformed(self, by_element: Array) -> Array:
        """(k, 9, c): how each F changes, of what `gathered` gives."""
        found: Array = self._operator @ by_element
        return found

    def _deformation(self, x: Array) -> Array:
        f: Array = deformation_gradient(x[self.elements], self.inverse_rest)
        return f

    @cached_property
    def _operator(self) -> Array:
        return gradient_operator(self.inverse_rest)

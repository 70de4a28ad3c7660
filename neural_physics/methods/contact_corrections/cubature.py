"""Elastic forces, stiffness and mass of a whole body from a few of its tetrahedra (An et al. 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np

from ...arrays import Doubles, Indices
from ...energies.solids import corotational, stable_neo_hookean, stvk
from ...energies.solids.deformation import deformation_gradient, gradient_operator

ENERGIES: dict[str, ModuleType] = {
    "stable_neo_hookean": stable_neo_hookean,
    "stvk": stvk,
    "corotational": corotational,
}


@dataclass(frozen=True)
class Cubature:
    """k tetrahedra, of flat bodies triangles, that represent all, over S vertices that represent the mass of
    all.

    The points x_k and weights w_k of Romero 2021, section 3.3.

    elements (k, d + 1): numbers of those vertices. inverse_rest (k, d, d), 1/m. volumes (k,): of the rest
    shape times a weight that is not negative, m^3. moduli (k, 2): Lame's mu and lam, Pa. masses (S,), kg.
    energy: a module of `energies.solids`.
    """

    elements: Indices
    inverse_rest: Doubles
    volumes: Doubles
    moduli: Doubles
    masses: Doubles
    energy: ModuleType

    def energies(self, x: Doubles) -> Doubles:
        """(k,) J, of the vertices' positions (S, d)."""
        found: Doubles = self.volumes * self.energy.energy_density(self._deformation(x), *self.moduli.T)
        return found

    def element_forces(self, x: Doubles) -> Doubles:
        """(k, d (d + 1)) N: the gradients of `energies` by the coordinates of each element's vertices."""
        stress = self.energy.stress(self._deformation(x), *self.moduli.T)
        return self._pulled(self.volumes[:, None] * stress.reshape(len(stress), -1))

    def forces(self, x: Doubles) -> Doubles:
        """(S, d) N: the gradient of all energies, by the vertices."""
        return self._summed(self.element_forces(x))

    def stiffness(self, x: Doubles, *, projected: bool) -> Doubles:
        """(k, d d, d d) J: second derivatives by the entries of F; projected: without negative curvature."""
        hessian = self.energy.projected_hessian if projected else self.energy.hessian
        found: Doubles = self.volumes[:, None, None] * hessian(self._deformation(x), *self.moduli.T)
        return found

    def pulled(self, stiffness: Doubles, moved: Doubles) -> Doubles:
        """(S, d) N: what a `stiffness` does to vertices that have moved by (S, d)."""
        changes = self._operator @ moved[self.elements].reshape(len(self.elements), -1, 1)
        return self._summed(self._pulled((stiffness @ changes)[:, :, 0]))

    def changes(self, jacobian: Doubles) -> Doubles:
        """(k, d d, c): how the entries of F change with c coordinates that move the vertices by (S, d, c)."""
        columns, rows = jacobian.shape[-1], self._operator.shape[-1]
        found: Doubles = self._operator @ jacobian[self.elements].reshape(-1, rows, columns)
        return found

    def reduced(self, stiffness: Doubles, changes: Doubles) -> Doubles:
        """(c, c): a `stiffness` as seen from coordinates with these `changes`."""
        columns = changes.shape[-1]
        found: Doubles = changes.reshape(-1, columns).T @ (stiffness @ changes).reshape(-1, columns)
        return found

    def _deformation(self, x: Doubles) -> Doubles:
        f: Doubles = deformation_gradient(x[self.elements], self.inverse_rest)
        return f

    def _pulled(self, by_entries: Doubles) -> Doubles:
        pulled: Doubles = (by_entries[:, None] @ self._operator)[:, 0]
        return pulled

    def _summed(self, by_element: Doubles) -> Doubles:
        d = self.inverse_rest.shape[1]
        count = d * len(self.masses)
        found: Doubles = np.bincount(self._places, by_element.ravel(), count).astype(np.float64, copy=False)
        return found.reshape(-1, d)

    @cached_property
    def _places(self) -> Indices:
        d = self.inverse_rest.shape[1]
        return (d * self.elements[:, :, None] + np.arange(d)).ravel().astype(np.intp)

    @cached_property
    def _operator(self) -> Doubles:
        return gradient_operator(self.inverse_rest)

"""Elastic energy of solids: linear tetrahedra, or triangles in plane strain."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...arrays import Doubles, Indices
from ...energies.solids.compiled import ENERGIES, CompiledElements
from ...energies.solids.deformation import deformation_gradient, gradient_operator, rest_shapes
from ...native.finding import library_here


class SolidEnergy(Protocol):
    """What `stvk`, `stable_neo_hookean` and `corotational` of `energies.solids` offer."""

    def energy_density(self, f: Doubles, mu: Doubles, lam: Doubles) -> Doubles:
        """(m,) J per m^3 at rest, of deformation gradients f (m, d, d); mu, lam (m,): Lame parameters, Pa."""
        ...

    def stress(self, f: Doubles, mu: Doubles, lam: Doubles) -> Doubles:
        """First Piola-Kirchhoff stress (m, d, d), Pa."""
        ...

    def hessian(self, f: Doubles, mu: Doubles, lam: Doubles) -> Doubles:
        """Second derivatives of the energy density by the entries i * d + j of f, (m, d * d, d * d), Pa."""
        ...

    def projected_hessian(self, f: Doubles, mu: Doubles, lam: Doubles) -> Doubles:
        """The nearest positive semi-definite matrices to `hessian`, of the same shape."""
        ...


class SolidTerm:
    """The elastic energy of each element, J: a `Term` of the positions of d + 1 vertices.

    rest_positions (n, d) metres; elements (m, d + 1): tetrahedra (d = 3), or triangles in the plane
    (d = 2), in the order that makes their volumes positive; energy: a module of `energies.solids`; lame: both
    Lame parameters, Pa, each (m,) or one for all; thickness, metres: of triangles, out of the plane.
    Raises ValueError where elements are flat or inside out at rest.
    """

    def __init__(
        self,
        rest_positions: Doubles,
        elements: NDArray[np.integer],
        energy: SolidEnergy,
        lame: tuple[float | Doubles, float | Doubles],
        *,
        thickness: float = 1.0,
    ) -> None:
        d = rest_positions.shape[1]
        self._energy = energy
        self._inverse_rest, measures = rest_shapes(rest_positions[elements].astype(np.float64))
        self._volumes = measures if d == 3 else thickness * measures
        self._operator = gradient_operator(self._inverse_rest)
        self._mu = np.broadcast_to(np.asarray(lame[0], np.float64), len(elements))
        self._lam = np.broadcast_to(np.asarray(lame[1], np.float64), len(elements))
        library = library_here()
        self._compiled: CompiledElements | None = None
        if library is not None and energy in ENERGIES:
            self._compiled = CompiledElements(
                library,
                elements,
                self._inverse_rest,
                self._volumes,
                moduli=np.stack([self._mu, self._lam], 1),
                energy=energy,
            )
        self._stencils = (elements[:, :, None].astype(np.intp) * d + np.arange(d)).reshape(len(elements), -1)

    @property
    def stencils(self) -> Indices:
        """See `Term`."""
        return self._stencils

    def value(self, q: Doubles) -> Doubles:
        """See `Term`."""
        if self._compiled is not None:
            return self._compiled.values(q)
        return self._volumes * self._energy.energy_density(self._deformation(q), self._mu, self._lam)

    def gradient(self, q: Doubles) -> Doubles:
        """See `Term`."""
        if self._compiled is not None:
            return self._compiled.gradients(q)
        stress = self._energy.stress(self._deformation(q), self._mu, self._lam)
        forces = stress.reshape(len(stress), 1, -1) @ self._operator
        return self._volumes[:, None] * forces[:, 0]

    def hessian(self, q: Doubles) -> Doubles:
        """See `Term`."""
        if self._compiled is not None:
            return self._compiled.hessians(q, projected=True)
        return self._pulled_back(self._energy.projected_hessian(self._deformation(q), self._mu, self._lam))

    def exact_hessian(self, q: Doubles) -> Doubles:
        """See `WithExactHessian`."""
        if self._compiled is not None:
            return self._compiled.hessians(q, projected=False)
        return self._pulled_back(self._energy.hessian(self._deformation(q), self._mu, self._lam))

    def _pulled_back(self, by_entries: Doubles) -> Doubles:
        by_entries *= self._volumes[:, None, None]
        hessian: Doubles = self._operator.swapaxes(1, 2) @ (by_entries @ self._operator)
        return hessian

    def _deformation(self, q: Doubles) -> Doubles:
        d = self._inverse_rest.shape[1]
        f: Doubles = deformation_gradient(q[self._stencils].reshape(-1, d + 1, d), self._inverse_rest)
        return f

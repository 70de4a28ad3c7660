"""Sums over elements, put together to one value, one gradient and one sparse matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .linear import LinearSolver, NotPositiveDefinite, SparsePattern, choose_solver
from .term import Array, Indices, Mask, Term

FIRST_SHIFT = 1e-8  # of the mean of the diagonal, added to it where rounding has cost positive definiteness
MOST_SHIFTS = 8


class Assembly:
    """The terms of a system in one matrix, whose pattern is found anew when the stencils of a term change.

    chosen: which linear solver, and why.
    """

    def __init__(self, terms: Sequence[Term], n: int, free: Mask, solid: bool) -> None:
        """n: the size of q; free: (n,) the entries that are solved for; solid: see `choose_solver`."""
        self._terms, self._n, self._free, self._solid = terms, n, free, solid
        self._stencils: list[Indices] | None = None
        self.refresh()

    def refresh(self) -> None:
        """Look whether terms couple other degrees of freedom than before."""
        stencils = [term.stencils for term in self._terms]
        if self._stencils is not None and all(a is b for a, b in zip(stencils, self._stencils, strict=True)):
            return
        self._stencils = stencils
        self._pattern = SparsePattern(stencils, self._n, self._free)
        self._solver: LinearSolver
        self._solver, self.chosen = choose_solver(self._pattern, self._solid)

    def value(self, q: Array) -> float:
        """The sum of all terms, J."""
        return sum(float(term.value(q).sum()) for term in self._terms)

    def gradients(self, q: Array) -> list[Array]:
        """Of each term, by element."""
        return [term.gradient(q) for term in self._terms]

    def hessians(self, q: Array) -> list[Array]:
        """Of each term, by element."""
        return [term.hessian(q) for term in self._terms]

    def vector(self, gradients: Sequence[Array]) -> Array:
        """(n,): the gradients of all terms summed."""
        return self._pattern.vector(gradients)

    def solve(self, hessians: Sequence[Array], diagonal: Array, b: Array) -> Array:
        """x (n,) with (H + diag(diagonal)) x = b, both (n,), for the free entries; 0 for the others."""
        values = self._pattern.assemble(hessians)
        values[self._pattern.diagonal] += diagonal[self._pattern.free]
        self._factorise(values)
        x = np.zeros(self._n)
        x[self._pattern.free] = self._solver.solve(b[self._pattern.free])
        return x

    def _factorise(self, values: Array) -> None:
        """The terms are positive semi-definite, their sum may be singular: then a little is added."""
        mean = float(np.abs(values[self._pattern.diagonal]).mean()) if self._pattern.unknowns else 0.0
        shift = FIRST_SHIFT * mean
        for _ in range(MOST_SHIFTS):
            try:
                self._solver.factorise(values)
                return
            except NotPositiveDefinite:
                values[self._pattern.diagonal] += shift
                shift *= 10.0
        self._solver.factorise(values)

"""Blocks of elements, summed into one sparse matrix that is solved with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from ..arrays import Doubles, Indices, Mask
from .linear import (
    BlockPlaces,
    ConjugateGradientSolver,
    LinearSolver,
    NotPositiveDefinite,
    SparsePattern,
    choose_solver,
    sum_of_vectors,
)

FIRST_SHIFT = 1e-8  # of the mean of the diagonal, added to it where rounding has cost positive definiteness
MOST_SHIFTS = 8
# In a step of time inertia makes the matrix of a solid well-conditioned: conjugate gradients then come near
# the solution long before its factors are found, near enough for a Newton step, which is corrected by the
# next one anyhow. Where they do not, as at rest or with a very stiff body, little time is lost.
LEAST_UNKNOWNS_TO_ITERATE = 3000
NEAR_ENOUGH = 1e-3  # the residual, of b
FEW_STEPS = 120
NOWHERE = BlockPlaces(np.empty(0, np.intp), None)


class Assembly:
    """A matrix over the free entries of q.

    Its pattern is that of some stencils. Where others are met later, as contact makes them, what they couple
    is taken in and kept: what touches now is likely to touch again.
    chosen: which linear solver, and why. The same input gives the same x, whatever was solved before, as long
    as the pattern is the same.
    """

    def __init__(self, stencils: Sequence[Indices], n: int, free: Mask, solid: bool) -> None:
        """n: the size of q; free: (n,) the entries that are solved for; solid: see `choose_solver`."""
        self._n, self._free, self._solid = n, free, solid
        self._coupled: list[Indices] = []
        self._make_pattern(stencils)

    def vector(self, stencils: Sequence[Indices], gradients: Sequence[Doubles]) -> Doubles:
        """(n,): the sum of the gradients (m_k, s_k) of the elements of each kind."""
        return sum_of_vectors(stencils, gradients, self._n)

    def solve(
        self,
        stencils: Sequence[Indices],
        hessians: Sequence[Doubles],
        diagonal: Doubles,
        b: Doubles,
        *,
        more: sparse.csc_matrix | None = None,
        shifted: bool = True,
    ) -> Doubles:
        """x (n,) with (H + diag(diagonal) + more) x = b, or near it, for the free entries; 0 for the others.

        H: the sum of blocks (m_k, s_k, s_k); diagonal, b (n,); more (n, n). x is a direction in which
        x . b > 0. shifted: what is not positive definite is made so; else it raises NotPositiveDefinite,
        if it shows.
        """
        self._follow(stencils, more)
        pattern = self._pattern
        parts = [(k.at, k.entries(hessian)) for k, hessian in zip(self._places, hessians, strict=True)]
        if more is not None:
            entries = sparse.tril(more, format="coo")
            there = pattern.places(entries.row, entries.col)
            assert there is not None  # `_follow` has taken them in
            parts.append((there, entries.data))
        values = pattern.sum(parts)
        values[pattern.diagonal] += diagonal[pattern.free]
        x = np.zeros(self._n)
        x[pattern.free] = self._solve(values, b[pattern.free], shifted)
        return x

    def _solve(self, values: Doubles, b: Doubles, shifted: bool) -> Doubles:
        if self._quick is not None:
            try:
                self._quick.factorise(values)
                x = self._quick.solve(b)
                if self._quick.residual <= NEAR_ENOUGH:
                    return x
            except NotPositiveDefinite:
                if not shifted:
                    raise
        if shifted:
            self._factorise(values)
        else:
            self._solver.factorise(values)
        return self._solver.solve(b)

    def _make_pattern(self, stencils: Sequence[Indices]) -> None:
        self._coupled += [stencil.copy() for stencil in stencils if len(stencil)]
        self._pattern = SparsePattern(self._coupled, self._n, self._free)
        self._solver: LinearSolver
        self._quick: ConjugateGradientSolver | None
        self._solver, self.chosen = choose_solver(self._pattern, self._solid)
        self._quick = None
        if self._solid and self._pattern.unknowns >= LEAST_UNKNOWNS_TO_ITERATE:
            self._quick = ConjugateGradientSolver(self._pattern, tolerance=NEAR_ENOUGH, most=FEW_STEPS)
            self.chosen += " Conjugate gradients are tried first."
        self._known: list[Indices] = []
        self._places: list[BlockPlaces] = []

    def _follow(self, stencils: Sequence[Indices], more: sparse.csc_matrix | None) -> None:
        """Find where the blocks go, and take in what is coupled for the first time."""
        missing = []
        if len(self._known) != len(stencils):
            self._known = [np.empty((0, 0), np.intp)] * len(stencils)
            self._places = [NOWHERE] * len(stencils)
        for k, stencil in enumerate(stencils):
            if stencil is not self._known[k] and not np.array_equal(stencil, self._known[k]):
                places = self._pattern.block_places(stencil)
                if places is None:
                    missing.append(stencil)
                else:
                    self._known[k], self._places[k] = stencil, places
        if more is not None:
            entries = sparse.tril(more, -1, format="coo")
            if self._pattern.places(entries.row, entries.col) is None:
                missing.append(np.column_stack([entries.row, entries.col]).astype(np.intp))
        if missing:
            self._make_pattern(missing)
            self._follow(stencils, more)

    def _factorise(self, values: Doubles) -> None:
        """A sum of semi-definite parts may be singular, or be so by rounding: then a little is added."""
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

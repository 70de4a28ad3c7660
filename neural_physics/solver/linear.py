"""Sparse symmetric positive definite systems whose pattern stays while their values change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Protocol

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from ..arrays import Doubles, Indices, Mask

# Up to here a factorisation takes seconds at most, however the matrix is conditioned. The fill of a solid's
# grows as n^(4/3) and its work as n^2, those of a shell's as n log n and n^(3/2) (George 1973).
MOST_UNKNOWNS_OF_SOLIDS = 50_000
MOST_UNKNOWNS_OF_SHELLS = 300_000
# SuperLU takes about seven times as long.
MOST_UNKNOWNS_FOR_SUPERLU = 15_000


class NotPositiveDefinite(ArithmeticError):
    """A matrix has an eigenvalue that is not positive; column: where that showed, or None if not known."""

    def __init__(self, column: int | None = None) -> None:
        super().__init__(
            "The matrix is not positive definite" + ("." if column is None else f" (column {column}).")
        )
        self.column = column


@dataclass(frozen=True)
class BlockPlaces:
    """Where the lower triangles of blocks (m, s, s) go among a pattern's values.

    at: the place of each entry, block by block. twice: (m, s (s + 1) / 2), which of them couple a degree of
    freedom with itself where an element has it twice, so that one entry stands for two; None: none does.
    """

    at: Indices
    twice: Mask | None

    def entries(self, blocks: Doubles) -> Doubles:
        """The entries of the lower triangles of blocks (m, s, s), as `at` has them."""
        m, s, _ = blocks.shape
        rows, columns = np.tril_indices(s)
        entries = np.take(blocks.reshape(m, s * s), rows * s + columns, axis=1)
        if self.twice is not None:
            entries[self.twice] *= 2.0
        return entries.ravel()


class SparsePattern:
    """Which degrees of freedom are coupled, found once, so that blocks are summed into place quickly.

    stencils: one (m_k, s_k) array of degrees of freedom 0..n-1 for each kind of element.
    n: how many there are. free: a (n,) mask or the rising (f,) indices of those to be solved
    for; all if None. Rows and columns of the others are left out of the matrix, which is f by f.
    Raises ValueError for indices out of range.

    The values of the matrix are those of its lower triangle, column by column with rising rows (CSC),
    every diagonal entry among them: `indptr` (f+1,) and `indices` (nnz,) as SciPy has them, and
    `diagonal` (f,), the places of the diagonal in the values. `free` (f,): the unknowns among 0..n-1.
    """

    def __init__(self, stencils: Sequence[Indices], n: int, free: Mask | Indices | None = None) -> None:
        self.n = n
        self.free: Indices = np.arange(n)[slice(None) if free is None else free]
        self.unknowns = f = len(self.free)
        self._unknown_of = np.full(n, -1)
        self._unknown_of[self.free] = np.arange(f)
        self._stencils = [np.asarray(stencil, np.intp) for stencil in stencils]
        keys = [np.arange(f) * (f + 1)]
        for stencil in self._stencils:
            if stencil.size and not 0 <= stencil.min() <= stencil.max() < n:
                raise ValueError(f"A stencil has a degree of freedom outside 0..{n - 1}.")
            rows, columns = np.tril_indices(stencil.shape[1])
            keys.append(self._key(stencil[:, rows].ravel(), stencil[:, columns].ravel()))
        every = np.unique(np.concatenate(keys))
        self._keys: Indices = every[every >= 0]
        columns, self.indices = np.divmod(self._keys, max(f, 1))
        self.indptr: Indices = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=f))])
        self.diagonal: Indices = np.searchsorted(self._keys, keys[0])

    @property
    def nnz(self) -> int:
        """How many values the lower triangle has."""
        return len(self.indices)

    def places(self, a: Indices, b: Indices) -> Indices | None:
        """Where the entries of degrees of freedom a (k,) and b (k,) are among the values; None if one is not.

        Those of what is not free are in one place behind the values.
        """
        keys = self._key(a, b)
        at = np.searchsorted(self._keys, keys)
        at[keys < 0] = self.nnz
        known = np.concatenate([self._keys, [-1]])
        return at if (known[at] == keys).all() else None

    def block_places(self, stencil: Indices) -> BlockPlaces | None:
        """Where the blocks of a stencil (m, s) go; None if it couples what this pattern does not."""
        rows, columns = np.tril_indices(stencil.shape[1])
        at = self.places(stencil[:, rows].ravel(), stencil[:, columns].ravel())
        if at is None:
            return None
        twice = (stencil[:, rows] == stencil[:, columns]) & (rows != columns)
        return BlockPlaces(at, twice if twice.any() else None)

    def sum(self, parts: Iterable[tuple[Indices, Doubles]]) -> Doubles:
        """The values (nnz,): of each part the entries (k,), added at their places (k,)."""
        values = np.zeros(self.nnz + 1)
        for at, entries in parts:
            values += np.bincount(at, entries, self.nnz + 1)
        return values[:-1]

    def assemble(self, blocks: Sequence[Doubles]) -> Doubles:
        """The values (nnz,) of the sum of symmetric blocks (m_k, s_k, s_k), one array for each stencil."""
        return self.sum(
            (places.at, places.entries(block)) for places, block in zip(self._own_places, blocks, strict=True)
        )

    def vector(self, blocks: Sequence[Doubles]) -> Doubles:
        """The sum (n,) of vectors (m_k, s_k), one array for each stencil, with what is not free too."""
        return sum_of_vectors(self._stencils, blocks, self.n)

    def matrix(self, values: Doubles) -> scipy.sparse.csr_matrix:
        """The whole symmetric f by f matrix, to multiply with."""
        indptr, indices, places = self._both_triangles
        shape = (self.unknowns, self.unknowns)
        return scipy.sparse.csr_matrix((values[places], indices, indptr), shape, copy=False)

    def _key(self, a: Indices, b: Indices) -> Indices:
        """A number for each entry, rising column by column in the lower triangle; -1 for what is not free."""
        a, b = self._unknown_of[a], self._unknown_of[b]
        low, high = np.minimum(a, b), np.maximum(a, b)
        return np.where(low < 0, -1, low * self.unknowns + high)

    @cached_property
    def _own_places(self) -> list[BlockPlaces]:
        return [places for stencil in self._stencils if (places := self.block_places(stencil)) is not None]

    @cached_property
    def columns(self) -> Indices:
        """(nnz,): the column of each value."""
        return np.repeat(np.arange(self.unknowns), np.diff(self.indptr))

    @cached_property
    def _both_triangles(self) -> tuple[Indices, Indices, Indices]:
        """The whole matrix as CSR: indptr, indices, and the place of each of its values in the triangle's."""
        below = np.flatnonzero(self.indices != self.columns)
        rows = np.concatenate([self.indices, self.columns[below]])
        columns = np.concatenate([self.columns, self.indices[below]])
        places = np.concatenate([np.arange(self.nnz), below])
        order = np.lexsort((columns, rows))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=self.unknowns))])
        # As 32-bit integers, which SciPy multiplies with the quickest and SuperLU asks for.
        return indptr.astype(np.int32), columns[order].astype(np.int32), places[order]


def sum_of_vectors(stencils: Sequence[Indices], vectors: Sequence[Doubles], n: int) -> Doubles:
    """(n,): the sum of the vectors (m_k, s_k) of the elements of each stencil."""
    total = np.zeros(n)
    for stencil, vector in zip(stencils, vectors, strict=True):
        total += np.bincount(stencil.ravel(), vector.ravel(), n)
    return total


class LinearSolver(Protocol):
    """Solves A x = b for one pattern, with new values now and then."""

    def factorise(self, values: Doubles) -> None:
        """Take the values (nnz,) of A. Raises NotPositiveDefinite, or ValueError where one is not finite."""
        ...

    def solve(self, b: Doubles) -> Doubles:
        """x for b (f,) or (f, k) of the values last taken, of the same shape."""
        ...


class CholeskySolver:
    """CHOLMOD's supernodal Cholesky factors (Chen et al. 2008), by way of cvxopt.

    ordering (f,): the order in which to eliminate the unknowns; METIS' nested dissection (Karypis and
    Kumar 1998) if None, or CHOLMOD's AMD where pymetis is missing. Hand on the `ordering` of an earlier
    pattern that has the same unknowns and nearly the same couplings, to save the time to find one.
    Raises ImportError where cvxopt is missing.
    """

    def __init__(self, pattern: SparsePattern, ordering: Indices | None = None) -> None:
        import cvxopt
        import cvxopt.cholmod

        self._cholmod, self._dense = cvxopt.cholmod, cvxopt.matrix
        self._pattern = pattern
        if ordering is None and find_spec("pymetis"):
            ordering = nested_dissection(pattern)
        self.ordering = ordering
        ones, shape = cvxopt.matrix(1.0, (pattern.nnz, 1)), (pattern.unknowns, pattern.unknowns)
        self._matrix = cvxopt.spmatrix(
            ones, _integers(cvxopt.matrix, pattern.indices), _integers(cvxopt.matrix, pattern.columns), shape
        )
        given = {} if ordering is None else {"p": _integers(cvxopt.matrix, ordering)}
        self._factors = self._cholmod.symbolic(self._matrix, uplo="L", **given)

    def factorise(self, values: Doubles) -> None:
        """See `LinearSolver`."""
        _check(self._pattern, values)
        self._matrix.V = self._dense(np.ascontiguousarray(values, np.float64))
        try:
            self._cholmod.numeric(self._matrix, self._factors)
        except ArithmeticError:
            # CHOLMOD's column is one of the permuted matrix, in an order that cvxopt does not give.
            raise NotPositiveDefinite from None

    def solve(self, b: Doubles) -> Doubles:
        """See `LinearSolver`."""
        x = self._dense(np.asarray(b, np.float64))
        self._cholmod.solve(self._factors, x)
        return np.array(x).reshape(b.shape)


class SuperLUSolver:
    """SuperLU's factors in its symmetric mode (Li 2005), by way of SciPy: where cvxopt is missing."""

    def __init__(self, pattern: SparsePattern) -> None:
        self._pattern = pattern

    def factorise(self, values: Doubles) -> None:
        """See `LinearSolver`."""
        _check(self._pattern, values)
        try:
            # With the diagonal as pivots A = L D L^T, and D shows as much as Cholesky factors would.
            self._factors = scipy.sparse.linalg.splu(
                self._pattern.matrix(values).tocsc(),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:  # exactly singular
            raise NotPositiveDefinite from None
        pivots = self._factors.U.diagonal()
        if not (self._factors.perm_r == self._factors.perm_c).all():
            raise NotPositiveDefinite
        if not (pivots > 0.0).all():
            raise NotPositiveDefinite(int(np.argmax(self._factors.perm_c == np.argmin(pivots > 0.0))))

    def solve(self, b: Doubles) -> Doubles:
        """See `LinearSolver`."""
        x: Doubles = self._factors.solve(np.asarray(b, np.float64))
        return x


class ConjugateGradientSolver:
    """Conjugate gradients with a block-Jacobi preconditioner: for systems too large to factorise.

    block: each `block` degrees of freedom from 0 on are one of its blocks, a vertex's coordinates.
    tolerance: stops where the residual is so small against b; most: or after so many steps for each
    right-hand side. A step too few still leaves x a direction of descent of x.A.x/2 - b.x: `steps` and
    `residual` (relative) say how the last solution ended, of its worst right-hand side.
    `solve` raises NotPositiveDefinite where it meets a direction of no or negative curvature.
    """

    def __init__(
        self, pattern: SparsePattern, block: int = 3, tolerance: float = 1e-8, most: int = 5000
    ) -> None:
        self._pattern, self._tolerance, self._most = pattern, tolerance, most
        self.steps, self.residual = 0, 0.0
        owners = pattern.free // block
        self._owners, self._within = np.unique(owners, return_inverse=True)[1], pattern.free % block
        self._blocks = (block, int(self._owners.max(initial=-1)) + 1)
        rows, columns = pattern.indices, pattern.columns
        self._inside = np.flatnonzero(owners[rows] == owners[columns])
        self._rows, self._columns = rows[self._inside], columns[self._inside]

    def factorise(self, values: Doubles) -> None:
        """See `LinearSolver`. Nothing is factorised but the diagonal blocks."""
        _check(self._pattern, values)
        size, count = self._blocks
        # A coordinate that is not free stands alone in its block, as 1.
        lower = np.broadcast_to(np.eye(size)[:, :, None], (size, size, count)).copy()
        at = (self._within[self._rows], self._within[self._columns], self._owners[self._rows])
        lower[at] = values[self._inside]
        self._preconditioner = _inverses(lower)
        self._matrix = self._pattern.matrix(values)

    def solve(self, b: Doubles) -> Doubles:
        """See `LinearSolver`. Approximate: `steps` and `residual` describe the result."""
        right = np.asarray(b, np.float64)
        if right.ndim == 1:
            x, self.steps, self.residual = self._solve_one(right)
            return x
        solved = [self._solve_one(column) for column in right.T]
        self.steps, self.residual = max(s[1] for s in solved), max(s[2] for s in solved)
        return np.stack([s[0] for s in solved], 1)

    def _solve_one(self, b: Doubles) -> tuple[Doubles, int, float]:
        x, residual = np.zeros_like(b), b.copy()
        size = float(np.linalg.norm(b))
        if size == 0.0:
            return x, 0, 0.0
        direction = z = self._precondition(residual)
        descent = float(residual @ z)
        steps, left = 0, 1.0
        while left > self._tolerance and steps < self._most:
            image = self._matrix @ direction
            curvature = float(direction @ image)
            if curvature <= 0.0:
                raise NotPositiveDefinite
            length = descent / curvature
            x += length * direction
            residual -= length * image
            steps, left = steps + 1, float(np.linalg.norm(residual)) / size
            z = self._precondition(residual)
            before, descent = descent, float(residual @ z)
            direction = z + descent / before * direction
        return x, steps, left

    def _precondition(self, residual: Doubles) -> Doubles:
        blocks = np.zeros(self._blocks)
        blocks[self._within, self._owners] = residual
        scaled = np.einsum("ijb,jb->ib", self._preconditioner, blocks)
        return scaled[self._within, self._owners]


def choose_solver(pattern: SparsePattern, solid: bool, block: int = 3) -> tuple[LinearSolver, str]:
    """The quickest solver that is installed for a pattern of this size, and a sentence that says why.

    solid: whether there are elements that fill a volume, not only shells and rods. block: as
    ConjugateGradientSolver has it.
    """
    n, cholmod = pattern.unknowns, find_spec("cvxopt") is not None
    most = MOST_UNKNOWNS_OF_SOLIDS if solid else MOST_UNKNOWNS_OF_SHELLS
    most = most if cholmod else min(most, MOST_UNKNOWNS_FOR_SUPERLU)
    missing = "" if cholmod else " without cvxopt"
    if n > most:
        why = f"Conjugate gradients: {n} unknowns are more than the {most} to factorise{missing}."
        return ConjugateGradientSolver(pattern, block), why
    if not cholmod:
        return SuperLUSolver(pattern), f"SuperLU: {n} unknowns are few enough to factorise{missing}."
    ordering = "METIS" if find_spec("pymetis") else "AMD, as pymetis is missing"
    return CholeskySolver(pattern), f"CHOLMOD, ordered by {ordering}: {n} unknowns are at most {most}."


def nested_dissection(pattern: SparsePattern) -> Indices:
    """(f,): METIS' order in which to eliminate the unknowns with little fill. Needs pymetis."""
    import pymetis

    below = pattern.indices != pattern.columns
    rows, columns = pattern.indices[below], pattern.columns[below]
    starts = np.concatenate([rows, columns])
    order = np.argsort(starts, kind="stable")
    counts = np.bincount(starts, minlength=pattern.unknowns)
    adjacency = pymetis.CSRAdjacency(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        np.concatenate([columns, rows])[order].astype(np.int32),
    )
    return np.array(pymetis.nested_dissection(adjacency)[0], np.intp)


def _inverses(lower: Doubles) -> Doubles:
    """The inverses of symmetric positive definite blocks (s, s, n), of which the lower triangles are read;
    the same shape.

    All at once, by Gauss and Jordan: LAPACK takes them one by one. NotPositiveDefinite where one is not.
    """
    size = len(lower)
    rest = np.where(np.tri(size, dtype=bool)[:, :, None], lower, lower.swapaxes(0, 1))
    for k in range(size):
        pivot = rest[k, k].copy()
        if not (pivot > 0.0).all():
            raise NotPositiveDefinite
        column = rest[:, k].copy()
        row = rest[k] / pivot
        row[k] = 1.0 / pivot
        column[k] = 0.0
        rest[:, k] = 0.0
        rest[k] = 0.0
        rest -= column[:, None] * row
        rest[k] = row
    return rest


def _integers(matrix: Callable[..., object], numbers: Indices) -> object:
    """A matrix of integers for cvxopt: from a list, as it takes an array's integers by their name in C."""
    return matrix(numbers.tolist(), (len(numbers), 1), "i")


def _check(pattern: SparsePattern, values: Doubles) -> None:
    """What every solver refuses before it starts."""
    if values.shape != (pattern.nnz,):
        raise ValueError(f"{values.shape} values for a pattern of {pattern.nnz}.")
    if not np.isfinite(values).all():
        raise ValueError("The matrix has values that are not finite.")
    diagonal = values[pattern.diagonal]
    if (diagonal <= 0.0).any():
        raise NotPositiveDefinite(int(np.argmin(diagonal)))

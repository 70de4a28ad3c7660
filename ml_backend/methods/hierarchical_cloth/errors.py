"""How far finer levels are from the truth if level 0 is true, beside what subdivision alone gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from learning.training.validation_error import ValidationError, of_frames
from ml_backend.methods.hierarchical_cloth.pairs import Shapes
from neural_physics.arrays import Doubles
from neural_physics.methods.hierarchical_cloth.neighbourhood import neighbourhood
from neural_physics.subdivision.levels import Hierarchy, Level

SparseMatrix = scipy.sparse.csr_matrix
Shape = tuple[int, int]
Refine = Callable[[NDArray[np.floating]], NDArray[np.floating]]  # (n, 3) of level 0 -> (3, V) of the finest


def rms_error(refine: Refine, cloth: Shapes, level: int | None = None) -> float:
    """Metres, over all vertices that level 0 lacks and all frames; up to `level`, or all levels."""
    return float(np.sqrt(_squares(refine, cloth, level).mean()))


def validation_error(made: Callable[[Shapes], Refine], shapes: Iterable[Shapes]) -> ValidationError:
    """Over all frames of all cloths, relative to linear subdivision."""
    wrong, linear = [], []
    for cloth in shapes:
        wrong.append(_squares(made(cloth), cloth))
        linear.append(_squares(linear_subdivision(cloth.hierarchy), cloth))
    return of_frames(np.concatenate(wrong), float(np.concatenate(linear).mean()))


def _squares(refine: Refine, cloth: Shapes, level: int | None = None) -> Doubles:
    """(T,): of each frame, the mean of the squared distance of all vertices that level 0 lacks, m^2."""
    levels = cloth.hierarchy.levels
    first, last = levels[0].vertex_count, levels[-1 if level is None else level].vertex_count
    squares = []
    for frame in cloth.frames:
        truth = cloth.hierarchy.sorted(frame)
        wrong = refine(truth[:first])[:, first:last].T - truth[first:last]
        squares.append(float((wrong * wrong).sum()) / (last - first))
    return np.array(squares)


def linear_subdivision(hierarchy: Hierarchy) -> Refine:
    """New vertices in the middle of the edges."""
    return _refined(hierarchy, _linear_weights)


def butterfly_subdivision(hierarchy: Hierarchy) -> Refine:
    """Dyn, Levin and Gregory 1990, tension 1/16; the cloth is continued flat beyond its boundary."""
    return _refined(hierarchy, _butterfly_weights)


def loop_subdivision(hierarchy: Hierarchy) -> Refine:
    """Loop 1987, with the boundary's own rules; the coarse vertices move, too."""
    return _refined(hierarchy, _loop_weights)


def _refined(hierarchy: Hierarchy, weights: Callable[[Level], SparseMatrix]) -> Refine:
    matrices = [weights(level) for level in hierarchy.levels[:-1]]

    def refine(coarse: NDArray[np.floating]) -> NDArray[np.floating]:
        x = coarse.astype(np.float64)
        for matrix in matrices:
            x = matrix @ x
        return np.ascontiguousarray(x.T)

    return refine


def _matrix(
    weights: Sequence[tuple[NDArray[np.integer], NDArray[np.integer], Doubles]], shape: Shape
) -> SparseMatrix:
    """A sparse matrix from rows, columns and weights, summed where there are several."""
    rows, columns, values = (np.concatenate(column) for column in zip(*weights, strict=True))
    return scipy.sparse.csr_matrix((values, (rows, columns)), shape)


def _old(level: Level) -> tuple[NDArray[np.integer], NDArray[np.integer], Doubles]:
    """Coarse vertices stay."""
    old = np.arange(level.vertex_count)
    return old, old, np.ones(len(old))


def _linear_weights(level: Level) -> SparseMatrix:
    n, e = level.vertex_count, len(level.edges)
    new = n + np.repeat(np.arange(e), 2)
    return _matrix([_old(level), (new, level.edges.ravel(), np.full(2 * e, 0.5))], (n + e, n))


def _butterfly_weights(level: Level) -> SparseMatrix:
    n, e = level.vertex_count, len(level.edges)
    around = neighbourhood(level)
    extended = np.zeros((n, n + around.ghost_count))
    extended[:, :n] = np.eye(n)
    around.add_ghosts(extended, n)
    triangle, k = level.slots[0] // 3, level.slots[0] % 3
    q, r = (k + 1) % 3, (k + 2) % 3
    stencil = np.stack([q, r, k, 3 + k, 3 + q, 3 + r, 6 + 2 * k, 7 + 2 * k])
    weights = np.repeat([0.5, 0.5, 0.125, 0.125] + [-0.0625] * 4, e)
    new = np.tile(np.arange(e), len(stencil))
    points = around.points[stencil, triangle].ravel()
    odd = scipy.sparse.csr_matrix((weights, (new, points)), (e, n + around.ghost_count))
    return scipy.sparse.vstack([scipy.sparse.eye(n), odd @ scipy.sparse.csr_matrix(extended.T)]).tocsr()


def _loop_weights(level: Level) -> SparseMatrix:
    n, e = level.vertex_count, len(level.edges)
    inner = level.slots[0] != level.slots[1]
    at_edges = np.flatnonzero(~inner)
    opposite = level.triangles.ravel()[level.slots]
    new = n + np.arange(e)
    of_ends = np.where(inner, 0.375, 0.5)
    parts = [(new, level.edges[:, side], of_ends) for side in (0, 1)]
    parts += [(new[inner], one[inner], np.full(inner.sum(), 0.125)) for one in opposite]
    boundary = np.zeros(n, bool)
    boundary[level.edges[at_edges]] = True
    valence = np.bincount(level.edges.ravel(), minlength=n)
    safe = np.maximum(valence, 1)
    beta = (0.625 - (0.375 + 0.25 * np.cos(2 * np.pi / safe)) ** 2) / safe
    stays = np.where(boundary, 0.75, 1.0 - valence * beta)
    parts.append((np.arange(n), np.arange(n), stays))
    for a, b in (level.edges.T, level.edges.T[::-1]):
        weight = np.where(boundary[a], np.where(inner, 0.0, 0.125), beta[a])
        parts.append((a, b, weight))
    return _matrix(parts, (n + e, n))

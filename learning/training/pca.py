"""Principal component analysis of more frames than fit in memory (Holden 2019, section 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from neural_physics.arrays import Doubles, Floats
from neural_physics.jobs.cores import usable_cores

Chunks = Callable[[], Iterator[Floats]]

SETTLED = 1e-4  # relative change of the captured variance between two passes
MOST_PASSES = 8
CORES = len(usable_cores())


@dataclass(frozen=True)
class Subspace:
    """mean (d,), basis (u, d) with orthonormal rows, deviations (u,) of the data along them, falling.

    All float32, in the data's unit. captured: the share of the data's variance within the basis.
    """

    mean: Floats
    basis: Floats
    deviations: Floats
    captured: float


def fit_pca(
    chunks: Chunks, bases: int, seed: int = 0, *, report: Callable[[int], None] = lambda _: None
) -> Subspace:
    """The leading `bases` principal components of the rows of all chunks, each chunk (n, d) float32.

    U and x_mu (Holden 2019, section 5.1).

    Randomised subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4) with twice the
    bases asked for, until the captured variance settles; exact where the rows or columns are no more
    than that. Goes through the chunks once for the mean and once per pass; `report` is called with the number
    of rows read. Holds 6 (d, 2 bases) arrays, whatever the number of rows. At most as many bases come back as
    the data has directions.
    """
    mean, count, variance = _moments(chunks, report)
    width = min(2 * bases, count, len(mean))
    random = np.random.default_rng(seed)
    q = np.linalg.qr(random.standard_normal((len(mean), width), np.float32))[0]
    captured = 0.0
    for _ in range(MOST_PASSES):
        product, small = _pass(chunks, mean, q, report)
        values, vectors = np.linalg.eigh(small / count)
        before, captured = captured, float(np.maximum(values, 0.0)[-bases:].sum())
        leading = q @ vectors.astype(np.float32)
        q = np.linalg.qr(product)[0]
        if captured - before <= SETTLED * captured:
            break
    order = np.arange(width - 1, -1, -1)[:bases]
    kept = order[values[order] > 1e-12 * max(variance, 1e-30)]
    return Subspace(
        mean,
        np.ascontiguousarray(leading[:, kept].T),
        np.sqrt(values[kept]).astype(np.float32),
        float(values[kept].sum()) / max(variance, 1e-30),
    )


def _moments(chunks: Chunks, report: Callable[[int], None]) -> tuple[Floats, int, float]:
    """Mean (d,), number of rows, and total variance."""
    total: Doubles | None = None
    count, squares = 0, 0.0
    for rows in chunks():
        sums = rows.sum(0, dtype=np.float64)
        total = sums if total is None else total + sums
        squares += float(np.einsum("ij,ij->", rows, rows, dtype=np.float64))
        count += len(rows)
        report(len(rows))
    assert total is not None  # there is at least one row
    mean = total / count
    return mean.astype(np.float32), count, max(0.0, squares / count - float(mean @ mean))


def _pass(chunks: Chunks, mean: Floats, q: Floats, report: Callable[[int], None]) -> tuple[Floats, Doubles]:
    """C q (d, l) and q^T C q (l, l), where C is the rows' scatter matrix."""
    product = np.zeros_like(q)
    small = np.zeros((q.shape[1], q.shape[1]))
    columns = _slices(len(q))

    def add(some: slice, rows: Floats, projected: Floats) -> None:
        product[some] += rows[:, some].T @ projected

    # A training has one thread of NumPy's, see `program`; these products are large enough for all cores.
    with ThreadPoolExecutor(CORES) as pool:
        for chunk in chunks():
            rows = chunk - mean
            parts = pool.map(lambda some, rows=rows: rows[some] @ q, _slices(len(rows)))
            projected = np.concatenate(list(parts))
            list(pool.map(lambda some, of=(rows, projected): add(some, *of), columns))
            small += projected.T @ projected
            report(len(chunk))
    return product, small


def _slices(count: int) -> list[slice]:
    """As many parts as there are cores, of `count` things."""
    ends = np.linspace(0, count, CORES + 1).round().astype(int)
    return [slice(start, end) for start, end in pairwise(ends) if end > start]

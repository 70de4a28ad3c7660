"""Principal component analysis of more frames than fit in memory (Holden 2019, section 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch

from neural_physics.arrays import Doubles, Floats

Chunks = Callable[[], Iterator[Floats]]

SETTLED = 1e-4  # relative change of the captured variance between two passes
MOST_PASSES = 8


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
    chunks: Chunks,
    bases: int,
    device: torch.device,
    seed: int = 0,
    *,
    report: Callable[[int], None] = lambda _: None,
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
    centre = torch.from_numpy(mean).to(device)
    generator = torch.Generator().manual_seed(seed)
    q = torch.linalg.qr(torch.randn(len(mean), width, generator=generator).to(device))[0]
    captured = 0.0
    for _ in range(MOST_PASSES):
        product, small = _pass(chunks, centre, q, report)
        values, vectors = torch.linalg.eigh(small / count)
        before, captured = captured, float(values.clamp(min=0)[-bases:].sum())
        leading = (q.double() @ vectors).float()
        q = torch.linalg.qr(product)[0]
        if captured - before <= SETTLED * captured:
            break
    order = torch.arange(width - 1, -1, -1)[:bases]
    kept = order[(values[order] > 1e-12 * max(variance, 1e-30)).cpu()]
    basis = leading[:, kept].T.contiguous()
    return Subspace(
        mean,
        basis.cpu().numpy(),
        values[kept].sqrt().float().cpu().numpy(),
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


def _pass(
    chunks: Chunks, centre: torch.Tensor, q: torch.Tensor, report: Callable[[int], None]
) -> tuple[torch.Tensor, torch.Tensor]:
    """C q (d, l) and q^T C q (l, l), where C is the rows' scatter matrix."""
    product = torch.zeros_like(q)
    small = torch.zeros(q.shape[1], q.shape[1], dtype=torch.float64, device=q.device)
    for chunk in chunks():
        rows = torch.from_numpy(chunk).to(q.device) - centre
        projected = rows @ q
        product += rows.T @ projected
        small += (projected.T @ projected).double()
        report(len(chunk))
    return product, small

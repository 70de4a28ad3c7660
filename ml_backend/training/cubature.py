"""Which tetrahedra represent all (An et al. 2008; weights above 0, von Tycowicz et al. 2013)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from neural_physics.arrays import Doubles, Indices

ROUNDS = 20  # in which elements are chosen, some at a time
NOTHING = 1e-9  # of the most that any does: what does no more, as between pinned vertices, is rounding


@dataclass(frozen=True)
class Chosen:
    """elements (k,) rising, and weights (k,), above 0; error: of the forces, relative, root mean square."""

    elements: Indices
    weights: Doubles
    error: float


def fit_elements(forces: Doubles, count: int, every: Doubles | None = None) -> Chosen:
    """At most `count` elements whose weighted forces add up to those of all (Romero 2021, section 3.3).

    forces (T, m, c): of T shapes, what each of m elements does to each of c coordinates. Every shape counts
    alike. Those are chosen, some at a time, that point most towards what is still missing; none that does
    nothing, whose weight would be without bounds.
    every (T, c): what all do, where the m elements are only some of them.
    """
    _, m, columns = forces.shape
    whole = every is None
    every = forces.sum(1) if every is None else every
    sizes = np.linalg.norm(every, axis=1)
    usable = sizes > 1e-12 * sizes.max(initial=1e-300)
    scaled = forces[usable] / sizes[usable, None, None]
    rows = scaled.swapaxes(1, 2).reshape(int(usable.sum()) * columns, m)
    target = (every[usable] / sizes[usable, None]).ravel()
    if (whole and count >= m) or not len(rows):
        return Chosen(np.arange(m), np.ones(m), 0.0)
    lengths = np.linalg.norm(rows, axis=0)
    idle = lengths <= NOTHING * lengths.max()
    lengths[idle] = 1.0
    chosen, weights = np.zeros(0, np.intp), np.zeros(0)
    for number in range(ROUNDS):
        missing = target - rows[:, chosen] @ weights
        gains = missing @ rows / lengths
        gains[chosen] = gains[idle] = -np.inf
        wanted = count * (number + 1) // ROUNDS - len(chosen)
        if wanted <= 0:
            continue
        best = np.argsort(gains)[::-1][:wanted]
        chosen = np.concatenate([chosen, best[gains[best] > 0.0]])
        weights = nnls(rows[:, chosen], target, maxiter=30 * len(chosen))[0]
        chosen, weights = chosen[weights > 0.0], weights[weights > 0.0]
    order = np.argsort(chosen)
    error = float(np.linalg.norm(target - rows[:, chosen] @ weights) / np.linalg.norm(target))
    return Chosen(chosen[order], weights[order], error)


def fit_masses(weights: Doubles, masses: Doubles, vertices: Indices) -> Doubles:
    """(S,) kg, not negative: of the vertices (S,) that represent all, whose masses (B,) are given.

    M for the handles (Romero 2021, section 3.3, where the forces' weights serve).

    weights (B, h): of the handles, with rows of the sum 1. What is met, as well as it goes, is the reduced
    mass W^T M W; what is met exactly is the whole mass, without which a body would weigh another amount.
    """
    some = weights[vertices]
    i, j = np.triu_indices(weights.shape[1])
    rows = (some[:, i] * some[:, j]).T
    target = (masses[:, None] * weights).T @ weights
    scale = np.where(i == j, 1.0, np.sqrt(2.0))
    rows, target = rows * scale[:, None], target[i, j] * scale
    heavy = 10.0 * float(np.linalg.norm(rows)) / np.sqrt(len(vertices))
    rows = np.concatenate([rows, np.full((1, len(vertices)), heavy)])
    found: Doubles = nnls(rows, np.concatenate([target, [heavy * masses.sum()]]))[0]
    return found * (masses.sum() / found.sum())

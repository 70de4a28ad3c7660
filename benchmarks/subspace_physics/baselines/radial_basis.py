"""Radial basis functions: a Gaussian about each of some states of the training takes (Holden 2019, 7.2).

The paper says no more of them than that they cost time and memory with much data, so: as many centres, drawn
by chance from the training takes, as give the weights that a network has; weights by ridge regression of
each frame's z_t - z_bar_t, from which Algorithm 1 may go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

import numpy as np

from benchmarks.subspace_physics.baselines.cells import Arrays, Memory
from benchmarks.subspace_physics.baselines.parameters import Array, Layout
from learning.methods.subspace_physics.initial_model import fitted
from learning.training.subspace_data import Sequences, SubspaceData
from neural_physics.arrays import Doubles, Floats

RIDGE = 1e-4  # of the Gaussians' mean square
WIDTHS = (0.5, 1.0, 2.0)  # tried, in median distances of two centres
CHUNK = 4096  # rows whose Gaussians are in memory at once
LEAST_SIZE = 1e-12  # of what is divided by


class RbfCell:
    """weights . exp(-|f - c|^2 / (2 width^2)), with f = [z_bar - z, z, w, dw].

    Each of the four parts of f is divided by its own size over the training takes: else where the ball is,
    three numbers, would hardly count beside the coefficients.
    """

    remembers: tuple[int, ...] = ()

    def __init__(self, data: SubspaceData, count: int, seed: int, held: float = RIDGE) -> None:
        """count: of centres. held: see `ridge`."""
        self._held = held
        x, targets = one_step(data.training, fitted(data.training))
        u, v = targets.shape[1], data.training.w.shape[1]
        self._parts = np.cumsum([u, u, v])
        features = x.copy()
        features[:, :u] -= x[:, u : 2 * u]
        scale = np.concatenate(
            [np.full(part.shape[1], _size(part)) for part in np.split(features, self._parts, 1)]
        ).astype(np.float32)
        random = np.random.default_rng(seed)
        centres = features[random.choice(len(x), min(count, len(x)), replace=False)] / scale
        self.layout = Layout({"weights": (u, len(centres))})
        distances = np.sqrt(squared_distances(centres, centres, np))[np.triu_indices(len(centres), 1)]
        held_out = one_step(data.validation, fitted(data.training))
        best = np.inf
        for width in np.median(distances) * np.array(WIDTHS):
            inverse = np.array(0.5 / width**2, np.float32)
            constants: dict[str, Floats] = {"scale": scale, "centres": centres, "inverse": inverse}
            found = self._fitted(x, targets, constants)
            off = np.square(self._answer(found, held_out[0], constants) - held_out[1]) @ data.deviations**2
            if float(off.mean()) < best:
                best, self.initial, self.constants = float(off.mean()), found, constants

    @staticmethod
    def parameters(bases: int, count: int) -> int:
        """How many weights so many centres have."""
        return bases * count

    def begin(
        self, p: Arrays, before: Array, now: Array, *, xp: ModuleType, random: np.random.Generator | None
    ) -> Memory:
        """See `Cell`."""
        return ()

    def change(self, p: Arrays, x: Array, memory: Memory, xp: ModuleType) -> tuple[Array, Memory]:
        """See `Cell`."""
        return self._gaussians(p, x, xp) @ p["weights"].T, memory

    def _gaussians(self, p: Arrays, x: Array, xp: ModuleType) -> Array:
        u = int(self._parts[0])
        features = xp.concatenate([x[:, :u] - x[:, u : 2 * u], x[:, u:]], -1) / p["scale"]
        return xp.exp(-p["inverse"] * squared_distances(features, p["centres"], xp))

    def _fitted(self, x: Floats, targets: Floats, constants: Arrays) -> Floats:
        chunks = [slice(first, first + CHUNK) for first in range(0, len(x), CHUNK)]
        rows = ((self._gaussians(constants, x[c], np).astype(np.float64), targets[c]) for c in chunks)
        return self.layout.vector({"weights": ridge(rows, self._held)})

    def _answer(self, theta: Floats, x: Floats, constants: Arrays) -> Floats:
        return np.asarray(self.change({**constants, **self.layout.views(theta)}, x, (), np)[0])


def one_step(sequences: Sequences, initial: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """What a cell sees (N, i) at every frame with two before it, and z_t - z_bar_t (N, u), both float32."""
    (alpha, beta), inputs, targets = initial, [], []
    for run in sequences.runs():
        z, w = sequences.z[run], sequences.w[run]
        z_bar = alpha * z[1:-1] + beta * (z[1:-1] - z[:-2])
        inputs.append(np.concatenate([z_bar, z[1:-1], w[2:], w[2:] - w[1:-1]], 1))
        targets.append(z[2:] - z_bar)
    return np.concatenate(inputs), np.concatenate(targets)


def squared_distances(a: Array, b: Array, xp: ModuleType) -> Array:
    """(n, m) of rows (n, d) and (m, d)."""
    squares = (a * a).sum(-1)[:, None] + (b * b).sum(-1) - 2.0 * (a @ b.T)
    return xp.where(squares > 0.0, squares, xp.zeros_like(squares))


def ridge(chunks: Iterable[tuple[Floats, Floats]], held: float) -> Doubles:
    """Weights (u, m) of the regression from (n, m) to (n, u), in chunks of rows.

    held: the penalty of the weights, in the inputs' mean square. With none of it, as many inputs as rows go
    through every one of them.
    """
    gram, answers = _sums(chunks)
    return np.asarray(np.linalg.solve(gram + held * np.diag(gram).mean() * np.eye(len(gram)), answers).T)


def _sums(chunks: Iterable[tuple[Floats, Floats]]) -> tuple[Doubles, Doubles]:
    grams, answers = zip(*((i.T @ i, i.T @ t) for i, t in chunks), strict=True)
    return np.sum(grams, 0), np.sum(answers, 0)


def _size(part: Floats) -> float:
    return max(float(np.sqrt(np.square(part).sum(1).mean())), LEAST_SIZE)

"""The initial model that a network corrects, in windows: eq. 1 of Holden 2019, or what takes its place."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from learning.training.subspace_data import Sequences
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats


class Guesses(Protocol):
    """The guesses of one window, frame by frame, and their gradients, from the last frame to the first."""

    def guess(self, t: int, now: Floats, before: Floats, *, z_bar: Floats, seen: Floats) -> None:
        """Write the guess (n, u) after the states now and before, and what the network sees of it (n, f)."""

    def pull(self, t: int, by_z_bar: Floats, by_seen: Floats, *, by_now: Floats, by_before: Floats) -> None:
        """Add to the gradients by the two states where those by what `guess` wrote are given."""

    def gradient(self) -> Floats:
        """The gradient by the model's parameters (p,), when all frames were pulled."""


class InitialModel(Protocol):
    """Guesses z_t; the network adds to it.

    initial: its parameters before training (p,) float32. features: f, how many numbers the network sees of it
    beside the guess; changes: how many of these, at their end, are of z.
    """

    @property
    def initial(self) -> Floats:
        """See above."""

    @property
    def features(self) -> int:
        """See above."""

    @property
    def changes(self) -> int:
        """See above."""

    def window(self, parameters: Floats, w: Floats) -> Guesses:
        """The guesses of a window with w (T, n, v) of its frames."""

    def tensors(self, parameters: Floats) -> Tensors:
        """Its part of a model file."""


def fitted(data: Sequences) -> tuple[Floats, Floats]:
    """alpha and beta (u,) float32 of eq. 1 by eq. 2: for each basis a least-squares fit of its own."""
    now, before, change = [], [], []
    for run in data.runs():
        z = data.z[run].astype(np.float64)
        now.append(z[2:])
        before.append(z[1:-1])
        change.append(z[1:-1] - z[:-2])
    a, b, target = np.concatenate(before), np.concatenate(change), np.concatenate(now)
    aa, ab, bb = (a * a).sum(0), (a * b).sum(0), (b * b).sum(0)
    at, bt = (a * target).sum(0), (b * target).sum(0)
    systems = np.stack([np.stack([aa, ab], -1), np.stack([ab, bb], -1)], -2)
    # The pseudo-inverse, as a basis that never moves has no velocity to fit.
    solution = (np.linalg.pinv(systems, hermitian=True) @ np.stack([at, bt], -1)[..., None])[..., 0]
    return solution[:, 0].astype(np.float32), solution[:, 1].astype(np.float32)


class EachBasisByItself:
    """z_bar = alpha z_{t-1} + beta (z_{t-1} - z_{t-2}) (Holden 2019, eq. 1); it has nothing to train."""

    features = changes = 0

    def __init__(self, alpha: Floats, beta: Floats) -> None:
        self.alpha, self.beta, self._both = alpha, beta, alpha + beta
        self.initial = np.empty(0, np.float32)

    def window(self, parameters: Floats, w: Floats) -> Guesses:
        """See `InitialModel`."""
        return self

    def tensors(self, parameters: Floats) -> Tensors:
        """See `InitialModel`."""
        return {"alpha": self.alpha, "beta": self.beta}

    def guess(self, t: int, now: Floats, before: Floats, *, z_bar: Floats, seen: Floats) -> None:
        """See `Guesses`."""
        np.multiply(now, self._both, out=z_bar)
        z_bar -= before * self.beta

    def pull(self, t: int, by_z_bar: Floats, by_seen: Floats, *, by_now: Floats, by_before: Floats) -> None:
        """See `Guesses`."""
        by_now += by_z_bar * self._both
        by_before -= by_z_bar * self.beta

    def gradient(self) -> Floats:
        """See `Guesses`."""
        return self.initial

"""Rollouts of latent dynamics beside the solver: shapes of the simulated body, their energies and errors.

All in the axes that takes are stored in; lengths in metres, energies in J.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.latent_dynamics.training import BASES
from learning.training.spans import Span, split
from ml_backend.methods.latent_dynamics.acting_frames import to_and_fro as times_to_and_fro
from ml_backend.methods.latent_dynamics.data import LatentData, driven_by, of_body, prepare
from ml_backend.methods.latent_dynamics.potential.body_energy import BodyEnergy
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.latent_dynamics.method import LatentDynamics
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model

Array = NDArray[np.float64]

CHUNK = 100  # frames whose energies are looked at together
SAME = 1e-4  # of the body's size: how near the bases found again must be to the model's
TWICE = 2.0  # of the solver's largest elastic energy: what is above has diverged


def load(path: Path) -> LatentDynamics:
    """A model of this method."""
    method = load_method(read_model(path))
    assert isinstance(method, LatentDynamics)
    return method


class Roller:
    """A model of a dataset's body, of all of its vertices: a solid's mesh only hangs in it.

    mean (B, 3), basis (r + F, B, 3): of what `LatentDynamics.coefficients` gives; moved: r, how many of
    them carry the body along with its pins.
    """

    def __init__(self, path: Path, dataset: Dataset) -> None:
        assert dataset.body is not None
        self.method, self.body, self.dt = load(path), dataset.body, dataset.info.dt
        model = read_model(path)
        self.moved = (
            len(model.tensor("offsets", -1, dataset.info.channels.size)) if "offsets" in model.tensors else 0
        )
        mean, basis = (model.tensors[name].astype(np.float64) for name in ("mean", "basis"))
        if self.body.embedding_corners is not None:
            mean, basis = self._of_body(path, dataset, mean, basis)
        self.mean, self.basis = mean, basis
        self._energy = BodyEnergy(self.body, torch.device("cpu"), torch.float64)

    def coefficients(self, y: NDArray[np.float32]) -> NDArray[np.float32]:
        """(T, r + F) of a rollout from the start that sees nothing but y (T, e)."""
        state, found = self.method.start(y[0]), []
        for t, each in enumerate(y):
            if t:
                state = self.method.step(state, each)
            found.append(self.method.coefficients(state, each))
        return np.array(found)

    def shapes(self, coefficients: NDArray[np.float32]) -> Iterator[Array]:
        """(n, B, 3), CHUNK frames at a time."""
        flat = self.basis.reshape(len(self.basis), -1)
        for first in range(0, len(coefficients), CHUNK):
            rows = coefficients[first : first + CHUNK].astype(np.float64) @ flat
            yield self.mean + rows.reshape(len(rows), -1, 3)

    def elastic(self, x: Array) -> Array:
        """(n,) J of shapes (n, B, 3)."""
        energies: Array = self._energy(torch.from_numpy(x)).numpy()
        return energies

    def kinetic(self, x: Array) -> Array:
        """(n - 1,) J of shapes (n, B, 3) that follow each other, as seen from the pins' mean."""
        seen = x - x[:, self.body.pinned].mean(1, keepdims=True) if self.body.pinned.any() else x
        speed = np.diff(seen, axis=0) / self.dt
        energies: Array = 0.5 * ((speed * speed).sum(2) @ self.body.masses)
        return energies

    def carried(self, coefficients: NDArray[np.float32], start: Array) -> Iterator[Array]:
        """(n, B, 3): the start's shape (B, 3), carried along with its pins and nothing else."""
        flat = self.basis[: self.moved].reshape(self.moved, self.mean.size)
        away = coefficients[:, : self.moved].astype(np.float64) - coefficients[0, : self.moved]
        for first in range(0, len(away), CHUNK):
            rows = away[first : first + CHUNK] @ flat
            yield start + rows.reshape(len(rows), -1, 3)

    def _of_body(self, path: Path, dataset: Dataset, mean: Array, basis: Array) -> tuple[Array, Array]:
        """The same of the body's vertices: its bases are found again as in the training."""
        data = _prepared(dataset)
        own = np.concatenate([data.motion.offsets, data.basis])
        on_mesh = np.stack([self.body.carried(each) for each in own])
        # The features are in units of the largest deviation, which is not in the file.
        scale = (on_mesh[self.moved :] * basis[self.moved :]).sum() / (on_mesh[self.moved :] ** 2).sum()
        own[self.moved :] *= scale
        on_mesh[self.moved :] *= scale
        size = float(np.linalg.norm(np.ptp(self.body.rest_positions, axis=0)))
        off = float(max(np.abs(on_mesh - basis).max(), np.abs(self.body.carried(data.mean) - mean).max()))
        if off > SAME * max(size, float(np.abs(basis).max())):
            raise SystemExit(f"{dataset.path} is not what {path} was trained on: {off:.2g} m off")
        return data.mean, own


@lru_cache(maxsize=8)
def _prepared(dataset: Dataset) -> LatentData:
    body = dataset.body
    assert body is not None
    torch.set_num_threads(1)
    training, validation = map(of_body, split(dataset))
    return prepare(
        training,
        validation,
        dataset,
        body,
        bases=BASES,
        emit=lambda event: None,
        stop=StopRequest(),
    )


@dataclass(frozen=True)
class Course:
    """A rollout beside a take, frame by frame: (T,) each, kinetic energies (T - 1,).

    away, rest: root mean square distances of the rollout, and of the carried start, from the take, m.
    at_pins: the largest distance at a pin, m. elastic, kinetic: J; those of the solver have true_ before.
    """

    away: Array
    rest: Array
    at_pins: Array
    elastic: Array
    true_elastic: Array
    kinetic: Array
    true_kinetic: Array

    def error(self, frames: slice) -> float:
        """Relative to the carried start."""
        return float(np.sqrt((self.away[frames] ** 2).mean() / (self.rest[frames] ** 2).mean()))

    def kept(self, frames: slice) -> float:
        """The kinetic energy, over the solver's."""
        return float(self.kinetic[frames].mean() / self.true_kinetic[frames].mean())


def course(roller: Roller, take: Take, frames: int = 0) -> Course:
    """The course of a take's rollout from its start. frames: only the first so many; 0: all."""
    true = take.body_positions
    assert true is not None
    count = frames or len(true)
    c = roller.coefficients(np.asarray(take.interaction[:count]))
    start = np.asarray(true[0], np.float64)
    pinned = roller.body.pinned
    found: dict[str, list[Array]] = {name: [] for name in Course.__dataclass_fields__}
    last: tuple[Array, Array] | None = None
    for number, (shown, rest) in enumerate(zip(roller.shapes(c), roller.carried(c, start), strict=True)):
        x = np.asarray(true[number * CHUNK : number * CHUNK + len(shown)], np.float64)
        found["away"].append(_distance(shown, x))
        found["rest"].append(_distance(rest, x))
        off = np.linalg.norm(shown[:, pinned] - x[:, pinned], axis=2)
        found["at_pins"].append(off.max(1) if pinned.any() else np.zeros(len(x)))
        found["elastic"].append(roller.elastic(shown))
        found["true_elastic"].append(roller.elastic(x))
        before = (shown[:0], x[:0]) if last is None else last
        found["kinetic"].append(roller.kinetic(np.concatenate([before[0], shown])))
        found["true_kinetic"].append(roller.kinetic(np.concatenate([before[1], x])))
        last = shown[-1:], x[-1:]
    return Course(**{name: np.concatenate(parts) for name, parts in found.items()})


def long_elastic(roller: Roller, y: NDArray[np.float32]) -> Array:
    """(T,) J: the elastic energies of a rollout that has no solver beside it."""
    return np.concatenate([roller.elastic(x) for x in roller.shapes(roller.coefficients(y))])


def first_above(elastic: Array, most: float) -> int | None:
    """The first frame with more than TWICE the solver's largest elastic energy, J, or that is no number."""
    beyond = np.flatnonzero(~(elastic <= TWICE * most))
    return int(beyond[0]) if len(beyond) else None


def to_and_fro(take: Take, dataset: Dataset, frames: int) -> NDArray[np.float32]:
    """(frames, e): what acts in a take, forwards and backwards and so on, no faster than it does there."""
    assert dataset.body is not None
    (span,) = of_body([Span(take, 0, len(take.interaction))])
    driven = driven_by(span, dataset, dataset.body)
    times = times_to_and_fro(len(driven.y), frames + 2)
    return driven.at(times, dataset.info.channels, dataset.info.dt).y.astype(np.float32)


def _distance(a: Array, b: Array) -> Array:
    return np.sqrt(((a - b) ** 2).sum(2).mean(1))

"""A dataset in its subspaces: a few numbers per frame, which always fit in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from learning.training.interaction_basis import InteractionBasis, fit_interaction_basis, still_spreads
from learning.training.mirror import Mirror
from learning.training.pca import MOST_PASSES, Subspace, fit_pca
from learning.training.spans import Span
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, Progress, StopRequest

BASES, READING = "Finding the bases", "Reading the motion"  # the stages


@dataclass(frozen=True)
class Sequences:
    """Runs of frames, one after the other in each array.

    z (N, u) float32, unit standard deviation over the training frames; w (N, v) float32.
    squares (N,) float32: the sum over the vertices of |x - x_mu|^2, m^2.
    ends (S,) int64: where each run ends.
    """

    z: Floats
    w: Floats
    squares: Floats
    ends: NDArray[np.int64]

    def runs(self) -> Iterator[slice]:
        """Each run's frames."""
        for start, stop in pairwise([0, *map(int, self.ends)]):
            yield slice(start, stop)

    def starts(self, window: int) -> NDArray[np.int64]:
        """Every frame from which `window` frames of one run follow, itself included."""
        return np.concatenate([np.arange(run.start, run.stop - window + 1) for run in self.runs()])


@dataclass(frozen=True)
class SubspaceData:
    """What the trainer works with.

    mean (V, 3), basis (u, V, 3): x = mean + z . basis, metres, for unit z. deviations (u,): how far each
    basis moves the mesh, the root of the sum of squares over the vertices, metres.
    y_mean (e,), interaction_basis (v, e). captured: share of the variance the bases hold.
    start (u,): the mean z of the training takes' first frames.
    """

    mean: Floats
    basis: Floats
    deviations: Floats
    captured: float
    y_mean: Floats
    interaction_basis: Floats
    start: Floats
    training: Sequences
    validation: Sequences

    def in_relative_scale(self) -> SubspaceData:
        """The same with z as an orthogonal U gives it (Holden 2019, section 5.1), but for one factor.

        Coefficients then differ in size as the motion in their bases does; together they have unit deviation.
        """
        common = np.sqrt(np.square(self.deviations).mean())
        size = self.deviations / common
        training, validation = (replace(each, z=each.z * size) for each in (self.training, self.validation))
        return replace(
            self,
            basis=self.basis / size[:, None, None],
            deviations=np.full_like(self.deviations, common),
            start=self.start * size,
            training=training,
            validation=validation,
        )

    def model_tensors(self) -> Tensors:
        """What every model in these subspaces has."""
        z, w = self.training.z, self.training.w
        return {
            "mean": self.mean,
            "basis": self.basis,
            "start": self.start,
            "z_low": z.min(0),
            "z_high": z.max(0),
            "y_mean": self.y_mean,
            "interaction_basis": self.interaction_basis,
            "w_low": w.min(0),
            "w_high": w.max(0),
        }

    def notes(self, bases: int) -> list[str]:
        """A note for the artist where fewer bases were found than were asked for."""
        if len(self.basis) >= bases:
            return []
        found = len(self.basis)
        return [f"The motion of the training takes spans only {found} bases: {bases} are not needed."]

    def to_tensors(self) -> Tensors:
        """All of it as named arrays."""
        tensors = {name: getattr(self, name) for name in _ARRAYS}
        tensors["captured"] = np.array([self.captured])
        for role in ("training", "validation"):
            sequences = getattr(self, role)
            tensors |= {f"{role}.{f.name}": getattr(sequences, f.name) for f in fields(Sequences)}
        return tensors

    @classmethod
    def from_tensors(cls, tensors: Tensors) -> Self:
        """What `to_tensors` gave."""
        arrays: dict[str, Any] = {name: tensors[name] for name in _ARRAYS}
        for role in ("training", "validation"):
            arrays[role] = Sequences(**{f.name: tensors[f"{role}.{f.name}"] for f in fields(Sequences)})
        return cls(**arrays, captured=float(tensors["captured"][0]))


_ARRAYS = ("mean", "basis", "deviations", "y_mean", "interaction_basis", "start")


def prepare(
    training: list[Span],
    validation: list[Span],
    info: DatasetInfo,
    bases: int,
    *,
    mirrors: Sequence[Mirror] = (),
    emit: Emit,
    stop: StopRequest,
) -> SubspaceData:
    """Fit both subspaces to the training spans, and bring all spans into them (Holden 2019, section 5.1).

    mirrors: by which the training spans are mirrored; all of their mirror images are training sequences, too.
    Raises Problem("stopped" | "dataset_not_numbers" | "training_still").
    """
    frames = sum(map(len, training))
    held_out = sum(map(len, validation))
    counter = _Counter(Progress(emit, BASES, frames * (1 + MOST_PASSES)), stop)
    subspace = fit_pca(lambda: _chunks(training, mirrors), bases, report=counter)
    if not len(subspace.basis):
        raise Problem("training_still", object=info.object)
    own = np.concatenate([span.interaction for span in training])
    y = np.concatenate([own, *(mirror.interaction(own) for mirror in mirrors)])
    interaction = fit_interaction_basis(y, still_spreads(info.channels, info.fps))
    counter = _Counter(Progress(emit, READING, frames + held_out), stop)
    learned = _project(training, subspace, interaction, counter)
    if mirrors:
        images = [_mirrored(learned, own, mirror, subspace, interaction=interaction) for mirror in mirrors]
        learned = _joined([learned, *images])
    spans = training * (1 + len(mirrors))
    firsts = [run.start for run, span in zip(learned.runs(), spans, strict=True) if span.start == 0]
    return SubspaceData(
        mean=subspace.mean.reshape(-1, 3),
        basis=(subspace.deviations[:, None] * subspace.basis).reshape(len(subspace.basis), -1, 3),
        deviations=subspace.deviations,
        captured=subspace.captured,
        y_mean=interaction.mean,
        interaction_basis=interaction.basis,
        start=learned.z[firsts or [0]].mean(0),
        training=learned,
        validation=_project(validation, subspace, interaction, counter),
    )


def _project(
    spans: list[Span], subspace: Subspace, interaction: InteractionBasis, counter: _Counter
) -> Sequences:
    z, squares = [], []
    to_unit = (subspace.basis / subspace.deviations[:, None]).T
    for span in spans:
        for chunk in span.chunks():
            chunk -= subspace.mean
            z.append(chunk @ to_unit)
            squares.append(np.einsum("ij,ij->i", chunk, chunk))
            counter(len(chunk))
    return Sequences(
        np.concatenate(z),
        interaction.project(np.concatenate([span.interaction for span in spans])),
        np.concatenate(squares),
        np.cumsum([len(span) for span in spans]),
    )


def _mirrored(
    of: Sequences, y: Floats, mirror: Mirror, subspace: Subspace, *, interaction: InteractionBasis
) -> Sequences:
    """Sequences mirrored, y (N, e) their interaction.

    The bases of takes and mirror images together span the mirror images of all bases, too: z is only turned.
    """
    basis = subspace.basis.reshape(len(subspace.basis), -1, 3)
    images = (basis[:, mirror.partners] * mirror.signs).reshape(len(basis), -1)
    turn = (subspace.deviations[:, None] * (images @ subspace.basis.T)) / subspace.deviations
    return replace(of, z=of.z @ turn, w=interaction.project(mirror.interaction(y)))


def _joined(parts: list[Sequences]) -> Sequences:
    """One after the other."""
    before = np.cumsum([0, *(len(part.z) for part in parts[:-1])])
    return Sequences(
        np.concatenate([part.z for part in parts]),
        np.concatenate([part.w for part in parts]),
        np.concatenate([part.squares for part in parts]),
        np.concatenate([part.ends + first for part, first in zip(parts, before, strict=True)]),
    )


def _chunks(spans: list[Span], mirrors: Sequence[Mirror]) -> Iterator[Floats]:
    """With their mirror images; of fewer frames then, so that there are as many rows."""
    for span in spans:
        for chunk in span.chunks(1 + len(mirrors)):
            yield chunk
            for mirror in mirrors:
                yield mirror.positions(chunk.reshape(len(chunk), -1, 3)).reshape(len(chunk), -1)


class _Counter:
    """Counts rows into a progress, and looks whether to stop."""

    def __init__(self, progress: Progress, stop: StopRequest) -> None:
        self._progress, self._stop, self._rows = progress, stop, 0

    def __call__(self, rows: int) -> None:
        self._stop.check()
        self._rows += rows
        self._progress.at(self._rows)

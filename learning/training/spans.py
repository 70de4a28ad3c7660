"""The runs of frames that training and validation use, read a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from neural_physics.arrays import Floats
from neural_physics.datasets.dataset_info import Role
from neural_physics.datasets.frame_checks import checked
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.datasets.usable_numbers import check_interaction, check_places
from neural_physics.errors import Problem
from neural_physics.methods.training_frames import (
    FEWEST_FRAMES,
    SHORTEST,
    VALIDATION_SHARE,
    WINDOW,
    held_out,
    learned_frames,
)

CHUNK = 256  # frames in memory at once
ROLES: tuple[Role, Role] = ("training", "validation")


@dataclass(frozen=True)
class Span:
    """Frames [start, stop) of one take: one after the other, all usable."""

    take: Take
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def interaction(self) -> Floats:
        """(T, e) float32."""
        return np.asarray(self.take.interaction[self.start : self.stop])

    def chunks(self, every: int = 1) -> Iterator[Floats]:
        """Positions (n, 3 V) float32 of every `every`-th frame, at most CHUNK of them at a time.

        Raises Problem("dataset_not_numbers").
        """
        for first in range(self.start, self.stop, CHUNK * every):
            last = min(first + CHUNK * every, self.stop)
            frames = np.array(self.take.positions[first:last:every], np.float32)
            check_places(frames, self.take.name, first, every)
            yield frames.reshape(len(frames), -1)


def split(dataset: Dataset) -> tuple[list[Span], list[Span]]:
    """The spans of motion to learn from, and those that choose the best model.

    Where no take is for validation, the tail of each training take is. Test takes are left alone.
    Of takes that are not complete the bad frames are looked for here.
    Raises Problem("dataset_without_motion" | "dataset_empty" | "dataset_too_short" | "dataset_not_numbers").
    """
    takes = [checked(take, dataset) for take in dataset.takes("training")]
    training = _spans(takes)
    validation = _spans([checked(take, dataset) for take in dataset.takes("validation")])
    if not takes and dataset.takes(kind="quasistatic"):
        raise Problem("dataset_without_motion", path=dataset.path)
    if not training:
        raise Problem("dataset_empty", path=dataset.path, reason=_why_empty(takes))
    frames = learned_frames([len(span) for span in training], validated=bool(validation))
    if not validation:
        training, validation = _tails(training)
    if frames < FEWEST_FRAMES:
        raise Problem("dataset_too_short", path=dataset.path, found=frames, run=WINDOW, needed=FEWEST_FRAMES)
    for span in (*training, *validation):
        check_interaction(span.interaction, span.take.name, span.start)
    return training, validation


def split_poses(dataset: Dataset) -> tuple[list[Span], list[Span]]:
    """What `split` does, for held poses: takes of kind "quasistatic". Both empty where there are none.

    Where no such take is for validation, the last tenth of each one is, wherever bad poses cut it.
    Raises Problem("dataset_not_numbers").
    """
    training, validation = (
        _spans([checked(take, dataset) for take in dataset.takes(role, kind="quasistatic")], shortest=1)
        for role in ROLES
    )
    if not validation:
        whole, training = training, []
        for span in whole:
            first = round((1.0 - VALIDATION_SHARE) * len(span.take.positions))
            middle = min(max(first, span.start), span.stop)
            training.append(replace(span, stop=middle))
            validation.append(replace(span, start=middle))
        training, validation = ([s for s in spans if len(s)] for spans in (training, validation))
    for span in (*training, *validation):
        check_interaction(span.interaction, span.take.name, span.start)
    return training, validation


def _spans(takes: list[Take], shortest: int = SHORTEST) -> list[Span]:
    spans = [Span(take, start, stop) for take in takes for start, stop in take.segments()]
    return [span for span in spans if len(span) >= shortest]


def _tails(spans: list[Span]) -> tuple[list[Span], list[Span]]:
    heads, tails = [], []
    for span in spans:
        middle = span.stop - held_out(len(span))
        heads.append(Span(span.take, span.start, middle))
        tails.append(Span(span.take, middle, span.stop))
    return heads, [span for span in tails if len(span) >= SHORTEST]


def _why_empty(takes: list[Take]) -> str:
    reasons = sorted({excluded.reason for take in takes for excluded in take.info.excluded})
    if not takes:
        return "it has no takes for training"
    return ", ".join(reasons) or "its takes have no frames"

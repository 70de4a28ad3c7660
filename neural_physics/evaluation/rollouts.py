"""Rollouts against held-out takes, and how far they are off.

A rollout starts from the true state and sees from then on nothing of the truth but the interaction; a
method that looks ahead sees that of the next frames, too, as it does where keyed animation plays.
The relative error of a prediction x* of the true shapes x, over all frames predicted:

    sqrt(mean |x* - x|^2) / sqrt(mean |x - x_mean|^2)

with the mean over frames and vertices, and x_mean the model's mean shape: predicting that is 1.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Doubles, Floats
from ..datasets.frame_checks import checked
from ..datasets.takes import Dataset, Take
from ..datasets.usable_numbers import check_places
from ..errors import Problem
from ..interaction.channels import PLAYED_KINDS
from ..methods.interface import Method
from ..models.model_file import ModelInfo

ROLLOUT_FRAMES = 600
GIVEN_FRAMES = 2  # the true shapes a rollout starts from; not counted in its error
SHORTEST_ROLLOUT = 60  # the rest at the end of a take is a rollout, too, unless it is shorter
SAME_RATE = 1e-3


@dataclass(frozen=True)
class Window:
    """Frames [first, stop) of a take that one rollout covers; it predicts those after the given two."""

    take: Take
    first: int
    stop: int

    @property
    def predicted(self) -> slice:
        """The frames that are predicted, in the take."""
        return slice(self.first + GIVEN_FRAMES, self.stop)

    def truth(self) -> Floats:
        """(n, V, 3) float32, metres: the reference at the predicted frames.

        Raises Problem("dataset_not_numbers").
        """
        found = np.asarray(self.take.positions[self.predicted])
        check_places(found, self.take.name, self.predicted.start)
        return found


# Gives (n, V, 3) float32, metres, for the predicted frames of a window.
Predictor = Callable[[Window], Floats]


def tile(takes: Iterable[Take], frames: int = ROLLOUT_FRAMES) -> list[Window]:
    """Windows of `frames` frames side by side over all usable frames; none crosses an excluded one.

    What is left at the end of a run of usable frames is a shorter window, unless it has less than a
    tenth of the frames asked for (`SHORTEST_ROLLOUT` at most).
    """
    windows, shortest = [], max(GIVEN_FRAMES + 1, min(SHORTEST_ROLLOUT, frames // 10))
    for take in takes:
        for start, stop in take.segments():
            firsts = range(start, stop, frames)
            cut = [Window(take, first, min(first + frames, stop)) for first in firsts]
            windows += [window for window in cut if window.stop - window.first >= shortest]
    return windows


def states(method: Method, window: Window) -> Iterator[Any]:
    """The state of a model at each predicted frame of a window, from the true first two."""
    take, now = window.take, window.first + GIVEN_FRAMES - 1
    x, y = take.positions, take.interaction
    seen = [np.asarray(rows[t]) for rows in (x, y) for t in (now, now - 1)]
    yield from steps_from(method, method.state_from(*seen), y, range(now + 1, window.stop))


def steps_from(method: Method, state: Any, y: Floats, frames: range) -> Iterator[Any]:  # noqa: ANN401
    """The states at `frames` of a motion y (n, e), stepped to from the one at the frame before them."""
    for t in frames:
        later = y[t + 1 : t + 1 + method.look_ahead]
        ahead = [np.asarray(row) for row in later] if len(later) == method.look_ahead else []
        state = method.step(state, np.asarray(y[t]), ahead)
        yield state


def rolled_out(method: Method, window: Window) -> Iterator[Floats]:
    """The shape (V, 3) of a model at each predicted frame of a window, from the true first two.

    Each is reused by the next.
    """
    interaction = window.take.interaction[window.predicted]
    for state, y in zip(states(method, window), interaction, strict=True):
        yield method.positions(state, y)


def rollout(method: Method) -> Predictor:
    """The predictor that runs a model from the true first two frames of a window."""

    def predict(window: Window) -> Floats:
        frames = window.predicted
        predicted = np.empty((frames.stop - frames.start, *window.take.positions.shape[1:]), np.float32)
        for shape, made in zip(predicted, rolled_out(method, window), strict=True):
            shape[:] = made
        return predicted

    return predict


@dataclass(frozen=True)
class RolloutErrors:
    """How far a predictor is off over many windows.

    error: the relative error. curve (n,): the same for each frame since the rollouts began, relative
    to the same spread over all frames. per_vertex (V,) float32, metres: root mean square distance
    from the reference. rms, spread: the numerator and the denominator of the error, metres. rms_90: what
    the root mean square distance of a frame stays below in nine frames of ten, metres. frame_mean,
    frame_median: of those distances, over the spread: unlike the error they are hardly a matter of the few
    places where a sheet slips off a ball to one side or the other.
    frames: how many were predicted.
    """

    error: float
    curve: Doubles
    per_vertex: Floats
    rms: float
    rms_90: float
    frame_mean: float
    frame_median: float
    spread: float
    frames: int


class ErrorSums:
    """Adds up the errors of one window after the other, so that a dataset need not fit in memory."""

    def __init__(self, mean_shape: Floats) -> None:
        self._mean_shape = mean_shape
        self._vertices = np.zeros(len(mean_shape))  # sums of squares
        self._offsets = np.zeros(0)  # sums of mean squares, by frames since the rollout began
        self._counts = np.zeros(0, np.int64)
        self._squares: list[Doubles] = []  # mean squares of each frame
        self._spread = 0.0
        self._frames = 0

    def add(self, predicted: Floats, truth: Floats) -> None:
        """Both (n, V, 3) metres."""
        squares = np.square(predicted - truth, dtype=np.float64).sum(-1)
        longer = len(squares) - len(self._counts)
        if longer > 0:
            self._offsets = np.pad(self._offsets, (0, longer))
            self._counts = np.pad(self._counts, (0, longer))
        self._vertices += squares.sum(0)
        self._squares.append(squares.mean(1))
        self._offsets[: len(squares)] += self._squares[-1]
        self._counts[: len(squares)] += 1
        self._spread += float(np.square(truth - self._mean_shape, dtype=np.float64).sum(-1).mean(1).sum())
        self._frames += len(squares)

    def errors(self) -> RolloutErrors:
        """The errors of all that was added."""
        spread = float(np.sqrt(self._spread / self._frames))
        rms = float(np.sqrt(self._vertices.mean() / self._frames))
        each = np.sqrt(np.concatenate(self._squares))
        return RolloutErrors(
            error=rms / spread,
            curve=np.sqrt(self._offsets / self._counts) / spread,
            per_vertex=np.sqrt(self._vertices / self._frames).astype(np.float32),
            rms=rms,
            rms_90=float(np.quantile(each, 0.9)),
            frame_mean=float(each.mean()) / spread,
            frame_median=float(np.median(each)) / spread,
            spread=spread,
            frames=self._frames,
        )


def rollout_errors(predict: Predictor, windows: Iterable[Window], mean_shape: Floats) -> RolloutErrors:
    """The errors of a predictor; mean_shape (V, 3) is the model's."""
    sums = ErrorSums(mean_shape)
    for window in windows:
        sums.add(predict(window), window.truth())
    return sums.errors()


def held_out_takes(dataset: Dataset) -> list[Take]:
    """The test takes, or those for validation if there are none.

    Raises Problem("nothing_held_out").
    """
    found = dataset.takes("test") or dataset.takes("validation")
    takes = [checked(take, dataset) for take in found]
    if not tile(takes):
        raise Problem("nothing_held_out", path=dataset.path)
    return takes


def check_belongs(model: ModelInfo, path: object, dataset: Dataset) -> None:
    """Raise Problem("model_other_dataset") if a model cannot be compared with a dataset.

    Handles that the artist may hold and the sizes of colliders are in no take, in which they do not change.
    """
    info, reason = dataset.info, ""
    layouts = [
        [(c.name, c.kind, c.size, c.parts) for c in m.channels.channels if c.kind not in PLAYED_KINDS]
        for m in (model, info)
    ]
    if (model.topology, model.vertex_count) != (info.topology, info.vertex_count):
        reason = "its mesh differs"
    elif layouts[0] != layouts[1]:
        reason = "it reacts to different objects"
    elif bool(model.reference_frame) != bool(info.reference_frame):
        axes = [m.reference_frame or "the object itself" for m in (model, info)]
        reason = f"it uses the axes of {axes[0]}, the dataset those of {axes[1]}"
    elif abs(model.dt * info.fps - 1.0) > SAME_RATE:
        reason = f"it runs at {1 / model.dt:.4g} frames per second, the dataset at {info.fps:.4g}"
    if reason:
        raise Problem("model_other_dataset", path=path, dataset=dataset.path, reason=reason)


def chunks(frames: slice | range, size: int = 256) -> Iterator[slice]:
    """Cut a run of frames into runs of at most `size`, for arrays larger than memory."""
    for first in range(frames.start, frames.stop, size):
        yield slice(first, min(first + size, frames.stop))

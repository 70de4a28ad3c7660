"""How far a rollout of coefficients is off on test takes: in metres of vertices, as Evaluate measures it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.subspace_physics.baselines.task import Task
from learning.training.subspace_validation import Rollout
from neural_physics.arrays import Doubles, Floats
from neural_physics.evaluation.rollouts import ErrorSums, Window, held_out_takes, tile
from neural_physics.models.decoding import LinearDecoder

FIRST = (1, 4, 16)  # frames after a true state
BIN = 50  # frames of a rollout over which its course is averaged


def judged(task: Task, rollout: Rollout) -> dict[str, Any]:
    """Over all rollouts of the test takes, from two true states each: the relative error of all frames, the
    mean and the median of those of each, and the course and first frames of the error since rollouts began.
    """
    return measured(task, rollout, tile(held_out_takes(task.dataset)))


def measured(task: Task, rollout: Rollout, windows: list[Window]) -> dict[str, Any]:
    """`judged`, over these windows."""
    data = task.data
    decoder = LinearDecoder(data.mean, data.basis)
    sums, frames = ErrorSums(data.mean), []
    for window in windows:
        z0, z1, w = beginning(task, decoder, window)
        z = rollout(z0[None], z1[None], w[:, None])[:, 0, : decoder.basis_count]
        predicted, truth = decoder.decode_many(z), window.truth()
        sums.add(predicted, truth)
        frames.append(np.sqrt(np.square(predicted - truth, dtype=np.float64).sum(-1).mean(1)))
    errors, each = sums.errors(), np.concatenate(frames)
    return {
        "error": errors.error,
        "mean": float(each.mean()) / errors.spread,
        "median": float(np.median(each)) / errors.spread,
        "course": _course(errors.curve),
        "first": first_frames(errors.curve),
        "frames": errors.frames,
    }


def beginning(task: Task, decoder: LinearDecoder, window: Window) -> tuple[Floats, Floats, Floats]:
    """The two true states (u,) that a rollout starts from, and w (T, v) of its frames, clipped as by Play."""
    data, frames = task.data, slice(window.first, window.stop)
    y = np.asarray(window.take.interaction[frames])
    w = np.clip((y - data.y_mean) @ data.interaction_basis.T, data.training.w.min(0), data.training.w.max(0))
    z0, z1 = decoder.project(np.asarray(window.take.positions[window.first : window.first + 2]))
    return z0, z1, w


def first_frames(curve: Sequence[float] | Doubles) -> dict[str, float]:
    """The error so many frames after a true state, by their number (`FIRST`), of that of each frame since."""
    return {str(n): float(curve[n - 1]) for n in FIRST if n <= len(curve)}


def _course(curve: Doubles) -> list[float]:
    whole = max(1, len(curve) // BIN) * BIN
    bins = np.array_split(np.square(curve[:whole]), max(1, len(curve) // BIN))
    return [float(np.sqrt(part.mean())) for part in bins]

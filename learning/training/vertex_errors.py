"""How far off each vertex of a finished model is on the validation takes."""

from __future__ import annotations

import numpy as np

from learning.training.spans import Span
from learning.training.tensor_files import Tensors
from learning.training.validation_rollouts import windows
from neural_physics.evaluation.rollouts import Window, rolled_out
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model, ModelInfo
from neural_physics.models.vertex_error import VERTEX_ERROR

MEASURING = "Measuring the error"  # the stage
MOST_FRAMES = 2400  # more hardly change a mean


def measured_windows(validation: list[Span]) -> list[Window]:
    """Of the rollouts that a training validates by, evenly spread: those of about MOST_FRAMES frames."""
    every = windows(validation)
    return every[:: max(1, sum(window.stop - window.first for window in every) // MOST_FRAMES)]


def vertex_error_tensors(
    info: ModelInfo, tensors: Tensors, validation: list[Span], emit: Emit, *, stop: StopRequest
) -> Tensors:
    """What a model's file says of each vertex: see `neural_physics.models.vertex_error`.

    Measured once, at the end, as Play runs the model: a trainer validates in a few numbers per frame. Of the
    rollouts that it validates by, evenly spread, as many as have about MOST_FRAMES frames.
    Raises Problem("stopped").
    """
    method = load_method(Model(info, tensors, "the trained model"))
    used = measured_windows(validation)
    frames = sum(window.predicted.stop - window.predicted.start for window in used)
    progress, done = Progress(emit, MEASURING, frames), 0
    squares = np.zeros(info.vertex_count)
    for window in used:
        for shape, truth in zip(rolled_out(method, window), window.truth(), strict=True):
            off = shape - truth
            squares += np.einsum("vc,vc->v", off, off)
            done += 1
            progress.at(done)
        stop.check()
    return {VERTEX_ERROR: np.sqrt(squares / frames).astype(np.float32)}

"""What a model must beat: no motion at all, and a linear answer to the interaction's recent past."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..arrays import Doubles, Floats
from ..datasets.takes import Take
from ..datasets.usable_numbers import check_interaction, check_places
from ..models.decoding import LinearDecoder
from .rollouts import Predictor, Window, chunks

HISTORY = 90  # frames of interaction that the regression sees, the current one included
MOST_FEATURES = 2000  # with more channels than fit, the history is thinned to every k-th frame
RIDGE = 1e-2  # how much each feature is held back, in its own variances


def mean_shape(shape: Floats) -> Predictor:
    """Predicts one shape (V, 3) whatever happens."""

    def predict(window: Window) -> Floats:
        frames = window.predicted
        return np.broadcast_to(shape, (frames.stop - frames.start, *shape.shape))

    return predict


def best_in_basis(decoder: LinearDecoder) -> Predictor:
    """The truth as well as the bases can show it: no model of this many bases can be better."""

    def predict(window: Window) -> Floats:
        return _decode(decoder, decoder.project(window.truth()))

    return predict


def ridge(decoder: LinearDecoder, takes: Iterable[Take]) -> Predictor:
    """Ridge regression from the last 90 frames of the interaction to z, fitted to takes.

    By normal equations summed over the takes, so memory does not grow with them. Before a take's
    first frame the interaction is taken to have stood still. Raises Problem("dataset_not_numbers").
    """
    gram: Doubles | None = None
    answers: Doubles | None = None
    for take in takes:
        for start, stop in take.segments():
            for part in chunks(slice(start, stop)):
                check_interaction(take.interaction[part], take.name, part.start)
                check_places(take.positions[part], take.name, part.start)
                f = _features(take.interaction, part)
                z = decoder.project(take.positions[part]).astype(float)
                gram = f.T @ f if gram is None else gram + f.T @ f
                answers = f.T @ z if answers is None else answers + f.T @ z
    if gram is None or answers is None:
        raise ValueError("no usable frames to fit to")
    # Held back by its own variance, so that units do not matter; the constant, last, is free.
    spread = np.diag(gram) - gram[-1] ** 2 / gram[-1, -1]
    held = RIDGE * np.maximum(spread, 1e-9 * gram[-1, -1])
    held[-1] = 0.0
    weights = _solved(gram + np.diag(held), answers)

    def predict(window: Window) -> Floats:
        z = (_features(window.take.interaction, window.predicted) @ weights).astype(np.float32)
        return _decode(decoder, z)

    return predict


def _solved(gram: Doubles, answers: Doubles) -> Doubles:
    """The weights, the smallest ones where rounding has left the normal equations more than one answer."""
    try:
        return np.linalg.solve(gram, answers)
    except np.linalg.LinAlgError:
        smallest: Doubles = np.linalg.pinv(gram, hermitian=True) @ answers
        return smallest


def _decode(decoder: LinearDecoder, z: Floats) -> Floats:
    """(n, V, 3) from z (n, u)."""
    return decoder.mean + (z @ decoder.basis).reshape(len(z), -1, 3)


def _features(interaction: Floats, frames: slice) -> Doubles:
    """(n, k * e + 1): for each frame the interaction of it and those before, and a 1."""
    channels = interaction.shape[1]
    apart = -(-HISTORY * channels // MOST_FEATURES)
    past = np.arange(0, HISTORY, apart)
    rows = np.maximum(0, np.arange(frames.start, frames.stop)[:, None] - past)
    values = np.asarray(interaction, float)[rows].reshape(len(rows), -1)
    return np.concatenate([values, np.ones((len(rows), 1))], axis=1)

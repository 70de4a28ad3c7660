"""A model beside the reference and beside simpler answers, over all rollouts of some takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from neural_physics.arrays import Floats
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.evaluation import baselines
from neural_physics.evaluation.measures import (
    Energy,
    NormalErrors,
    Penetration,
    energy,
    normal_errors,
    penetration,
)
from neural_physics.evaluation.rollouts import ErrorSums, Predictor, RolloutErrors, Window, rollout
from neural_physics.methods.interface import Method
from neural_physics.models.model_file import Model
from neural_physics.models.normals import learned_normals

NORMALS_EVERY = 20  # frames between two whose normals are compared
OURS, RIDGE, MEAN, BASIS = "model", "ridge", "mean", "basis"


@dataclass(frozen=True)
class Motion:
    """One rollout, predicted or true; positions (n, V, 3) metres."""

    positions: Floats
    energy: Energy
    penetration: Penetration | None


@dataclass(frozen=True)
class Comparison:
    """All that was measured.

    errors: by predictor. per_window: the model's own error of each window. reference, prediction:
    means over all frames of the energies (J/kg, J/kg, -) and of penetration (metres, share).
    normals: None where the model has no normal regression.
    """

    errors: dict[str, RolloutErrors]
    per_window: list[float]
    reference: dict[str, float]
    prediction: dict[str, float]
    normals: NormalErrors | None


def predictors(method: Method, training: list[Take]) -> dict[str, Predictor]:
    """The model, and what it is compared with; reads all of the training takes.

    Without ridge regression where there is nothing to fit it to, or too much to fit it with.
    """
    found = {OURS: rollout(method), MEAN: baselines.mean_shape(method.mean_shape)}
    if method.decoder is not None:
        found[BASIS] = baselines.best_in_basis(method.decoder)
        few = training and training[0].interaction.shape[1] <= baselines.MOST_FEATURES
        if few and any(take.segments() for take in training):
            found[RIDGE] = baselines.ridge(method.decoder, training)
    return found


def compare(
    model: Model,
    method: Method,
    dataset: Dataset,
    windows: list[Window],
    *,
    candidates: dict[str, Predictor],
    visited: Callable[[int], None],
) -> Comparison:
    """Go through all windows; `visited` is called with the number of frames done after each."""
    sums = {name: ErrorSums(method.mean_shape) for name in candidates}
    per_window: list[float] = []
    motions: list[tuple[int, dict[str, float], dict[str, float]]] = []
    normals: list[NormalErrors] = []
    done = 0
    for window in windows:
        truth = window.truth()
        for name, predict in candidates.items():
            predicted = predict(window)
            sums[name].add(predicted, truth)
            if name == OURS:
                own = ErrorSums(method.mean_shape)
                own.add(predicted, truth)
                per_window.append(own.errors().error)
                means = [_means(motion(shapes, window, dataset)) for shapes in (truth, predicted)]
                motions.append((len(truth), means[0], means[1]))
                normals += list(_normals(model, method, dataset, predicted, truth=truth))
        done += window.stop - window.first
        visited(done)
    return Comparison(
        errors={name: one.errors() for name, one in sums.items()},
        per_window=per_window,
        reference=_weighted([(n, reference) for n, reference, _ in motions]),
        prediction=_weighted([(n, prediction) for n, _, prediction in motions]),
        normals=_mean_normals(normals),
    )


def motion(positions: Floats, window: Window, dataset: Dataset) -> Motion:
    """The measures of a window's predicted frames."""
    y = np.asarray(window.take.interaction[window.predicted])
    return Motion(
        positions, energy(positions, y, dataset.mesh, dataset.info), penetration(positions, y, dataset.info)
    )


def _means(one: Motion) -> dict[str, float]:
    means = {name: float(values.mean()) for name, values in vars(one.energy).items()}
    if one.penetration is not None:
        means |= {name: float(values.mean()) for name, values in vars(one.penetration).items()}
    return means


def _weighted(parts: list[tuple[int, dict[str, float]]]) -> dict[str, float]:
    frames = sum(n for n, _ in parts)
    return {name: sum(n * means[name] for n, means in parts) / frames for name in parts[0][1]}


def _normals(
    model: Model,
    method: Method,
    dataset: Dataset,
    predicted: Floats,
    *,
    truth: Floats,
) -> Iterator[NormalErrors]:
    learned = learned_normals(model, method.basis_count)
    if learned is None or method.decoder is None:
        return
    some = slice(None, None, NORMALS_EVERY)
    z = method.decoder.project(predicted[some])
    yield normal_errors(z, predicted[some], truth[some], mesh=dataset.mesh, learned=learned)


def _mean_normals(parts: list[NormalErrors]) -> NormalErrors | None:
    if not parts:
        return None
    return NormalErrors(
        regressed=float(np.mean([part.regressed for part in parts])),
        from_shape=float(np.mean([part.from_shape for part in parts])),
    )

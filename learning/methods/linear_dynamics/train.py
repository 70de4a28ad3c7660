"""Fits linear dynamics by ridge regression (de Aguiar et al. 2010; Holden 2019, section 7.2)."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from learning.methods.linear_dynamics.presets import LinearPreset
from learning.training import expected_times
from learning.training.interaction_range import range_tensors
from learning.training.normal_regression import normal_tensors
from learning.training.options import Options
from learning.training.spans import split
from learning.training.subspace_data import Sequences, SubspaceData, prepare
from learning.training.subspace_validation import SubspaceValidation
from learning.training.tensor_files import Tensors, model_info, write_model
from learning.training.vertex_errors import vertex_error_tensors
from neural_physics.arrays import Doubles, Floats
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.jobs.stages import Whole
from neural_physics.methods.linear_dynamics import specification as linear_dynamics
from neural_physics.wording import plural

MOST_PAST = 4000  # numbers of the past that it looks back on: memory goes with their square
LEAST = 1e-9  # of an input's variance, so that one that never changes is held back too


@dataclass(frozen=True)
class LinearMap:
    """z_{t+1} = now z_t + before z_{t-1} + interaction (w_{t+1}, w_t, ...) + constant.

    now, before (u, u), interaction (u, h v), constant (u,). fastest: the largest eigenvalue of the motion by
    itself, before it was slowed down.
    """

    now: Doubles
    before: Doubles
    interaction: Doubles
    constant: Doubles
    fastest: float


def train(dataset: Dataset, options: Options, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Fit and write the model; returns what the "result" event says.

    Raises Problem("dataset_empty" | "dataset_too_short" | "dataset_not_numbers" |
    "stopped" | "disk_full" | "folder_not_writable").
    """
    began = time.monotonic()
    preset = cast(LinearPreset, options.preset)
    training, validation = split(dataset)
    emit = Whole(
        emit,
        {
            **expected_times.of_data(training),
            **expected_times.of_normals(training),
            **expected_times.of_measuring(validation),
        },
    )
    data = prepare(training, validation, dataset.info, options.bases, emit=emit, stop=stop)
    notes = []
    history = max(1, min(preset.history, MOST_PAST // max(1, data.training.w.shape[1])))
    if history < preset.history:
        notes.append(f"It looks back on {plural(history, 'frame')}, as it reacts to so much.")
        preset = replace(preset, history=history)
    fitted = fit(data.training, preset)
    if fitted.fastest > preset.fastest:
        notes.append(
            f"The fitted motion would by itself grow by a factor of {fitted.fastest:.3f} per frame: "
            f"it was damped to {preset.fastest:g}."
        )
    notes += data.notes(options.bases)
    for note in notes:
        emit({"event": "log", "text": note})
    error = SubspaceValidation(data).error(Rollout(fitted, data, preset.history))
    normals = normal_tensors(training, data.training.z, dataset.mesh, emit, stop=stop)
    seconds = time.monotonic() - began
    about = {
        **options.about(len(data.training.z)),
        **error.summary(),
        "captured_variance": data.captured,
        "seconds": round(seconds, 1),
    }
    info, tensors = model_info(linear_dynamics.SPECIFICATION, dataset, about), _tensors(fitted, data)
    errors = vertex_error_tensors(info, tensors, validation, emit, stop=stop)
    write_model(options.out, info, tensors | range_tensors(training) | normals | errors)
    return {
        **error.summary(),
        "seconds": seconds,
        "reason": "it is fitted in one step",
        "bases": len(data.basis),
        "device": "cpu",
        "notes": notes,
    }


def fit(sequences: Sequences, preset: LinearPreset) -> LinearMap:
    """Ridge regression of the difference of two frames (Holden 2019, section 7.2, "State Difference
    Prediction"), made stable: de Aguiar et al. 2010, section 4.2, keep what grows from growing.

    For z_{t+1} = A z_t + B z_{t-1}, the map g A, g^2 B has g times the eigenvalues of A, B.
    """
    inputs, answers = (np.concatenate(part) for part in zip(*_rows(sequences, preset.history), strict=True))
    u = answers.shape[1]
    middle, goal = inputs.mean(0), answers.mean(0)
    inputs, answers = inputs - middle, answers - goal
    gram = inputs.T @ inputs
    held = preset.ridge * np.maximum(np.diag(gram), LEAST * len(inputs))
    weights = np.linalg.solve(gram + np.diag(held), inputs.T @ answers).T
    constant = goal - weights @ middle
    now, before = np.eye(u) + weights[:, :u] + weights[:, u : 2 * u], -weights[:, u : 2 * u]
    fastest = float(np.abs(np.linalg.eigvals(np.block([[now, before], [np.eye(u), np.zeros((u, u))]]))).max())
    slower = min(1.0, preset.fastest / fastest)
    return LinearMap(slower * now, slower**2 * before, weights[:, 2 * u :], constant, fastest=fastest)


def with_history(w: Floats, history: int) -> Floats:
    """(n, h v) of one run's w (n, v): each frame's, then that of the frame before, and so on."""
    n = len(w)
    return np.concatenate([w[np.maximum(np.arange(n) - back, 0)] for back in range(history)], 1)


def _rows(sequences: Sequences, history: int) -> list[tuple[Doubles, Doubles]]:
    """Each run's inputs z_t, z_t - z_{t-1} and interaction up to t + 1, and its targets z_{t+1} - z_t."""
    rows = []
    for run in sequences.runs():
        z = sequences.z[run].astype(np.float64)
        past = with_history(sequences.w[run], history).astype(np.float64)
        rows.append((np.concatenate([z[1:-1], z[1:-1] - z[:-2], past[2:]], 1), z[2:] - z[1:-1]))
    return rows


class Rollout:
    """The fitted map as Play steps it, over many windows at once: see `subspace_validation.Rollout`."""

    def __init__(self, fitted: LinearMap, data: SubspaceData, history: int) -> None:
        names = ("now", "before", "interaction", "constant")
        self._now, self._before, self._interaction, self._constant = (
            getattr(fitted, name).astype(np.float32) for name in names
        )
        self._low, self._high = data.training.z.min(0), data.training.z.max(0)
        self._history = history

    def __call__(self, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """(T - 2, n, u) from the first two z (n, u) and w (T, n, v) of all T frames."""
        before, now, made = z0, z1, []
        for t in range(2, len(w)):
            past = np.concatenate([w[max(t - back, 0)] for back in range(self._history)], 1)
            z = now @ self._now.T + before @ self._before.T + past @ self._interaction.T + self._constant
            before, now = now, np.clip(z, self._low, self._high)
            made.append(now)
        return np.stack(made)


def _tensors(fitted: LinearMap, data: SubspaceData) -> Tensors:
    names = ("now", "before", "interaction", "constant")
    return data.model_tensors() | {name: getattr(fitted, name).astype(np.float32) for name in names}

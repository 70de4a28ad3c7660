"""Training the second opinion: a model with eq. 1 beside the main one, and what their distance means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learning.methods.subspace_physics.presets import SubspacePreset
from learning.training.spans import Span
from learning.training.tensor_files import Tensors
from learning.training.vertex_errors import measured_windows
from neural_physics.arrays import Doubles, Floats
from neural_physics.evaluation.expected_errors import expected_and_true
from neural_physics.methods.registry import load_method
from neural_physics.methods.subspace_physics.second_opinion import SECOND
from neural_physics.models.model_file import Model, ModelInfo

SHARE = 0.25  # of a training's minutes are the second opinion's; and it has so many of the main model's steps
SEED = 7919  # added to the training's, so that it sees other windows


def of_main(preset: SubspacePreset) -> SubspacePreset:
    """The main model's preset: what is left of the minutes."""
    return replace(preset, minutes=(1.0 - SHARE) * preset.minutes) if preset.second else preset


def of_second(preset: SubspacePreset) -> SubspacePreset:
    """The second opinion's preset: the same but shorter, and with eq. 1."""
    steps = max(1, round(SHARE * preset.steps))
    return replace(preset, steps=steps, minutes=SHARE * preset.minutes, physics=False)


def second_tensors(best: Tensors) -> Tensors:
    """The best second opinion as a part of a model file, before anything is known of its distance."""
    network = {f"{SECOND}{name}": tensor for name, tensor in best.items()}
    return network | {f"{SECOND}error": np.array([0.0, 1.0], np.float32)}


def error_tensors(info: ModelInfo, tensors: Tensors, validation: list[Span]) -> Tensors:
    """What a model with a second opinion is to expect of itself: fitted to how Play runs validation takes."""
    method = load_method(Model(info, tensors, "the trained model"))
    found = expected_and_true(method, measured_windows(validation))
    assert found is not None  # it has a second opinion
    return {f"{SECOND}error": expectation(*found)}


def expectation(apart: Doubles, true: Doubles) -> Floats:
    """(2,) float32: a and b of the a + b apart that is the true errors' (n,) mean, neither below 0.

    b is 1 where a can make up the rest, as both models are about equally far off; else a is 0. A line through
    all frames would lean on the few events of one validation take: where the models happened to be right
    about those in which they were apart, it expected half of what fresh takes brought.
    """
    agreed = float(true.mean() - apart.mean())
    if agreed >= 0.0:
        return np.array([agreed, 1.0], np.float32)
    return np.array([0.0, true.mean() / apart.mean()], np.float32)

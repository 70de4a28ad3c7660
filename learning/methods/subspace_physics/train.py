"""Trains subspace neural physics (Holden 2019): Algorithm 1, and what was found to work better."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from learning.methods.subspace_physics.learner import SubspaceLearner
from learning.methods.subspace_physics.network import Roller, SubspaceNetwork
from learning.methods.subspace_physics.network_for_dataset import is_physical, network_for
from learning.methods.subspace_physics.presets import SubspacePreset
from learning.methods.subspace_physics.rolling_helper import helper_words
from learning.methods.subspace_physics.second_opinion import (
    SEED,
    error_tensors,
    of_main,
    of_second,
    second_tensors,
)
from learning.methods.subspace_physics.shared_rolling import processes_for, shared
from learning.training import expected_times
from learning.training.expected_times import TRAINING
from learning.training.interaction_range import range_tensors
from learning.training.loop import STARTED_ANEW, Schedule, Training
from learning.training.mirror import Mirror, find_mirrors
from learning.training.normal_regression import normal_tensors
from learning.training.options import Options, identity
from learning.training.spans import Span, split
from learning.training.subspace_data import SubspaceData, prepare
from learning.training.tensor_files import Tensors, model_info, read_tensors, write_model, write_tensors
from learning.training.vertex_errors import vertex_error_tensors
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.jobs.stages import Whole
from neural_physics.methods.subspace_physics import specification as subspace_physics
from neural_physics.models.model_file import ModelInfo

MIRRORED = "Shape and motion are their own mirror images: with these, each take is worth {}."
# Of a progress event, without the curves: those that are drawn are the main model's.
PLAIN = ("event", "stage", "done", "total", "seconds_left")
SECOND_TRAINING = "Training a second opinion"
# Validations of which the mean chooses, and by how much that of a later model may be larger: see `Schedule`.
# One take had it at 0.116 after 800 of 4,000 steps and at 0.122 in the end, where the mean frame of 15 others
# had fallen from 0.189 to 0.171 (docs/benchmarks/subspace_physics_settings.md).
TOGETHER, TOLERANCE = 5, 0.15
SCHEMA = 2  # of model files; versions before know neither a physical initial model nor a shortcut


def train(
    dataset: Dataset,
    options: Options,
    emit: Emit,
    stop: StopRequest,
    *,
    roller_of: Callable[[SubspaceNetwork], Roller] = lambda network: network,
) -> dict[str, Any]:
    """Train and write the model; returns what the "result" event says. roller_of: what rolls a network out.

    Raises Problem("dataset_empty" | "dataset_too_short" | "dataset_not_numbers" | "training_diverged" |
    "stopped" | "disk_full" | "folder_not_writable").
    """
    training_spans, validation_spans = split(dataset)
    key = identity(dataset, options)
    preset = cast(SubspacePreset, options.preset)
    mirrors = (
        find_mirrors(dataset.mesh, dataset.info, training_spans, validation_spans) if preset.mirror else []
    )
    emit = Whole(
        emit,
        {
            **expected_times.of_data(training_spans),
            **_expected(preset, physical=is_physical(preset, dataset)),
            **expected_times.of_normals(training_spans),
            **expected_times.of_measuring(validation_spans),
        },
    )
    data = _prepared(
        dataset, options, training_spans, validation_spans, mirrors=mirrors, emit=emit, stop=stop
    )
    if preset.relative_scale:
        data = data.in_relative_scale()
    notes = data.notes(options.bases)
    if mirrors:
        notes.append(MIRRORED.format({1: "two", 3: "four"}[len(mirrors)]))
    frames = sum(map(len, training_spans))
    seen = range_tensors(training_spans, mirrors)
    network = network_for(data, dataset, preset, options.seed)
    with _roller(network, roller_of(network), dataset, options) as roller:
        learner = SubspaceLearner(
            data, preset, dataset.info.fps, options.seed, network=network, roller=roller
        )
        path = options.work / "checkpoint.safetensors"
        training = Training(learner, _schedule(of_main(preset), options), path, key)
        if training.anew:
            notes.append(STARTED_ANEW)
        for note in notes:
            emit({"event": "log", "text": note})

        def best() -> tuple[ModelInfo, Tensors]:
            info, tensors = _model(dataset, options, data, training, frames=frames)
            return info, tensors | seen

        training.run_and_keep(lambda path: write_model(path, *best()), options.partial, emit, stop)
    write_model(options.partial, *best())
    info, tensors = best()
    if preset.second:
        tensors |= _second_opinion(data, dataset, options, key, emit=emit, stop=stop)
        tensors |= error_tensors(info, tensors, validation_spans)
    normals = normal_tensors(training_spans, data.training.z[:frames], dataset.mesh, emit, stop=stop)
    errors = vertex_error_tensors(info, tensors, validation_spans, emit, stop=stop)
    write_model(options.out, info, tensors | normals | errors)
    course = training.course
    return {
        **course.best.summary(),
        "steps": course.step,
        "best_step": course.best_step,
        "seconds": course.seconds,
        "reason": course.reason,
        "bases": len(data.basis),
        "device": learner.roller.device,
        "notes": notes,
    }


def model_settings(preset: SubspacePreset, *, physical: bool) -> dict[str, Any]:
    """What the run time must know of a preset. physical: whether the initial model is."""
    return {
        "activation": preset.activation,
        "initial_model": preset.initial_model,
        "physics": physical,
        "residual": preset.residual,
        "interaction_velocity": preset.interaction_velocity,
    }


def _roller(
    network: SubspaceNetwork, roller: Roller, dataset: Dataset, options: Options
) -> AbstractContextManager[Roller]:
    """The network with helpers, where it is what rolls itself out and more cores are of use."""
    if roller is not network:
        return nullcontext(roller)
    preset = cast(SubspacePreset, options.preset)
    words = helper_words(dataset.path, _kept(options), preset, options.seed)
    return shared(network, words, processes_for(network, preset.batch, options.cores))


def _schedule(preset: SubspacePreset, options: Options) -> Schedule:
    return Schedule(
        preset.steps,
        preset.validate_every,
        preset.patience,
        preset.minutes,
        checkpoint_every=options.checkpoint_every,
        together=TOGETHER,
        tolerance=TOLERANCE,
    )


def _expected(preset: SubspacePreset, *, physical: bool) -> dict[str, float]:
    """Seconds by stage."""
    step = expected_times.CONTACT_STEP * (1 + preset.physics_steps) if physical else expected_times.STEP
    main, short = of_main(preset), of_second(preset)
    seconds = {TRAINING: expected_times.of_training(main.steps, main.minutes, step)}
    if preset.second:
        seconds[SECOND_TRAINING] = expected_times.of_training(short.steps, short.minutes)
    return seconds


def _second_opinion(
    data: SubspaceData, dataset: Dataset, options: Options, key: str, *, emit: Emit, stop: StopRequest
) -> Tensors:
    """Train it, or go on with it; a training that is stopped here has its best main model already."""
    preset = of_second(cast(SubspacePreset, options.preset))
    seed = options.seed + SEED
    network = SubspaceNetwork(data, preset, seed)
    learner = SubspaceLearner(data, preset, dataset.info.fps, seed, network=network, roller=network)
    path = options.work / "second.safetensors"
    training = Training(learner, _schedule(preset, options), path, key, stage=SECOND_TRAINING)
    training.run(
        lambda event: emit({k: event[k] for k in PLAIN} if event["event"] == "progress" else event), stop
    )
    return second_tensors(training.best)


def _prepared(
    dataset: Dataset,
    options: Options,
    training: list[Span],
    validation: list[Span],
    *,
    mirrors: list[Mirror],
    emit: Emit,
    stop: StopRequest,
) -> SubspaceData:
    """The data in its subspaces, kept on disk so that a resumed training need not compute them again."""
    path, key = _kept(options), identity(dataset, options)
    found = read_tensors(path, key)
    if found is not None:
        return SubspaceData.from_tensors(found[0])
    data = prepare(training, validation, dataset.info, options.bases, mirrors=mirrors, emit=emit, stop=stop)
    write_tensors(path, data.to_tensors(), {"identity": key})
    return data


def _kept(options: Options) -> Path:
    """Where the data in their subspaces are."""
    return options.work / "subspace.safetensors"


def _model(
    dataset: Dataset, options: Options, data: SubspaceData, training: Training, *, frames: int
) -> tuple[ModelInfo, Tensors]:
    """The best model so far."""
    preset = cast(SubspacePreset, options.preset)
    physical = is_physical(preset, dataset)
    info = model_info(
        subspace_physics.SPECIFICATION,
        dataset,
        training={
            **options.about(frames),
            "captured_variance": data.captured,
            **training.course.summary(),
        },
        settings=model_settings(preset, physical=physical),
    )
    if physical or preset.shortcut:
        info = replace(info, schema=SCHEMA)
    return info, data.model_tensors() | training.best

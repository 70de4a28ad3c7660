"""Trains subspace neural physics (Holden 2019): Algorithm 1, and what was found to work better."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from ml_backend.methods.subspace_physics.learner import SubspaceLearner
from ml_backend.methods.subspace_physics.presets import SubspacePreset
from ml_backend.training.devices import chosen_device
from ml_backend.training.loop import Schedule, Training
from ml_backend.training.normal_regression import fit_normals
from ml_backend.training.options import Options, identity
from ml_backend.training.spans import Span, split
from ml_backend.training.subspace_data import SubspaceData, prepare
from ml_backend.training.tensor_files import Tensors, read_tensors, write_model, write_tensors
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.methods.subspace_physics import specification as subspace_physics
from neural_physics.models.model_file import ModelInfo


def train(dataset: Dataset, options: Options, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Train and write the model; returns what the "result" event says.

    Raises Problem("dataset_empty" | "dataset_too_short" | "dataset_not_numbers" | "device_missing" |
    "training_diverged" | "stopped" | "disk_full" | "folder_not_writable").
    """
    device = chosen_device(options.device)
    training_spans, validation_spans = split(dataset)
    key = identity(dataset, options)
    data = _prepared(
        training_spans, validation_spans, dataset.info, options, key=key, device=device, emit=emit, stop=stop
    )
    notes = []
    if len(data.basis) < options.bases:
        notes.append(
            f"The motion of the training takes spans only {len(data.basis)} bases: "
            f"{options.bases} are not needed."
        )
    # A step's products are too small to be shared among cores: on a busy machine that costs tenfold.
    torch.set_num_threads(1)
    preset = cast(SubspacePreset, options.preset)
    learner = SubspaceLearner(data, preset, dataset.info.fps, options.seed, device=device)
    schedule = Schedule(
        preset.steps,
        preset.validate_every,
        preset.patience,
        preset.minutes,
        checkpoint_every=options.checkpoint_every,
    )
    training = Training(learner, schedule, options.work / "checkpoint.safetensors", key)
    if training.anew:
        notes.append(
            "The stopped training had a different preset, bases, seed or takes: training started "
            "from scratch."
        )
    for note in notes:
        emit({"event": "log", "text": note})
    try:
        training.run(emit, stop)
    except Problem as problem:
        if problem.code in ("stopped", "training_diverged") and training.best:
            _write(options.partial, dataset, options, data, training=training, normals={})
            emit({"event": "log", "text": f"The best model so far is in {options.partial}."})
        raise
    normals = _normals(training_spans, data, dataset, emit, stop=stop)
    _write(options.out, dataset, options, data, training=training, normals=normals)
    course = training.course
    return {
        "model": str(options.out),
        "validation_error": course.best_error,
        "steps": course.step,
        "best_step": course.best_step,
        "seconds": course.seconds,
        "reason": course.reason,
        "bases": len(data.basis),
        "device": str(device),
        "notes": notes,
    }


def _prepared(
    training: list[Span],
    validation: list[Span],
    info: DatasetInfo,
    options: Options,
    *,
    key: str,
    device: torch.device,
    emit: Emit,
    stop: StopRequest,
) -> SubspaceData:
    """The data in its subspaces, kept on disk so that a training that goes on need not find them again."""
    path = options.work / "subspace.safetensors"
    found = read_tensors(path)
    if found is not None and found[1].get("identity") == key:
        return SubspaceData.from_tensors(found[0])
    data = prepare(training, validation, info, options.bases, device=device, emit=emit, stop=stop)
    write_tensors(path, data.to_tensors(), {"identity": key})
    return data


def _normals(
    spans: list[Span], data: SubspaceData, dataset: Dataset, emit: Emit, *, stop: StopRequest
) -> Tensors:
    mean, q = fit_normals(spans, data.training.z, dataset.mesh, emit, stop=stop)
    # Half precision is far finer than the fit, and halves what they add to a packed .blend.
    return {"normal_mean": mean.astype(np.float16), "normal_basis": q.astype(np.float16)}


def _write(
    path: Path,
    dataset: Dataset,
    options: Options,
    data: SubspaceData,
    *,
    training: Training,
    normals: Tensors,
) -> None:
    z, w, course = data.training.z, data.training.w, training.course
    preset = cast(SubspacePreset, options.preset)
    info = ModelInfo(
        method=subspace_physics.SPECIFICATION.id,
        dt=dataset.info.dt,
        object=dataset.info.object,
        topology=dataset.info.topology,
        vertex_count=dataset.info.vertex_count,
        channels=dataset.info.channels,
        reference_frame=dataset.info.reference_frame,
        settings={
            "activation": preset.activation,
            "initial_model": preset.initial_model,
            "residual": preset.residual,
            "interaction_velocity": preset.interaction_velocity,
        },
        training={
            "preset": options.preset_name,
            "seed": options.seed,
            "training_frames": len(z),
            "validation_error": course.best_error,
            "captured_variance": data.captured,
            "steps": course.step,
            "best_step": course.best_step,
            "seconds": round(course.seconds, 1),
            "reason": course.reason or "stopped",
        },
    )
    tensors: Tensors = {
        "mean": data.mean,
        "basis": data.basis,
        "start": data.start,
        "z_low": z.min(0),
        "z_high": z.max(0),
        "y_mean": data.y_mean,
        "interaction_basis": data.interaction_basis,
        "w_low": w.min(0),
        "w_high": w.max(0),
    }
    write_model(path, info, tensors | training.best | normals)

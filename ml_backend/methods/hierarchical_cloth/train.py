"""Trains hierarchical cloth (Oh 2018): a network for each finer level, from takes of the finest."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from learning.training.expected_times import TRAINING, of_training
from learning.training.loop import STARTED_ANEW, Schedule, Training
from learning.training.options import Options, identity
from learning.training.spans import Span, split
from learning.training.tensor_files import Tensors, model_info, write_model
from ml_backend.methods.hierarchical_cloth.learner import LevelLearner
from ml_backend.methods.hierarchical_cloth.pairs import Shapes, pairs_of
from ml_backend.methods.hierarchical_cloth.presets import LevelPreset
from neural_physics.arrays import Floats
from neural_physics.baking.fabric_ranges import fabric_of
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.jobs.stages import Whole
from neural_physics.methods.hierarchical_cloth import specification as hierarchical_cloth
from neural_physics.methods.hierarchical_cloth.specification import check_cloth
from neural_physics.projective_dynamics.cloth import FABRIC_RANGES, ITERATIONS
from neural_physics.subdivision.usual_levels import usual_hierarchy

MOST_FRAMES = 2000  # that pairs are drawn from
VALIDATION_FRAMES = 60
USUAL_STEPS = 50_000  # where epochs count: how long that is does not matter where there is one stage


def train(dataset: Dataset, options: Options, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Train and write the model; returns what the "result" event says.

    Raises Problem("dataset_damaged" | "dataset_empty" | "dataset_too_short" | "dataset_not_numbers" |
    "training_diverged" | "stopped" | "disk_full" | "folder_not_writable") and what `check_cloth` and
    `usual_hierarchy` do.
    """
    check_cloth(dataset.info.object, dataset.info.provenance.get("physics", ""))
    torch.set_num_threads(1)
    preset = cast(LevelPreset, options.preset)
    emit = Whole(emit, {TRAINING: of_training(preset.steps or USUAL_STEPS, preset.minutes)})
    hierarchy = usual_hierarchy(dataset.mesh, dataset.info.object)
    training_spans, validation_spans = split(dataset)
    rest = dataset.mesh.rest_positions
    shapes = Shapes(hierarchy, rest, _frames(training_spans, MOST_FRAMES))
    held_out = Shapes(hierarchy, rest, _frames(validation_spans, VALIDATION_FRAMES))
    count = len(hierarchy.levels) - 1
    pairs = [
        pairs_of([shapes], level, preset.form, preset.pairs, seed=options.seed)
        for level in range(1, count + 1)
    ]
    learner = LevelLearner(pairs, [held_out], preset, options.seed)
    steps = preset.steps or learner.steps
    schedule = Schedule(
        steps,
        preset.validate_every,
        preset.patience,
        preset.minutes,
        checkpoint_every=options.checkpoint_every,
    )
    key = json.dumps([identity(dataset, options), asdict(preset)])
    training = Training(learner, schedule, options.work / "checkpoint.safetensors", key)
    notes = []
    if training.anew:
        notes.append(STARTED_ANEW)
    for note in notes:
        emit({"event": "log", "text": note})
    model = _Model(dataset, options, preset, shapes, spans=training_spans)
    training.run_and_keep(lambda path: model.write(path, training), options.partial, emit, stop)
    model.write(options.out, training)
    course = training.course
    return {
        **course.best.summary(),
        "steps": course.step,
        "best_step": course.best_step,
        "seconds": course.seconds,
        "reason": course.reason,
        "levels": count,
        "pairs": [len(of_level) for of_level in pairs],
        "device": "cpu",
        "notes": notes,
    }


def _frames(spans: list[Span], most: int) -> Floats:
    """(T, V, 3): at most about so many frames, evenly over all spans."""
    every = max(1, -(-sum(len(span) for span in spans) // most))
    frames = np.concatenate([chunk for span in spans for chunk in span.chunks(every)])
    return frames.reshape(len(frames), -1, 3)


class _Model:
    """All of the model but for the networks."""

    def __init__(
        self, dataset: Dataset, options: Options, preset: LevelPreset, shapes: Shapes, *, spans: list[Span]
    ) -> None:
        self._dataset, self._options, self._preset = dataset, options, preset
        self._fabric = fabric_of(dataset)
        coarse = shapes.hierarchy.levels[0]
        self._levels = len(shapes.hierarchy.levels) - 1
        self._frames = len(shapes.frames)
        self._tensors: Tensors = {
            "rest": dataset.mesh.rest_positions,
            "mean": shapes.frames.mean(axis=0, dtype=np.float64).astype(np.float32),
            "order": shapes.hierarchy.order.astype(np.int32),
            "triangles": coarse.triangles.astype(np.int32),
            **found_pins(dataset, spans),
        }

    def write(self, path: Path, training: Training) -> None:
        data = self._dataset.info
        places = {c.name: c.kind for c in data.channels.channels}
        info = model_info(
            hierarchical_cloth.SPECIFICATION,
            self._dataset,
            settings={
                "form": self._preset.form,
                "levels": self._levels,
                "iterations": ITERATIONS,
                "push_out": self._preset.form != "paper",
                "fabric": asdict(self._fabric),
                "live": {k: k for k in FABRIC_RANGES if places.get(k) == "value"},
                "colliders": data.colliders,
                "gravity": list(data.gravity),
            },
            training={
                **self._options.about(self._frames),
                **training.course.summary(),
            },
        )
        write_model(path, info, self._tensors | training.best)


def found_pins(dataset: Dataset, spans: list[Span]) -> Tensors:
    """The pinned vertices, and which position channel each follows in the takes: the one to which it moves
    least, unless it moves even less in the reference frame.
    """
    pinned = np.flatnonzero(dataset.mesh.pins >= 1.0)
    if not len(pinned):
        return {}
    x = np.concatenate([span.take.positions[span.start : span.stop][:, pinned] for span in spans])
    y = np.concatenate([span.interaction for span in spans])
    places = [-1]
    for channel, where in zip(
        dataset.info.channels.channels, dataset.info.channels.slices().values(), strict=True
    ):
        if channel.kind == "position":
            places.append(where.start)
    least, best = np.full(len(pinned), np.inf), np.full(len(pinned), -1, np.int32)
    means = np.empty((len(pinned), 3))
    for at in places:  # one at a time: there may be hundreds
        anchors = x - (0.0 if at < 0 else y[:, None, at : at + 3])
        strays = anchors.astype(np.float64).var(axis=0).sum(-1)
        nearer = strays < least
        least[nearer], best[nearer] = strays[nearer], at
        means[nearer] = anchors.mean(axis=0, dtype=np.float64)[nearer]
    return {
        "pins.vertices": pinned.astype(np.int32),
        "pins.channels": best,
        "pins.anchors": means.astype(np.float32),
    }

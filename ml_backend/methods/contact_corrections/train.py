"""Trains contact corrections (Romero 2021): handles, what these lack at rest and in contact, cubature."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import torch

from learning.training.helper_processes import cores_for
from learning.training.loop import Course, Schedule, Training
from learning.training.options import Options, identity
from learning.training.spans import Span, split
from learning.training.tensor_files import Tensors, model_info, write_model
from learning.training.validation_error import ValidationError
from ml_backend.methods.contact_corrections.data import solve_corrections
from ml_backend.methods.contact_corrections.learner import CorrectionLearner
from ml_backend.methods.contact_corrections.model import (
    base_tensors,
    channels_of,
    cubature_tensors,
    fit_cubature,
    settings_of,
)
from ml_backend.methods.contact_corrections.placed_handles import PlacedHandle
from ml_backend.methods.contact_corrections.played_depths import as_played, deepest_of
from ml_backend.methods.contact_corrections.presets import ContactPreset
from ml_backend.methods.contact_corrections.samples import CorrectionData, Samples
from ml_backend.methods.contact_corrections.scene import ContactScene, contact_scene
from ml_backend.methods.contact_corrections.solving_helper import helper_words
from ml_backend.simulation.body_checks import checked_body
from ml_backend.training.devices import chosen_device
from neural_physics.datasets.body import Body
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.jobs.stages import Whole
from neural_physics.methods.contact_corrections import specification as contact_corrections
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.models.model_file import Model, ModelInfo

UNCORRECTED = "no correction was learned, so the handles play without any"
SOLVING, LEARNING = "Solving {} shapes", "Training {} network"  # the stages
SHAPE_SECONDS, NETWORK_SECONDS = 0.1, 240.0  # roughly: for a shape, and for a network that has no time limit
VALIDATION_SHARE = 0.2  # of the states that are solved: as many more, of the frames that are held out


def train(dataset: Dataset, options: Options, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Train and write the model; returns what the "result" event says.

    Raises Problem("contact_needs_solid" | "contact_not_settled" | "dataset_empty" | "dataset_too_short" |
    "dataset_not_numbers" | "device_missing" | "training_diverged" | "stopped" | "disk_full" |
    "folder_not_writable") and what `contact_scene` does.
    """
    body, preset = solid_body(dataset), cast(ContactPreset, options.preset)
    device = chosen_device(options.device)
    torch.set_num_threads(1)
    training, validation = split(dataset)
    emit = Whole(emit, _stages(preset, options.cores))
    emit({"event": "log", "text": "Placing the handles."})
    scene = contact_scene(
        dataset, body, training, preset.handles, placed=cast(tuple[PlacedHandle, ...], options.own)
    )
    run = ContactTraining(
        dataset, options, scene, device, key=identity(dataset, options), emit=emit, stop=stop
    )
    solved = run.solved(training, preset.poses, "training")
    if not len(solved.internal):
        raise Problem("contact_not_settled", object=dataset.info.object)
    held_out = run.solved(validation, max(2, round(VALIDATION_SHARE * preset.poses)), "validation")
    corrections, courses = run.corrections(solved, held_out)
    info = run.info(solved, courses)
    tensors, error = run.with_cubature(info, corrections, solved)
    write_model(options.out, info, tensors)
    frames = scene.handles.pinned + scene.handles.loose
    result: dict[str, Any] = {
        "training_frames": {"internal": len(solved.internal), "external": len(solved.external)},
        "recorded_contacts": int(solved.external.recorded.sum()),
        "unsettled": solved.unsettled + held_out.unsettled,
        "cubature": len(tensors["cubature.elements"]),
        "cubature_error": error,
        "handles": [scene.handles.points, frames],
        "device": str(device),
        "notes": run.notes,
    }
    for name, course in courses.items():
        result |= {f"{name}_error": course.best_error, f"{name}_steps": course.step}
    worst = _worst(courses)
    result |= (ValidationError(1.0) if worst is None else worst.best).summary()
    result["reason"] = UNCORRECTED if worst is None else worst.reason
    return result


def _stages(preset: ContactPreset, cores: int | None) -> dict[str, float]:
    """Roughly how long each takes, seconds."""
    solving = (
        SHAPE_SECONDS
        * (preset.poses + min(preset.pressed, preset.poses) * preset.traverses)
        / cores_for(cores)
    )
    learning = 60.0 * preset.minutes or NETWORK_SECONDS
    return {
        SOLVING.format("training"): solving,
        SOLVING.format("validation"): VALIDATION_SHARE * solving,
        LEARNING.format("internal"): learning,
        LEARNING.format("external"): learning,
    }


def solid_body(dataset: Dataset) -> Body:
    """What the dataset was made of. Raises Problem("contact_needs_solid" | "dataset_damaged")."""
    body = dataset.body
    if body is None or body.settings.kind != "solid":
        raise Problem("contact_needs_solid", object=dataset.info.object)
    return checked_body(dataset, body)


@dataclass
class ContactTraining:
    """What all stages of one training share."""

    dataset: Dataset
    options: Options
    scene: ContactScene
    device: torch.device
    key: str
    emit: Emit
    stop: StopRequest

    def __post_init__(self) -> None:
        self.notes: list[str] = []
        self.deepest = 0.0  # m: how deep colliders are in what r_ext is learned from

    @property
    def preset(self) -> ContactPreset:
        """The preset of the options, with this method's own settings."""
        return cast(ContactPreset, self.options.preset)

    def solved(self, spans: list[Span], count: int, role: str) -> CorrectionData:
        """The shapes at rest of so many states, kept on disk for resuming."""
        kept = self.options.work / f"{role}.safetensors", self.key
        stage = SOLVING.format(role)
        seed = self.options.seed + (role == "validation")
        return solve_corrections(
            self.scene,
            spans,
            count,
            self.preset,
            seed=seed,
            kept=kept,
            stage=stage,
            emit=self.emit,
            stop=self.stop,
            helpers=helper_words(
                self.dataset.path, self.preset, cast(tuple[PlacedHandle, ...], self.options.own)
            ),
            cores=self.options.cores,
        )

    def corrections(
        self, solved: CorrectionData, held_out: CorrectionData
    ) -> tuple[Tensors, dict[str, Course]]:
        """What Play reads of both corrections, and how their trainings went."""
        tensors: Tensors = {}
        courses: dict[str, Course] = {}
        preset, options = self.preset, self.options
        for name, wanted, width in (
            ("internal", preset.internal, preset.internal_width),
            ("external", preset.external, preset.external_width),
        ):
            samples: Samples = getattr(solved, name)
            others: Samples = getattr(held_out, name)
            if not wanted or not len(samples) or not np.abs(samples.r).max() > 0.0:
                continue
            if name == "external":
                without = self.played(self.info(solved, courses), tensors)
                samples, others = (as_played(each, self.scene, without) for each in (samples, others))
                if not samples.shares.any():
                    continue  # nowhere is it pressed where contact is felt
                self.deepest = deepest_of(samples, self.scene)
            learner = CorrectionLearner(
                samples, others, options.bases, preset, width=width, seed=options.seed, device=self.device
            )
            schedule = Schedule(
                learner.steps,
                min(preset.validate_every, learner.steps),
                preset.patience,
                preset.minutes,
                checkpoint_every=options.checkpoint_every,
            )
            stage = LEARNING.format(name)
            course = Training(learner, schedule, options.work / f"{name}.safetensors", self.key, stage=stage)
            if course.anew:
                self.notes.append(
                    f"The {name} correction of the stopped training had other settings: "
                    "it started from scratch."
                )
            course.run(self.emit, self.stop)
            found, error = learner.finished(name, course.best)
            tensors |= found
            courses[name] = replace(course.course, best=error)
        return tensors, courses

    def info(self, solved: CorrectionData, courses: dict[str, Course]) -> ModelInfo:
        """The description of the model."""
        worst = _worst(courses)
        training: dict[str, Any] = {
            **self.options.about(len(solved.internal)),
            "contact_frames": len(solved.external),
            **(ValidationError(1.0) if worst is None else worst.best).summary(),
        }
        for name, course in courses.items():
            training |= {f"{name}_error": course.best_error, f"{name}_seconds": round(course.seconds, 1)}
        return model_info(
            contact_corrections.SPECIFICATION,
            self.dataset,
            json.loads(json.dumps(training)),
            settings_of(self.scene, self.preset) | ({"deepest": self.deepest} if self.deepest else {}),
            channels=channels_of(self.dataset.info.channels, self.scene),
        )

    def with_cubature(
        self, info: ModelInfo, corrections: Tensors, solved: CorrectionData
    ) -> tuple[Tensors, float]:
        """All tensors of the model, and the error of the forces, relative."""
        tensors = base_tensors(self.scene, self.mean) | _floats(corrections)
        if not 0 < self.preset.cubature < len(self.scene.body.elements):
            return tensors | cubature_tensors(self.scene, None), 0.0
        self.emit({"event": "log", "text": "Choosing cubature tetrahedra."})
        whole = self.played(info, corrections)
        chosen = fit_cubature(whole, self.scene, solved, self.preset.cubature)
        return tensors | cubature_tensors(self.scene, chosen), chosen.error

    def played(self, info: ModelInfo, corrections: Tensors) -> ContactCorrections:
        """As Play has it with these corrections, and with all tetrahedra."""
        tensors = base_tensors(self.scene, self.mean) | _floats(corrections)
        every = tensors | cubature_tensors(self.scene, None)
        return ContactCorrections(Model(info, every, str(self.options.out)))

    @cached_property
    def mean(self) -> np.ndarray:
        """(V, 3): over the training takes."""
        takes = self.dataset.takes("training")
        total = sum(np.asarray(take.positions).sum(0, dtype=np.float64) for take in takes)
        mean: np.ndarray = np.asarray(total) / sum(len(take.positions) for take in takes)
        return mean


def _worst(courses: dict[str, Course]) -> Course | None:
    """The training of the correction that is furthest off, None where there is none."""
    return max(courses.values(), key=lambda course: course.best_error, default=None)


def _floats(tensors: Tensors) -> Tensors:
    return {name: np.asarray(tensor, np.float32) for name, tensor in tensors.items()}

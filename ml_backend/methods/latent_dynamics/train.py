"""Trains latent dynamics (Li et al. 2025): an autoencoder of the body, then an integrator of its latents."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch

from learning.training import expected_times
from learning.training.expected_times import TRAINING
from learning.training.interaction_range import range_tensors
from learning.training.loop import STARTED_ANEW, Schedule, Training
from learning.training.normal_regression import normal_tensors
from learning.training.options import Options, identity
from learning.training.spans import Span, split
from learning.training.subspace_data import BASES
from learning.training.tensor_files import Tensors, model_info, write_model
from learning.training.vertex_errors import vertex_error_tensors
from ml_backend.methods.latent_dynamics.autoencoder import Autoencoder, AutoencoderLearner
from ml_backend.methods.latent_dynamics.data import LatentData, of_body
from ml_backend.methods.latent_dynamics.imagining import IMAGINING
from ml_backend.methods.latent_dynamics.integrator import Integrator, IntegratorLearner
from ml_backend.methods.latent_dynamics.networks import load_module
from ml_backend.methods.latent_dynamics.potential.body_energy import rest_bend
from ml_backend.methods.latent_dynamics.preparation import CHOOSING, Preparation, Prepared
from ml_backend.methods.latent_dynamics.presets import LatentPreset
from ml_backend.simulation.body_checks import checked_body
from ml_backend.training.devices import chosen_device
from neural_physics.datasets.body import Body
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.jobs.stages import Whole
from neural_physics.methods.latent_dynamics import specification as latent_dynamics
from neural_physics.methods.latent_dynamics.specification import check_bending, check_steps
from neural_physics.models.model_file import ModelInfo

MOST_BEND = 0.05  # radians, of strands at rest: what is bent by more is twisted by what bends it
CODING = "Learning the shapes"  # the stage
CHOOSING_SECONDS, IMAGINED_SECONDS = 15.0, 0.005  # roughly: in all, and for each frame that is imagined
CODER_SHARE = 0.25  # of a preset's minutes, for the autoencoder


def train(dataset: Dataset, options: Options, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Train and write the model; returns what the "result" event says.

    Raises Problem("latent_needs_solver" | "latent_needs_one_step" | "latent_flat" | "latent_strands_curved" |
    "latent_take_without_tracks" | "latent_takes_differ" | "dataset_empty" | "dataset_too_short" |
    "dataset_not_numbers" | "device_missing" |
    "training_diverged" | "stopped" | "disk_full" | "folder_not_writable").
    """
    body = simulated_body(dataset)
    device = chosen_device(options.device)
    training_spans, validation_spans = split(dataset)
    require_tracks(dataset, [*training_spans, *validation_spans])
    key = identity(dataset, options)
    emit = Whole(emit, _stages(training_spans, validation_spans, cast(LatentPreset, options.preset)))
    # A step's products are too small to be shared among cores: on a busy machine that costs tenfold.
    torch.set_num_threads(1)
    spans = of_body(training_spans), of_body(validation_spans)
    prepared = Preparation(dataset, options, body, device, key=key, emit=emit, stop=stop).of(*spans)
    run, data = _Run(options, prepared, device, key, emit=emit, stop=stop), prepared.data
    notes = []
    if not data.motion.exact:
        notes.append(
            f"Pins are {1000 * data.motion.error:.2g} mm away from where the channels place them, which the "
            "networks have to learn: if a single object rotates them, make it the reference frame."
        )
    coder, coding = run.autoencoder(notes)
    learner, integrating = run.integrator(coder, notes)
    made = _Model(dataset, options, body, data, coder=coder, learner=learner)
    # Where it sees only differences of y, no place is outside of anything.
    seen = range_tensors(training_spans) if data.absolute else {}

    def best() -> tuple[ModelInfo, Tensors]:
        info, tensors = made.best(coding, integrating)
        return info, tensors | seen

    integrating.run_and_keep(lambda path: write_model(path, *best()), options.partial, emit, stop)
    info, tensors = best()
    normals = made.normals(training_spans, emit, stop)
    errors = vertex_error_tensors(info, tensors, validation_spans, emit, stop=stop)
    write_model(options.out, info, tensors | normals | errors)
    course = integrating.course
    return {
        **course.best.summary(),
        "coder_error": coding.course.best_error,
        "steps": course.step,
        "best_step": course.best_step,
        "seconds": coding.course.seconds + course.seconds,
        "reason": course.reason,
        "bases": len(data.basis),
        "latents": learner.z.shape[1],
        "device": str(device),
        "notes": notes,
    }


def _stages(spans: list[Span], validation: list[Span], preset: LatentPreset) -> dict[str, float]:
    """Roughly how long each takes, seconds."""
    return {
        BASES: expected_times.of_data(spans)[BASES],
        CHOOSING: CHOOSING_SECONDS,
        IMAGINING: expected_times.LEAST + IMAGINED_SECONDS * preset.imagined,
        CODING: expected_times.of_training(preset.coder_steps, CODER_SHARE * preset.minutes),
        TRAINING: expected_times.of_training(preset.steps, (1.0 - CODER_SHARE) * preset.minutes),
        **expected_times.of_normals(spans),
        **expected_times.of_measuring(validation),
    }


def simulated_body(dataset: Dataset) -> Body:
    """What the bundled solver made the dataset of, whose energies can be learned from.

    Raises Problem("latent_needs_solver" | "latent_needs_one_step" | "latent_needs_hinges" | "latent_flat" |
    "latent_strands_curved" | "dataset_damaged").
    """
    body = dataset.body
    check_steps(dataset.info.object, None if body is None else body.settings.steps)
    if body is not None:
        check_bending(dataset.info.object, body.settings.bending_model)
    assert body is not None  # it has been asked for
    if body.flat:
        raise Problem("latent_flat", object=dataset.info.object)
    bend = rest_bend(body)
    if bend > MOST_BEND:
        raise Problem(
            "latent_strands_curved", object=dataset.info.object, degrees=round(float(np.degrees(bend)))
        )
    return checked_body(dataset, body)


def require_tracks(dataset: Dataset, spans: list[Span]) -> None:
    """Raise Problem("latent_take_without_tracks") where it is not known what acted in a take."""
    for take in dict.fromkeys(span.take.name for span in spans):
        if dataset.surroundings(take) is None:
            raise Problem("latent_take_without_tracks", path=dataset.path, take=take)


@dataclass(frozen=True)
class _Run:
    """What both stages of one training share."""

    options: Options
    prepared: Prepared
    device: torch.device
    key: str
    emit: Emit
    stop: StopRequest

    @property
    def preset(self) -> LatentPreset:
        return cast(LatentPreset, self.options.preset)

    def autoencoder(self, notes: list[str]) -> tuple[Autoencoder, Training]:
        """The best one, and how its training went."""
        preset, seed, made = self.preset, self.options.seed, self.prepared
        learner = AutoencoderLearner(made.data, made.stiffness.mean, preset, seed, device=self.device)
        minutes = CODER_SHARE * preset.minutes
        training = self._training(learner, CODING, preset.coder_steps, minutes, notes=notes)
        try:
            training.run(self.emit, self.stop)
        finally:
            if training.best:
                load_module(learner.coder, "coder", training.best)
        return learner.coder.eval(), training

    def integrator(self, coder: Autoencoder, notes: list[str]) -> tuple[IntegratorLearner, Training]:
        """Its learner, and the training that is to be run."""
        preset = self.preset
        made, seed = self.prepared, self.options.seed
        learner = IntegratorLearner(
            made.data, coder, made.physics, made.stiffness, preset=preset, seed=seed, device=self.device
        )
        minutes = (1.0 - CODER_SHARE) * preset.minutes
        return learner, self._training(learner, TRAINING, preset.steps, minutes, notes=notes)

    def _training(
        self,
        learner: AutoencoderLearner | IntegratorLearner,
        stage: str,
        steps: int,
        minutes: float,
        *,
        notes: list[str],
    ) -> Training:
        preset, options = self.preset, self.options
        schedule = Schedule(
            steps, preset.validate_every, preset.patience, minutes, checkpoint_every=options.checkpoint_every
        )
        name = "autoencoder" if isinstance(learner, AutoencoderLearner) else "integrator"
        training = Training(learner, schedule, options.work / f"{name}.safetensors", self.key, stage=stage)
        if training.anew:
            notes.append(STARTED_ANEW)
            self.emit({"event": "log", "text": STARTED_ANEW})
        return training


@dataclass(frozen=True)
class _Model:
    """What a model file is made of."""

    dataset: Dataset
    options: Options
    body: Body
    data: LatentData
    coder: Autoencoder
    learner: IntegratorLearner

    def normals(self, spans: list[Span], emit: Emit, stop: StopRequest) -> Tensors:
        """The normals as they follow from what is decoded (Holden 2019, section 6.3); none without faces."""
        if not len(self.dataset.mesh.face_sizes):
            return {}
        with torch.no_grad():
            features = (self.coder.decode(self.learner.z) / self.coder.scale).cpu().numpy()
        z = np.concatenate([self.data.training.offsets.astype(np.float32), features], 1)
        return normal_tensors(spans, z, self.dataset.mesh, emit, stop=stop)

    def best(self, coding: Training, integrating: Training) -> tuple[ModelInfo, Tensors]:
        """The best integrator so far, with the autoencoder as it is."""
        data, body, course = self.data, self.body, integrating.course
        network: Integrator = copy.deepcopy(self.learner.network)  # which may have to go on learning
        load_module(network, "integrator", integrating.best)
        about = model_info(
            latent_dynamics.SPECIFICATION,
            self.dataset,
            training={
                **self.options.about(len(data.training.c)),
                "coder_error": coding.course.best_error,
                "captured_variance": data.captured,
                **course.summary(),
                "seconds": round(coding.course.seconds + course.seconds, 1),
            },
        )
        bases = np.concatenate([data.motion.offsets, self.coder.scale * data.basis])
        tensors: Tensors = {
            "mean": body.carried(data.mean),
            "basis": np.stack([body.carried(each) for each in bases]),
            "y_mean": data.motion.mean,
            "offsets": data.motion.basis,
            "boundary": data.boundary,
            "start_latents": self.learner.z[torch.from_numpy(data.starts)].mean(0).cpu().numpy(),
            **self.coder.tensors(),
            **network.tensors(),
        }
        floats = {name: np.asarray(tensor, np.float32) for name, tensor in tensors.items()}
        return about, {name: each for name, each in floats.items() if each.size}

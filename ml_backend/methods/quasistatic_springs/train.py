"""Trains springs about where vertices rest in a pose (Jin et al. 2022): k_s and k_d of each vertex.

Where the dataset has held poses, a network learns from these first where that is.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from learning.training.expected_times import of_training
from learning.training.options import Options, identity
from learning.training.spans import Span, split, split_poses
from learning.training.tensor_files import Tensors, model_info, read_tensors, write_model, write_tensors
from learning.training.validation_error import ValidationError
from ml_backend.methods.quasistatic_springs.fitting import (
    BLOCK,
    FEWEST_FRAMES,
    Motion,
    SpringSettings,
    fit_springs,
)
from ml_backend.methods.quasistatic_springs.pose_training import (
    FEWEST,
    LEARNING,
    PREPARING,
    TrainedPoses,
    targets_of,
    train_poses,
    validation_note,
)
from ml_backend.methods.quasistatic_springs.presets import SpringPreset
from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes, Targets
from neural_physics.arrays import Doubles, Floats
from neural_physics.datasets.takes import Dataset
from neural_physics.evaluation.rollouts import Window, rollout, rollout_errors
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.jobs.stages import Whole
from neural_physics.methods.quasistatic_springs import specification as quasistatic_springs
from neural_physics.methods.quasistatic_springs.method import QuasistaticSprings
from neural_physics.methods.quasistatic_springs.skin_tensors import PRESERVE_VOLUME, skin_tensors
from neural_physics.models.model_file import Model, ModelInfo
from neural_physics.models.vertex_error import VERTEX_ERROR
from neural_physics.skinning.skin import Skin

PIECE = 100  # frames of a take, at least, where not all are used: a slow swing is to be seen whole
POSE_SECONDS, STEP_SECONDS, VERTEX_SECONDS = 0.02, 0.02, 0.01  # roughly
FITTING = "Fitting the springs"  # the stage
FITTED = "the springs of all vertices are fitted"


def train(dataset: Dataset, options: Options, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Fit and write the model; returns what the "result" event says.

    Raises Problem("skin_not_baked" | "dataset_without_motion" | "dataset_empty" | "dataset_too_short" |
    "dataset_not_numbers" | "training_diverged" | "stopped" | "disk_full" | "folder_not_writable").
    """
    preset, key = cast(SpringPreset, options.preset), identity(dataset, options)
    rig = RigTakes.of(dataset)
    bones_alone = rig.predictor(rig.bones_alone())
    training_spans, validation_spans = split(dataset)
    poses, held_poses = split_poses(dataset) if preset.network else ([], [])
    spans = chosen(training_spans, preset.frames)
    has_poses = sum(len(span) for span in poses) >= FEWEST and bool(held_poses)
    emit = Whole(emit, _stages(preset, dataset.info.vertex_count, has_poses))
    learned: TrainedPoses | None = None
    if has_poses:
        about = _info(dataset, rig.skin, {})
        learned = train_poses(rig, poses, held_poses, options, key=key, info=about, emit=emit, stop=stop)
    mean = _mean_shape(spans)
    windows = [Window(span.take, span.start, span.stop) for span in validation_spans]
    bones = rollout_errors(bones_alone, windows, mean)
    network, about_network = None, ""
    if learned:
        network, about_network = learned.tensors, validation_note(learned, held_poses)
        targets = targets_of(rig, _info(dataset, rig.skin, {}), network)
        # Chance may be kind to it in a few poses; what it makes of motion shows in many frames.
        off = rollout_errors(rig.predictor(targets), windows, mean)
        if not learned.helps or off.rms > bones.rms:
            network = None
        if learned.helps and network is None:
            about_network = _strays(off.rms, bones.rms)
    if not network:
        if preset.settled:
            rig = replace(rig, rest=rig.settled_rest(spans))
        targets = rig.bones_alone()
    motions = [_motion(rig, targets, span) for span in spans]
    fit = _Fit(options.work / "springs.safetensors", key, dataset.info.dt, preset)
    stiffness, damping, seconds = fit.run(motions, options.seed, emit, stop)
    tensors: Tensors = {
        "rest": rig.rest,
        "mean": mean,
        **skin_tensors(rig.skin),
        "stiffness": stiffness.astype(np.float32),
        "damping": damping.astype(np.float32),
        **(network or {}),
    }
    frames = sum(len(span) for span in spans)
    training = options.about(frames)
    info = _info(dataset, rig.skin, training)
    method = QuasistaticSprings(Model(info, tensors, str(options.out)))
    errors, held = (rollout_errors(one, windows, mean) for one in (rollout(method), rig.predictor(targets)))
    result = {
        **ValidationError(errors.error, errors.rms, errors.rms_90).summary(),
        "target_error": held.error,
        "skinning_error": bones.error,
        "simpler_error": bones.error,
        "seconds": round(seconds, 1),
        "reason": FITTED,
        **(learned.summary() if learned and network else {}),
    }
    tensors[VERTEX_ERROR] = errors.per_vertex
    write_model(options.out, _info(dataset, rig.skin, training | result), tensors)
    notes = [
        f"On the validation frames, springs are {1000 * errors.rms:.2g} mm from the simulation, "
        f"skinning alone {1000 * bones.rms:.2g} mm (root mean square)."
    ]
    if about_network:
        notes.insert(0, about_network)
    if errors.rms >= held.rms:
        notes.append(
            "Springs do not help here, since what the simulation adds to skinning is bulging and "
            "bending, not swinging: bake faster motion or softer flesh, or choose another method."
        )
    return {
        "frames": frames,
        "vertices": len(stiffness),
        "device": "cpu",
        "notes": notes,
        **result,
    }


def _strays(network: float, bones: float) -> str:
    """What is said of a network of held poses that is further off in motion than skinning; both metres."""
    return (
        f"On the validation frames, the pose network is {1e3 * network:.2g} mm from the simulation, skinning "
        f"alone {1e3 * bones:.2g} mm (root mean square): it is left out. Raise Poses, and bake more of them."
    )


def _stages(preset: SpringPreset, vertices: int, has_poses: bool) -> dict[str, float]:
    """Roughly how long each takes, seconds."""
    poses = {
        PREPARING: POSE_SECONDS * preset.poses,
        LEARNING: of_training(preset.steps, preset.minutes, STEP_SECONDS),
    }
    return (poses if has_poses else {}) | {FITTING: VERTEX_SECONDS * vertices}


def chosen(spans: list[Span], frames: int) -> list[Span]:
    """The beginnings of about as many spans as hold so many frames, each of PIECE at least if it can be."""
    spans = [span for span in spans if len(span) >= FEWEST_FRAMES]
    each, left, found = max(PIECE, -(-frames // max(1, len(spans)))), frames, []
    for span in spans:
        length = min(len(span), each, max(left, FEWEST_FRAMES))
        if left > 0:
            found.append(Span(span.take, span.start, span.start + length))
            left -= length
    return found


def _motion(rig: RigTakes, targets: Targets, span: Span) -> Motion:
    """Targets and positions, in world space."""
    pairs = [(targets(pose), x) for pose, x in rig.frames(span)]
    return Motion(np.stack([target for target, _ in pairs]), np.stack([x for _, x in pairs]))


@dataclass(frozen=True)
class _Fit:
    """A fit that may be stopped, or killed, and resumes after the last vertices that have their springs.

    path: of the checkpoint. key: what must be the same for it to be used.
    """

    path: Path
    key: str
    dt: float
    preset: SpringPreset

    def run(
        self, motions: list[Motion], seed: int, emit: Emit, stop: StopRequest
    ) -> tuple[Doubles, Doubles, float]:
        """Stiffness and damping, both (V,), and the seconds it took."""
        vertices = motions[0].targets.shape[1]
        found, before = self._checkpoint()
        settings = SpringSettings(self.preset.left_out, self.preset.shrink, self.preset.generations, seed)
        progress = Progress(emit, FITTING, vertices, found.shape[1])
        started = time.monotonic()
        # The library's own blocks, so that the springs are those of all vertices fitted at once.
        for first in range(found.shape[1], vertices, BLOCK):
            some = slice(first, first + BLOCK)
            parts = [Motion(m.targets[:, some], m.positions[:, some]) for m in motions]
            fitted = fit_springs(parts, self.dt, settings, _silent, stop=stop)
            found = np.concatenate([found, [fitted.stiffness, fitted.damping]], axis=1)
            self._save(found, before + time.monotonic() - started)
            progress.at(found.shape[1])
            stop.check()
        return found[0], found[1], before + time.monotonic() - started

    @property
    def _identity(self) -> str:
        return f"{self.key} {asdict(self.preset)}"

    def _checkpoint(self) -> tuple[Doubles, float]:
        found = read_tensors(self.path, self._identity)
        if found is None:
            return np.empty((2, 0)), 0.0
        return found[0]["springs"], float(found[1]["seconds"])

    def _save(self, springs: Doubles, seconds: float) -> None:
        about = {"identity": self._identity, "seconds": repr(seconds)}
        write_tensors(self.path, {"springs": springs}, about)


def _silent(_: dict[str, Any]) -> None:
    """Progress is reported by vertices of the whole mesh."""


def _mean_shape(spans: list[Span]) -> Floats:
    """(V, 3) metres, in the reference frame."""
    sums = [chunk.sum(0, dtype=np.float64) for span in spans for chunk in span.chunks()]
    mean = np.sum(sums, axis=0) / sum(len(span) for span in spans)
    return np.asarray(mean.reshape(-1, 3), np.float32)


def _info(dataset: Dataset, skin: Skin, training: dict[str, Any]) -> ModelInfo:
    settings = {PRESERVE_VOLUME: skin.preserve_volume}
    return model_info(quasistatic_springs.SPECIFICATION, dataset, training, settings)

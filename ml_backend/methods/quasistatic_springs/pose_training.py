"""Trains the network of held poses, and says how far it and skinning are from poses it has not seen."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import cast

import numpy as np
import torch

from learning.training.loop import Schedule, Training
from learning.training.options import Options
from learning.training.spans import Span
from learning.training.tensor_files import Tensors
from ml_backend.methods.quasistatic_springs.pose_data import PoseData, prepare
from ml_backend.methods.quasistatic_springs.pose_learner import PoseLearner
from ml_backend.methods.quasistatic_springs.presets import SpringPreset
from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes, Targets
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.methods.quasistatic_springs.pose_network import NETWORK, PoseNetwork
from neural_physics.models.model_file import Model, ModelInfo
from neural_physics.wording import plural

PREPARING, LEARNING = "Preparing the poses", "Learning the poses"  # the stages
FEWEST = 8  # poses for training: fewer say nothing of how flesh goes with the bones


@dataclass(frozen=True)
class TrainedPoses:
    """tensors: of the model file. poses: how many were learned from.

    error, skinning: of the network and of bones alone, m, root mean square over vertices and held-out poses.
    """

    tensors: Tensors
    poses: int
    error: float
    skinning: float
    seconds: float

    @property
    def helps(self) -> bool:
        """Whether the network is nearer to poses that it has not seen than bones alone are.

        One of few poses learns these by heart: between others it is further off than bones by as much again.
        """
        return self.error < self.skinning

    def summary(self) -> dict[str, float]:
        """What the model file and the "result" event say of it."""
        return {
            "poses": self.poses,
            "pose_error_mm": round(1e3 * self.error, 3),
            "pose_skinning_mm": round(1e3 * self.skinning, 3),
            "pose_seconds": round(self.seconds, 1),
        }


def train_poses(
    rig: RigTakes,
    training: list[Span],
    held: list[Span],
    options: Options,
    *,
    key: str,
    info: ModelInfo,
    emit: Emit,
    stop: StopRequest,
) -> TrainedPoses:
    """key: what must be the same for a stopped training to be resumed.

    Raises Problem("stopped" | "training_diverged" | "dataset_not_numbers" | "disk_full" |
    "folder_not_writable").
    """
    preset = cast(SpringPreset, options.preset)
    training = at_most(training, preset.poses)
    data = _prepared(rig, training, held, preset, seed=options.seed, emit=emit, stop=stop)
    schedule = Schedule(
        preset.steps,
        preset.validate_every,
        preset.patience,
        preset.minutes,
        checkpoint_every=options.checkpoint_every,
    )
    identity = f"{key} {asdict(preset)}"
    learner = PoseLearner(data, preset, options.seed)
    path = options.work / "poses.safetensors"
    course = Training(learner, schedule, path, identity, stage=LEARNING)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # products of many small matrices: more threads wait for each other
    try:
        course.run(emit, stop)
    finally:
        torch.set_num_threads(threads)
    tensors = {NETWORK + name: tensor for name, tensor in {**data.tensors(), **course.best}.items()}
    network = targets_of(rig, info, tensors)
    found = TrainedPoses(
        tensors,
        sum(len(span) for span in training),
        _distance(rig, network, held),
        _distance(rig, rig.bones_alone(), held),
        seconds=course.course.seconds,
    )
    emit({"event": "log", "text": validation_note(found, held)})
    return found


def validation_note(found: TrainedPoses, held: list[Span]) -> str:
    """One sentence: the network's error on the validation poses, beside that of skinning alone."""
    poses = plural(sum(len(span) for span in held), "pose")
    said = (
        f"On {poses} used for validation, the pose network is {1e3 * found.error:.2g} mm from the "
        f"simulation, skinning alone {1e3 * found.skinning:.2g} mm (root mean square)"
    )
    return f"{said}." if found.helps else f"{said}: it is left out. Raise Poses, and bake more of them."


def targets_of(rig: RigTakes, info: ModelInfo, tensors: Tensors) -> Targets:
    """Where the network has vertices rest in a pose, as it plays."""
    network = PoseNetwork(Model(info, tensors, "the network of poses"), rig.skin, rig.rest)
    return rig.with_keys(lambda pose: network(pose.moves)[0])


def at_most(spans: list[Span], most: int) -> list[Span]:
    """The beginnings of all spans, in equal shares, so that no more poses than `most` are left.

    However short they are: shares are rounded over all that came before.
    """
    ends = np.cumsum([0, *(len(span) for span in spans)])
    kept = np.diff(np.floor(ends * min(1.0, most / max(1, ends[-1])) + 1e-9).astype(int))
    cut = [
        Span(span.take, span.start, span.start + int(count)) for span, count in zip(spans, kept, strict=True)
    ]
    return [span for span in cut if len(span)]


def _prepared(
    rig: RigTakes,
    training: list[Span],
    held: list[Span],
    preset: SpringPreset,
    *,
    seed: int,
    emit: Emit,
    stop: StopRequest,
) -> PoseData:
    poses = sum(len(span) for span in (*training, *held))
    progress, done = Progress(emit, PREPARING, poses), 0

    def report(count: int) -> None:
        nonlocal done
        stop.check()
        done += count
        progress.at(min(done, poses))

    return prepare(rig, training, held, preset.modes, bones=preset.bones_seen, seed=seed, report=report)


def _distance(rig: RigTakes, targets: Targets, spans: list[Span]) -> float:
    """Metres, root mean square over vertices and poses."""
    squares = [np.square(targets(pose) - x).sum(1).mean() for span in spans for pose, x in rig.frames(span)]
    return float(np.sqrt(np.mean(squares)))

"""Trains zero-restlength springs about skinned targets (Jin et al. 2022): k_s and k_d of each vertex."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ml_backend.methods.spring_fitting import (
    BLOCK,
    FEWEST_FRAMES,
    Motion,
    SpringSettings,
    fit_springs,
)
from ml_backend.methods.spring_presets import SpringPreset
from ml_backend.spans import Span, split
from ml_backend.tensor_files import Tensors, read_tensors, write_model, write_tensors
from neural_physics.errors import Problem
from neural_physics.evaluation import Predictor, Window, rollout, rollout_errors
from neural_physics.methods.quasistatic_springs import QuasistaticSprings
from neural_physics.methods.requirements import QUASISTATIC_SPRINGS
from neural_physics.model_file import Model, ModelInfo
from neural_physics.poses import Pose, pose_channel, pose_in, to_frame, to_world
from neural_physics.reporting import Emit, Progress, StopRequest
from neural_physics.skinning import Skin, skinning_of
from neural_physics.takes import Dataset

if TYPE_CHECKING:
    from ml_backend.train import Options

Floats = NDArray[np.float32]
Reals = NDArray[np.float64]

LEAST = 1e-3  # per frame, of a vertex's matrix, squared: what bones fold flat stays where it was at rest
PIECE = 100  # frames of a take, at least, where not all are used: a slow swing is to be seen whole
FITTED = "every vertex has its springs"


def train(dataset: Dataset, options: Options, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Fit and write the model; returns what the "result" event says.

    Raises Problem("skin_not_baked" | "dataset_empty" | "dataset_too_short" | "dataset_not_numbers" |
    "stopped" | "disk_full" | "folder_not_writable").
    """
    from ml_backend.train import identity

    preset = cast(SpringPreset, options.preset)
    rig = _Rig.of(dataset)
    skinned = rig.predictor()
    training_spans, validation_spans = split(dataset)
    spans = chosen(training_spans, preset.frames)
    if preset.settled:
        rig = replace(rig, rest=rig.settled_rest(spans))
    motions = [rig.motion(span) for span in spans]
    fit = _Fit(options.work / "springs.safetensors", identity(dataset, options), dataset.info.dt, preset)
    stiffness, damping, seconds = fit.run(motions, options.seed, emit, stop)
    tensors: Tensors = {
        "rest": rig.rest,
        "mean": _mean_shape(spans),
        "weights": rig.skin.weights,
        "stiffness": stiffness.astype(np.float32),
        "damping": damping.astype(np.float32),
    }
    frames = sum(len(span) for span in spans)
    training = {"preset": options.preset_name, "seed": options.seed, "training_frames": frames}
    info = _info(dataset, rig.skin, training)
    method = QuasistaticSprings(Model(info, tensors, str(options.out)))
    windows = [Window(span.take, span.start, span.stop) for span in validation_spans]
    predictors = rollout(method), rig.predictor(), skinned
    errors, targets, bones = (rollout_errors(one, windows, method.mean_shape) for one in predictors)
    result = {
        "validation_error": errors.error,
        "target_error": targets.error,
        "skinning_error": bones.error,
        "seconds": round(seconds, 1),
        "reason": FITTED,
    }
    write_model(options.out, _info(dataset, rig.skin, training | result), tensors)
    notes = [
        f"On the frames kept for checking, springs are {1000 * errors.rms:.2g} mm from the simulation, "
        f"and bones alone {1000 * bones.rms:.2g} mm (root mean square)."
    ]
    if errors.rms >= targets.rms:
        notes.append(
            "Springs are no help there: what the simulation does beside its bones is bulging and bending, "
            "and not swinging; bake quicker motion or softer flesh, or choose another method."
        )
    return {
        "model": str(options.out),
        "frames": frames,
        "vertices": len(stiffness),
        "device": "cpu",
        "notes": notes,
        **result,
    }


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


@dataclass(frozen=True)
class _Rig:
    """What takes' vertices follow, and which numbers of y say how."""

    skin: Skin
    rest: Floats
    where: slice

    @classmethod
    def of(cls, dataset: Dataset) -> _Rig:
        found, mesh = pose_channel(dataset.info.channels), dataset.mesh
        if found is None or mesh.skin is None or mesh.skin.bones != found[0].parts:
            raise Problem("skin_not_baked", path=dataset.path, object=dataset.info.object)
        return cls(mesh.skin, mesh.rest_positions, found[1])

    def motion(self, span: Span) -> Motion:
        """Targets and positions, in world space."""
        skinning = skinning_of(self.skin, self.rest)
        pairs = [(skinning(pose.moves), x) for pose, x in self._frames(span)]
        return Motion(np.stack([target for target, _ in pairs]), np.stack([x for _, x in pairs]))

    def settled_rest(self, spans: list[Span]) -> Floats:
        """(V, 3) metres: the shape at rest which bones carry nearest to the simulation, by least squares.

        However bones are blended, a vertex goes where its own matrix takes it, whose columns are how much
        farther it goes for a metre along each axis.
        """
        count = len(self.rest)
        still = skinning_of(self.skin, self.rest)
        along = [skinning_of(self.skin, self.rest + step) for step in np.eye(3, dtype=np.float32)]
        normal, right = np.zeros((count, 3, 3)), np.zeros((count, 3))
        for span in spans:
            for pose, x in self._frames(span):
                target = still(pose.moves)
                columns = np.stack([one(pose.moves) - target for one in along], 2).astype(np.float64)
                normal += columns.transpose(0, 2, 1) @ columns
                right += np.einsum("vij,vi->vj", columns, x - target)
        normal += LEAST * sum(len(span) for span in spans) * np.eye(3)
        return self.rest + np.linalg.solve(normal, right[..., None])[..., 0].astype(np.float32)

    def _frames(self, span: Span) -> Iterator[tuple[Pose, Floats]]:
        """Each frame's pose, and its positions (V, 3) in world space."""
        poses = (pose_in(y[self.where]) for y in span.interaction)
        frames = (x.reshape(-1, 3) for chunk in span.chunks() for x in chunk)
        return ((pose, to_world(pose, x)) for pose, x in zip(poses, frames, strict=True))

    def predictor(self) -> Predictor:
        """What bones alone show, in the reference frame."""
        skinning = skinning_of(self.skin, self.rest)

        def predict(window: Window) -> Floats:
            poses = [pose_in(y[self.where]) for y in window.take.interaction[window.predicted]]
            return np.stack([to_frame(pose, skinning(pose.moves)) for pose in poses])

        return predict


@dataclass(frozen=True)
class _Fit:
    """A fit that may be stopped, or killed, and goes on from the last vertices that have their springs.

    path: of the checkpoint. key: what must be the same for it to be gone on from.
    """

    path: Path
    key: str
    dt: float
    preset: SpringPreset

    def run(
        self, motions: list[Motion], seed: int, emit: Emit, stop: StopRequest
    ) -> tuple[Reals, Reals, float]:
        """Stiffness and damping, both (V,), and the seconds it took."""
        vertices = motions[0].targets.shape[1]
        found, before = self._checkpoint()
        settings = SpringSettings(self.preset.left_out, self.preset.shrink, self.preset.generations, seed)
        progress = Progress(emit, "Fitting the springs", vertices, found.shape[1])
        started = time.monotonic()
        # The library's own blocks, so that the springs are those of all vertices fitted at once.
        for first in range(found.shape[1], vertices, BLOCK):
            some = slice(first, first + BLOCK)
            parts = [Motion(m.targets[:, some], m.positions[:, some]) for m in motions]
            fitted = fit_springs(parts, self.dt, settings, _silent, stop)
            found = np.concatenate([found, [fitted.stiffness, fitted.damping]], axis=1)
            self._save(found, before + time.monotonic() - started)
            progress.at(found.shape[1])
            stop.check()
        return found[0], found[1], before + time.monotonic() - started

    @property
    def _identity(self) -> str:
        return f"{self.key} {asdict(self.preset)}"

    def _checkpoint(self) -> tuple[Reals, float]:
        found = read_tensors(self.path)
        if found is None or found[1].get("identity") != self._identity:
            return np.empty((2, 0)), 0.0
        return found[0]["springs"], float(found[1]["seconds"])

    def _save(self, springs: Reals, seconds: float) -> None:
        about = {"identity": self._identity, "seconds": repr(seconds)}
        write_tensors(self.path, {"springs": springs}, about)


def _silent(_: dict[str, Any]) -> None:
    """Progress is told by vertices of the whole mesh."""


def _mean_shape(spans: list[Span]) -> Floats:
    """(V, 3) metres, in the reference frame."""
    sums = [chunk.sum(0, dtype=np.float64) for span in spans for chunk in span.chunks()]
    mean = np.sum(sums, axis=0) / sum(len(span) for span in spans)
    return np.asarray(mean.reshape(-1, 3), np.float32)


def _info(dataset: Dataset, skin: Skin, training: dict[str, Any]) -> ModelInfo:
    info = dataset.info
    return ModelInfo(
        method=QUASISTATIC_SPRINGS,
        dt=info.dt,
        object=info.object,
        topology=info.topology,
        vertex_count=info.vertex_count,
        channels=info.channels,
        reference_frame=info.reference_frame,
        settings={"preserve_volume": skin.preserve_volume},
        training=training,
    )

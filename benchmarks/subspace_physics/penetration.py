"""A cape on a body in an action that was never trained on: how much of it is inside the body.

The reference, the prediction, and the prediction pushed out of capsules (Holden 2019, section 6.4), each
measured against the body's own faces at every frame of one long rollout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from benchmarks.subspace_physics.datasets import CAPE, baked
from benchmarks.subspace_physics.inside_body import Surface, faces_of
from benchmarks.subspace_physics.models import trained
from neural_physics.blender.baking.motion.training_motion import key_training_motion
from neural_physics.blender.baking.scene_copy import first_frame
from neural_physics.blender.examples import build
from neural_physics.blender.scene.animation.keying import Span
from neural_physics.blender.scene.capsule_sampling import CapsuleSampler
from neural_physics.blender.scene.sampling import ChannelSampler, reference_frame_of
from neural_physics.blender.scene.sources import mesh_data, read_positions
from neural_physics.capsules.projection import Capsules, push_out
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.evaluation.rollouts import GIVEN_FRAMES, Window, rollout, rollout_errors
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from tools import workshop

PRESET, BASES = "balanced", 64
SAME = 1e-4  # of the interaction, rounding aside
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Moment:
    """One frame of the take, in the cape's own axes; metres.

    shapes: by name, (V, 3) each. deep, wedged (V,): what the capsules leave inside.
    """

    body: Surface
    capsules: Capsules
    shapes: dict[str, Floats]
    deep: Mask
    wedged: Mask


@dataclass
class Inside:
    """What is found of one kind of shape, frame after frame.

    depths: metres, of every vertex inside the body at any frame. shares: of the vertices inside, by frame.
    between: shares of the middles of edges and faces inside, by frame. in_capsules: shares by frame.
    """

    depths: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    deepest: list[float] = field(default_factory=list)
    between: list[float] = field(default_factory=list)
    in_capsules: list[float] = field(default_factory=list)

    def add(self, moment: Moment, shape: Floats, middles: Floats) -> None:
        """Add one frame. shape: (V, 3) m; middles: of its edges and faces, m."""
        depths = moment.body.depths(shape)
        inside = depths[depths > 0.0]
        self.depths += inside.tolist()
        self.shares.append(len(inside) / len(shape))
        self.deepest.append(float(depths.max()))
        self.between.append(float((moment.body.depths(middles) > 0.0).mean()))
        gaps = np.min([moment.capsules.distance(k, shape)[0] for k in range(len(moment.capsules))], axis=0)
        self.in_capsules.append(float((gaps < -moment.capsules.tolerance).mean()))

    def figures(self) -> dict[str, Any]:
        """Shares of all vertices at all frames; depths in millimetres, of those inside."""
        return {
            "share": float(np.mean(self.shares)),
            "largest_share": max(self.shares),
            "frames": float(np.mean(np.array(self.shares) > 0.0)),
            "between": float(np.mean(self.between)),
            "largest_between": max(self.between),
            "frames_between": float(np.mean(np.array(self.between) > 0.0)),
            "mean_mm": 1e3 * float(np.mean(self.depths)) if self.depths else 0.0,
            "deepest_mm": 1e3 * max(self.deepest),
            "in_capsules": float(np.mean(self.in_capsules)),
        }


def judge() -> dict[str, Any]:
    """Rows of the table, and what was predicted."""
    dataset = baked(CAPE)
    path, training = trained(f"{CAPE.name}_{PRESET}_{BASES}", dataset.path, PRESET, BASES)
    (take,) = dataset.takes("test")
    model = read_model(path)
    method, window = load_method(model), Window(take, 0, len(take.positions))
    obj = scene_of(take, dataset)
    found = {name: Inside() for name in ("reference", "predicted", "pushed")}
    deep, wedged = [], []
    for moment in moments(obj, take, rollout(method)(window)):
        for name, inside in found.items():
            shape = moment.shapes[name]
            inside.add(moment, shape, middles_of(obj, shape))
        deep.append(float(moment.deep.mean()))
        wedged.append(float(moment.wedged.mean()))
    return {
        "vertices": dataset.info.vertex_count,
        "bases": method.basis_count,
        "preset": PRESET,
        "training": training,
        "training_frames": sum(len(one.positions) for one in dataset.takes("training")),
        "frames": window.stop - window.first - GIVEN_FRAMES,
        "kept": dataset.info.provenance.get("kept_for_testing", ""),
        "rollout_error": rollout_errors(rollout(method), [window], model.tensor("mean", -1, 3)).error,
        "rows": {name: inside.figures() for name, inside in found.items()},
        "deep": float(np.mean(deep)),
        "wedged": float(np.mean(wedged)),
        "worst_frame": GIVEN_FRAMES + int(np.argmax(found["predicted"].deepest)),
    }


def scene_of(take: Take, dataset: Dataset) -> bpy.types.Object:
    """The example as the take was baked, its motion keyed anew and its cloth switched off; the cape.

    Raises SystemExit where the motion is another than the take's.
    """
    scene = workshop.empty_scene()
    obj = build(CAPE.example, scene)
    first = first_frame(obj)
    obj.modifiers["Cloth"].show_viewport = False
    scene.frame_set(first)
    span = Span(first, take.info.frames, dataset.info.fps)
    key_training_motion(obj, span, take.info.seed, take.info.role)
    sampler = ChannelSampler(obj, dataset.info.channels, reference_frame_of(obj), {}, fps=dataset.info.fps)
    for frame in range(first, first + 40):
        scene.frame_set(frame)
        y = sampler.sample(bpy.context.evaluated_depsgraph_get(), frame)
    if not np.allclose(y, take.interaction[frame - first], atol=SAME):
        raise SystemExit(f"{take.name} was baked with another motion than the example has now: bake it anew")
    return obj


def moments(obj: bpy.types.Object, take: Take, predicted: Floats) -> Iterator[Moment]:
    """The frames that were predicted, one after the other; predicted (n, V, 3), in the reference frame."""
    scene, body = bpy.context.scene, bpy.data.objects["Body"]
    assert scene is not None and take.frames is not None  # the cape is learned in a bone's axes
    faces, sampler, first = faces_of(body), CapsuleSampler(obj), scene.frame_start
    for index, shape in enumerate(predicted, GIVEN_FRAMES):
        scene.frame_set(first + index)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        there = body.evaluated_get(depsgraph)
        to_own = np.array(obj.evaluated_get(depsgraph).matrix_world.inverted() @ there.matrix_world)
        capsules, depth_limit = sampler.sample(depsgraph)
        to_object = np.asarray(take.frames[index])
        own = _moved(to_object, shape)
        pushed = push_out(own, capsules, depth_limit)
        yield Moment(
            Surface(_moved(to_own, read_positions(mesh_data(there))), faces),
            capsules,
            {
                "reference": _moved(to_object, np.asarray(take.positions[index])),
                "predicted": own,
                "pushed": pushed.positions,
            },
            pushed.deep,
            wedged=pushed.wedged,
        )


def middles_of(obj: bpy.types.Object, shape: Floats) -> Floats:
    """Where edges and faces are half way: what of a cloth is between its vertices."""
    mesh = mesh_data(obj)
    edges = np.empty((len(mesh.edges), 2), np.int32)
    mesh.edges.foreach_get("vertices", edges.ravel())
    faces = np.array([list(face.vertices) for face in mesh.polygons])  # all of them have four corners
    return np.concatenate([shape[edges].mean(1), shape[faces].mean(1)])


def _moved(matrix: NDArray[np.floating], points: Floats) -> Floats:
    return (points @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)

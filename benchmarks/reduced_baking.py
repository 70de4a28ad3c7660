"""The takes of a method at reduced size, baked in Blender, and Blender's frames of one of them anew."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bpy

from benchmarks.reduced import Reduced
from benchmarks.subspace_physics.datasets import Corpus, baked
from neural_physics.baking.plan import PlannedTake
from neural_physics.baking.pose_plan import plan_poses
from neural_physics.blender.baking.motion.training_motion import key_training_motion
from neural_physics.blender.baking.scene_copy import first_frame
from neural_physics.blender.examples import build
from neural_physics.blender.scene.animation.keying import Span
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.takes import Dataset, Take
from tools import workshop


@dataclass(frozen=True)
class _Corpus(Corpus):
    """A corpus with held poses too, in any folder."""

    poses: int = 0
    place: Path = Path()

    @property
    def folder(self) -> Path:
        return self.place

    def takes(self) -> list[PlannedTake]:
        return [*super().takes(), *plan_poses({}, self.poses, self.seed)]


def bake(folder: Path, reduced: Reduced) -> None:
    """Bake the reduced takes into the folder as the Bake button does it."""
    os.environ["NEURAL_PHYSICS_PYTHON"] = sys.executable  # the one that simulates
    corpus = _Corpus(
        folder.name,
        reduced.example,
        reduced.training,
        reduced.validation,
        test=reduced.test,
        seed=reduced.seed,
        poses=reduced.poses,
        place=folder,
    )
    baked(corpus, lambda obj: _change(obj, reduced))


def _change(obj: bpy.types.Object, reduced: Reduced) -> None:
    settings = settings_of(obj)
    settings.pose_count = reduced.poses
    for name, value in reduced.simulation.items():
        setattr(settings.simulation, name, value)


def blender_frames(reduced: Reduced, dataset: Dataset, take: Take) -> Callable[[], object]:
    """What evaluates one frame after the other of a take's scene, with its own motion."""
    scene = workshop.empty_scene()
    obj = build(reduced.example, scene)
    first = first_frame(obj)
    key_training_motion(obj, Span(first, take.info.frames, dataset.info.fps), take.info.seed, take.info.role)
    frames = iter(range(first + 1, first + take.info.frames))
    scene.frame_set(first)
    return lambda: scene.frame_set(next(frames))

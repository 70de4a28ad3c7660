"""The datasets of the benchmarks: baked once by the extension's own job, kept in build/bench, resumed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bpy

from benchmarks.folders import BENCH
from neural_physics.baking.plan import PlannedTake
from neural_physics.blender.examples import build
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.dataset_info import Role
from neural_physics.datasets.takes import Dataset
from tools import workshop


@dataclass(frozen=True)
class Corpus:
    """What to bake of one example: so many takes of so many frames for each use.

    name: its folder in build/bench. seed: of the training motion; the same seed, the same motion.
    """

    name: str
    example: str
    training: tuple[int, int]
    validation: tuple[int, int]
    test: tuple[int, int]
    seed: int = 1

    @property
    def folder(self) -> Path:
        """The folder of its scene and dataset."""
        return BENCH / self.name

    def takes(self) -> list[PlannedTake]:
        """Each with a seed of its own, whatever else is baked beside it."""
        uses: list[tuple[Role, tuple[int, int]]] = [
            ("training", self.training),
            ("validation", self.validation),
            ("test", self.test),
        ]
        lengths = [(role, frames) for role, (count, frames) in uses for _ in range(count)]
        return [
            PlannedTake(f"take_{number:03d}", frames, 1000 * self.seed + number, role)
            for number, (role, frames) in enumerate(lengths)
        ]


SHEET = Corpus("ball_and_sheet", "BALL_AND_SHEET", (10, 4600), (1, 5000), test=(2, 5000))
# Its test take plays nothing but the action that is kept for testing.
CAPE = Corpus("cape", "CAPE", (8, 1300), (1, 1200), test=(1, 1000))
# The sizes of Holden's Table 2, cut down to what two cores bake in minutes.
SMALL = {
    "Four Pins": Corpus("four_pins", "FOUR_PINS", (8, 1200), (1, 1200), test=(1, 1200)),
    "Flag": Corpus("flag", "FLAG", (8, 1200), (1, 1200), test=(1, 1200)),
    "Soft Body": Corpus("soft_body", "SOFT_BODY_BALL", (8, 1200), (1, 1200), test=(1, 1200)),
}


def baked(corpus: Corpus, change: Callable[[bpy.types.Object], None] = lambda obj: None) -> Dataset:
    """The dataset of a corpus, baked if it is not there yet. `change` is made to the example first."""
    path = corpus.folder / "dataset"
    takes = corpus.takes()
    if not is_baked(corpus):
        scene = workshop.empty_scene()
        obj = build(corpus.example, scene)
        change(obj)
        settings = settings_of(obj)
        settings.take_count, settings.take_frames = len(takes), max(take.frames for take in takes)
        settings.dataset_folder = str(path)
        corpus.folder.mkdir(parents=True, exist_ok=True)
        bpy.ops.wm.save_as_mainfile(filepath=str(corpus.folder / "scene.blend"))
        workshop.bake(obj, f"Bake {corpus.name}", takes)
    return Dataset.open(path)


def is_baked(corpus: Corpus) -> bool:
    """Whether all of its takes are there and complete."""
    path = corpus.folder / "dataset"
    if not (path / "dataset.json").is_file():
        return False
    there = {take.name: take for take in Dataset.open(path).outlines()}
    return all(take.name in there and there[take.name].info.complete for take in corpus.takes())

"""One worker beside two that share a folder: frames per second, and what a take costs beside its frames."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from subprocess import Popen
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import bpy

from benchmarks.records import recorded
from neural_physics.baking.plan import FEWEST_FRAMES
from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.blender.examples import build
from neural_physics.blender.settings.paths import dataset_folder
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.cores import usable_cores
from tools import workshop
from tools.farm.blender_program import write_program

FEW, MANY = 2, 8  # of the shortest takes, whose cost is asked for


@dataclass(frozen=True)
class Scene:
    """name: what simulates it. takes, frames: of the bake that is timed, frames of each take.

    tetrahedra: 0 for the example's own. filling: what the body is filled by. rounds: one worker, then two.
    """

    name: str
    example: str
    takes: int
    frames: int
    tetrahedra: int = 0
    filling: str = "tetwild"
    rounds: int = 3


SCENES = {
    "cloth": Scene("Blender's cloth", "BALL_AND_SHEET", takes=8, frames=300),
    "solver": Scene("the bundled solver", "JELLY", takes=8, frames=80, tetrahedra=1500),
    # Its body is filled with other tetrahedra each time, some of which take longer: more rounds.
    "solver_long": Scene(
        "the bundled solver, longer takes", "JELLY", takes=8, frames=400, tetrahedra=1500, rounds=8
    ),
    # The same body each time, and as many frames as the panel has by default.
    "solver_cage": Scene(
        "the bundled solver, in a cage", "JELLY", takes=8, frames=1000, tetrahedra=1500, filling="cage"
    ),
}


def judge() -> dict[str, Any]:
    """The rows of the table: see `compared`. Raises SystemExit where there are no two cores."""
    rows = [
        {"name": scene.name, **recorded(f"workers/{key}", partial(compared, scene))}
        for key, scene in SCENES.items()
    ]
    return {"rows": rows}


def compared(scene: Scene) -> dict[str, Any]:
    """Frames per second of one worker and of two, with all starts, over all rounds, which take turns.

    Also the ratio of the two, that of each round, and the seconds that a take costs (`overhead`).
    """
    if len(usable_cores()) < 2:
        raise SystemExit("Two workers need two cores.")
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        prepared = _prepared(folder / "timed", scene, scene.takes, frames=scene.frames)
        seconds: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(scene.rounds):
            for workers, each in seconds.items():
                each.append(_baked(prepared, folder, workers))
        total = scene.takes * scene.frames
        ratios = [one / two for one, two in zip(seconds[1], seconds[2], strict=True)]
        return {
            "frames": total,
            "takes": scene.takes,
            "one_fps": total / mean(seconds[1]),
            "two_fps": total / mean(seconds[2]),
            "ratio": sum(seconds[1]) / sum(seconds[2]),
            "ratios": ratios,
            "overhead_s": overhead(folder, scene),
        }


def overhead(folder: Path, scene: Scene) -> float:
    """Seconds that a take of as few frames as there can be costs one worker: many of them beside few."""
    few, many = (
        _baked(_prepared(folder / f"{count}", scene, count, frames=FEWEST_FRAMES), folder, 1)
        for count in (FEW, MANY)
    )
    return (many - few) / (MANY - FEW)


def _prepared(folder: Path, scene: Scene, takes: int, *, frames: int) -> Path:
    """The dataset of a bake that nobody works on yet."""
    os.environ["NEURAL_PHYSICS_PYTHON"] = sys.executable  # the one that simulates
    folder.mkdir()
    obj = build(scene.example, workshop.empty_scene())
    settings = settings_of(obj)
    settings.take_count, settings.take_frames = takes, frames
    if scene.tetrahedra:
        settings.simulation.tetrahedra = scene.tetrahedra
        settings.simulation.filling = scene.filling
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    found = bpy.context.scene
    assert found is not None  # one was just made
    prepare_bake(found, obj)
    return dataset_folder(obj)


def _baked(prepared: Path, folder: Path, workers: int) -> float:
    """Seconds until so many workers, each on a core of its own, have baked a copy of the dataset."""
    dataset = folder / "copy"
    shutil.rmtree(dataset, ignore_errors=True)
    shutil.copytree(prepared, dataset)
    work = [
        str(write_program(folder)),
        "-b",
        "--command",
        "neural_physics",
        "work",
        str(dataset),
        "--at-once",
        "1",
    ]
    with (folder / "log.txt").open("w") as log:
        began = perf_counter()
        running = [
            Popen(["taskset", "-c", str(core), *work], stdout=log, stderr=subprocess.STDOUT)
            for core in usable_cores()[:workers]
        ]
        ended = [each.wait() for each in running]
        seconds = perf_counter() - began
    if any(ended) or not all(take.info.complete for take in Dataset.open(dataset).outlines()):
        raise SystemExit((folder / "log.txt").read_text(encoding="utf-8"))
    return seconds

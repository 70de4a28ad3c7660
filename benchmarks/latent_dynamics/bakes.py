# ruff: noqa: T201 (a tool that is watched)
"""The datasets that are baked in Blender: `python -m benchmarks.latent_dynamics.bakes [NAME ...]`.

They lie in build/bench/latent/scenes and are kept; what was stopped goes on where it was. All of them take
some three hours of one core.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from benchmarks.subspace_physics.datasets import BENCH
from neural_physics.baking.plan import PlannedTake, scene_copy
from neural_physics.blender.baking.scene_copy import save_copy
from neural_physics.blender.examples import build
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.takes import Dataset
from neural_physics.methods.latent_dynamics import specification as latent_dynamics
from tools import workshop

SCENES = BENCH / "latent" / "scenes"
FPS, FRAMES = 30.0, 100  # of takes at constant speeds
HALF, TURNED = 10, 6  # frames one way, as in section 4.1, and frames in which it turns back
SHARES = (0.25, 0.5, 1.0, 1.5)  # of the fastest motion of the training


@dataclass(frozen=True)
class Takes:
    """takes of an example's own training motion, of so many frames each."""

    example: str
    takes: int
    frames: int


@dataclass(frozen=True)
class Speeds:
    """Takes in which what carries an example moves at constant speeds: m/s along X, or rad/s about Z."""

    example: str
    fastest: float
    turns: bool


TAKES = {
    "PINNED_CLOTH_paper": Takes("PINNED_CLOTH", 1, 1500),
    "SLIDING_HAIR": Takes("SLIDING_HAIR", 8, 300),
    "TURNING_HAIR": Takes("TURNING_HAIR", 8, 300),
    "HANGING_FIGURE_paper": Takes("HANGING_FIGURE", 1, 1300),
    "EARS_paper": Takes("EARS", 1, 900),
    "CANTILEVER": Takes("CANTILEVER", 8, 300),
}
SPEEDS = {
    "SLIDING_HAIR_speeds": Speeds("SLIDING_HAIR", 2.0, turns=False),
    "TURNING_HAIR_speeds": Speeds("TURNING_HAIR", 5.0, turns=True),
}


def bake_takes(name: str, takes: Takes) -> None:
    """Bake a dataset as the Bake button does it."""
    obj = build(takes.example, workshop.empty_scene())
    settings = settings_of(obj)
    settings.method = latent_dynamics.SPECIFICATION.id  # which sets one step per frame
    settings.take_count, settings.take_frames = takes.takes, takes.frames
    settings.dataset_folder = str(SCENES / name)
    _save(name)
    workshop.bake(obj, f"Bake {name}")


def bake_speeds(name: str, speeds: Speeds) -> None:
    """One take for each speed, in a scene with that motion; what each is goes into NAME_takes.json."""
    ways = {f"{share * speeds.fastest:.2f}": to_and_fro(share * speeds.fastest) for share in SHARES}
    # Fig. 3: faster than ever, then suddenly a tenth of that.
    dropping = np.where(np.arange(FRAMES) < FRAMES // 2, 1.0, 0.1) * SHARES[-1] * speeds.fastest
    ways["drop"] = to_and_fro(dropping)
    if speeds.turns:
        ways |= {f"on_{share * speeds.fastest:.2f}": onward(share * speeds.fastest) for share in SHARES}
    about = {f"take_{number:03d}": {"role": "test", "speed": speed} for number, speed in enumerate(ways)}
    for number, (take, way) in enumerate(zip(about, ways.values(), strict=True)):
        if not _is_whole(name, take):
            _bake_way(name, speeds, PlannedTake(take, FRAMES, number, "test"), way)
    (SCENES / f"{name}_takes.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def _bake_way(name: str, speeds: Speeds, take: PlannedTake, way: NDArray[np.float64]) -> None:
    scene = workshop.empty_scene()
    obj = build(speeds.example, scene)
    settings = settings_of(obj)
    (item,) = settings.interactions
    item.motion = "KEEP"
    settings.take_count, settings.take_frames = 1, take.frames
    settings.dataset_folder = str(SCENES / name)
    mover = item.object
    assert mover is not None  # the example has one
    mover.animation_data_clear()
    for frame, value in enumerate(way.tolist(), 1):
        if speeds.turns:
            mover.rotation_euler.z = value
            mover.keyframe_insert("rotation_euler", index=2, frame=frame)
        else:
            mover.location.x = value
            mover.keyframe_insert("location", index=0, frame=frame)
    scene.frame_set(1)
    _save(name)
    # Other takes have other motion: each is baked in a copy of its own scene.
    copy = scene_copy(SCENES / name)
    copy.parent.mkdir(parents=True, exist_ok=True)
    save_copy(copy)
    workshop.bake(obj, f"Bake {name}, {take.name}", [take])


def to_and_fro(speeds: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """(FRAMES,) the way at these speeds, which change sign every `HALF` frames within `TURNED` ones."""
    signs = np.where((np.arange(FRAMES) + HALF // 2) // HALF % 2 == 0, 1.0, -1.0)
    velocities = np.convolve(speeds * signs, np.ones(TURNED) / TURNED)[:FRAMES]
    return np.concatenate([[0.0], np.cumsum(velocities[1:]) / FPS])


def onward(speed: float) -> NDArray[np.float64]:
    """(FRAMES,) the way at a speed that is reached from rest within half a second."""
    velocities = np.minimum(1.0, np.arange(FRAMES) / (0.5 * FPS)) * speed
    return np.concatenate([[0.0], np.cumsum(velocities[1:]) / FPS])


def _is_whole(name: str, take: str) -> bool:
    path = SCENES / name
    if not (path / "dataset.json").is_file():
        return False
    dataset = Dataset.open(path)
    return take in dataset.take_names() and dataset.outline(take).info.complete


def _save(name: str) -> None:
    SCENES.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(SCENES / f"{name}.blend"))


def main() -> None:
    """Bake the datasets named on the command line, or all."""
    os.environ["NEURAL_PHYSICS_PYTHON"] = sys.executable  # the one that simulates
    os.environ["PYTHONPATH"] = str(workshop.ROOT)
    known = [*TAKES, *SPEEDS]
    for name in sys.argv[1:] or known:
        if name not in known:
            sys.exit(f"{name} is none of them: {', '.join(known)}")
        if name in TAKES:
            bake_takes(name, TAKES[name])
        else:
            bake_speeds(name, SPEEDS[name])
        print(f"{name} is in {SCENES}")


if __name__ == "__main__":
    workshop.run_and_exit(main)

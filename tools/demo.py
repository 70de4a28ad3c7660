"""`make demo`: bake, train, play, render and judge Ball & Sheet; everything is left in build/demo/.

Each step is skipped if what it makes is there already, so a stopped demo resumes where it was.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter
from typing import Any

import bpy
from rich.table import Table

from neural_physics import wording
from neural_physics.blender.examples import build
from neural_physics.blender.playing import packing, playback
from neural_physics.blender.scene.selecting import select_only
from neural_physics.blender.settings.paths import jobs_folder, model_path
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import object_tasks
from neural_physics.blender.tasks.verdicts import verdict_of
from tools import pictures, workshop
from tools.workshop import console

DEMO = workshop.ROOT / "build" / "demo"
BLEND = DEMO / "ball_and_sheet.blend"
TAKES, TAKE_FRAMES = 10, 1200
TIMED = 60  # frames over which cloth and Play are timed
SHOWN = range(1, 161, 2)  # frames of the animation
STILL = 44  # the frame of the picture: the ball has the sheet


def main() -> None:
    """Do all steps that are not done yet, and show what they measured."""
    began = monotonic()
    DEMO.mkdir(parents=True, exist_ok=True)
    obj = scene_to_work_in()
    measured = Measurements(DEMO / "measured.json")
    measured.once("bake", lambda: bake(obj))
    measured.once("train", lambda: train(obj))
    measured.once("evaluate", lambda: evaluate(obj))
    measured.once("play", lambda: time_play(obj))
    measured.once("pictures", lambda: render(obj))
    pack(obj)
    show(obj, measured.values)
    console.print(f"All of it is in {DEMO} ({wording.duration(monotonic() - began)}).")
    console.print(
        f"Open {BLEND.name} in Blender with the extension (make zip): it plays. Or look at the .gif."
    )


class Measurements:
    """What each step found, kept on disk so that a step is not done twice."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    def once(self, name: str, measure: Any) -> None:  # noqa: ANN401 (a step without arguments)
        """Run `measure` and keep its result under `name`, unless there is one already."""
        if name not in self.values:
            self.values[name] = measure()
            self._path.write_text(json.dumps(self.values, indent=1) + "\n")


def scene_to_work_in() -> bpy.types.Object:
    """The demo's .blend, opened, or made of the example; returns the sheet."""
    scene = workshop.empty_scene()
    if BLEND.is_file():
        bpy.ops.wm.open_mainfile(filepath=str(BLEND))
        return bpy.data.objects["Sheet"]
    obj = build("BALL_AND_SHEET", scene)
    settings = settings_of(obj)
    settings.take_count, settings.take_frames = TAKES, TAKE_FRAMES
    settings.dataset_folder = "//neural_physics/dataset"
    settings.model_path = "//neural_physics/model.safetensors"
    settings.preset = "preview"
    select_only(obj)  # whoever opens it finds the tab at its steps
    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND))
    return obj


def bake(obj: bpy.types.Object) -> dict[str, Any]:
    """Bake the object's takes, and return the job's result."""
    return workshop.run_job(
        "Bake", jobs_folder(obj), object_tasks.BAKE, object_tasks.bake_command(_active_scene(), obj)
    )


def train(obj: bpy.types.Object) -> dict[str, Any]:
    """Train the object's model, and return the seconds it took."""
    began = monotonic()
    workshop.run_job("Train", jobs_folder(obj), object_tasks.TRAIN, object_tasks.train_command(obj))
    return {"seconds": monotonic() - began}


def evaluate(obj: bpy.types.Object) -> dict[str, Any]:
    """Evaluate the object's model, and return the job's result."""
    return workshop.run_job(
        "Evaluate", jobs_folder(obj), object_tasks.EVALUATE, object_tasks.evaluate_command(obj)
    )


def time_play(obj: bpy.types.Object) -> dict[str, Any]:
    """Milliseconds per frame in Blender, everything included: of its cloth, and of Play."""
    playback.detach(obj)
    cloth = frame_times(_active_scene())
    playback.attach(obj)
    play = frame_times(_active_scene())
    playback.detach(obj)
    return {"cloth_ms": median(cloth[2:]), "play_ms": median(play[2:])}


def frame_times(scene: bpy.types.Scene) -> list[float]:
    """Milliseconds of each `frame_set`, from the scene's first frame on."""
    times = []
    for frame in range(scene.frame_start, scene.frame_start + TIMED):
        began = perf_counter()
        scene.frame_set(frame)
        times.append(1000 * (perf_counter() - began))
    return times


def render(obj: bpy.types.Object) -> dict[str, Any]:
    """The scene's own animation: Blender's cloth on the left, the model on the right."""
    scene, scratch = _active_scene(), DEMO / "frames"
    kinds = ("cloth", "play")
    began = monotonic()
    bar = iter(workshop.counted("Render", range(2 * len(SHOWN) + 2)))
    for kind in kinds:
        playback.attach(obj) if kind == "play" else playback.detach(obj)
        pictures.use_workbench(scene, 360)
        for frame in range(scene.frame_start, SHOWN[-1] + 1):
            scene.frame_set(frame)  # cloth must see every frame
            if frame in SHOWN:
                pictures.render(scene, scratch / f"{kind}_{frame:04d}.png")
                next(bar)
        for frame in range(scene.frame_start, STILL + 1):
            scene.frame_set(frame)
        pictures.use_cycles(scene, 480, 32)
        pictures.render(scene, scratch / f"{kind}_still.png")
        next(bar)
    captions = ("Blender cloth", "Neural Physics")
    pairs = [
        [scratch / f"{kind}_{name}.png" for kind in kinds] for name in (*(f"{f:04d}" for f in SHOWN), "still")
    ]
    *moving, still = [pictures.beside(left, right, captions) for left, right in pairs]
    pictures.save_animation(moving, DEMO / "side_by_side.gif", 2 / 24)
    still.save(DEMO / "side_by_side.png")
    shutil.rmtree(scratch)
    return {"seconds": monotonic() - began}


def pack(obj: bpy.types.Object) -> None:
    """Write a .blend that plays without anything else."""
    packing.pack(obj, model_path(obj))
    playback.attach(obj)
    scene = _active_scene()
    scene.frame_set(scene.frame_start)
    bpy.ops.wm.save_mainfile()


def _active_scene() -> bpy.types.Scene:
    scene = bpy.context.scene
    assert scene is not None  # the demo has opened one
    return scene


def show(obj: bpy.types.Object, measured: dict[str, Any]) -> None:
    """The table of what came out."""
    table = Table(title="Ball & Sheet", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    report = json.loads((DEMO / "neural_physics" / "report.json").read_text())
    play = measured["play"]
    verdict = verdict_of(obj)
    for row in (
        ("Bake", f"{measured['bake']['frames_per_second']:.0f} frames/s"),
        ("Training", wording.duration(measured["train"]["seconds"])),
        ("On motion it has not seen", "" if verdict is None else verdict.said),
        ("   error, of that of a shape that stands still", f"{report['rollout_error']:.3f}"),
        ("   the same, of ridge regression", f"{report['ridge_error']:.3f}"),
        ("A step of the model", f"{report['step_us']:.0f} µs"),
        ("Making vertices of it", f"{report['decode_us']:.0f} µs"),
        ("A frame in Blender, played", f"{play['play_ms']:.2f} ms"),
        ("A frame in Blender, simulated", f"{play['cloth_ms']:.1f} ms"),
        ("Simulated, it takes", f"{play['cloth_ms'] / play['play_ms']:.0f} times as long"),
    ):
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    workshop.run_and_exit(main)

"""Render the example scenes side by side, as they are simulated: `python -m tools.gallery PICTURE`.

Each example's picture is kept in build/gallery, so that a stopped run resumes where it was.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import bpy
from PIL import Image

from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.blender.examples import EXAMPLES, build, thumbnails
from neural_physics.blender.scene.modifiers.cache_modifier import show_cache
from neural_physics.blender.scene.sources import uses_solver
from neural_physics.blender.settings.properties import settings_of
from tools import pictures, workshop

SIZE, SAMPLES, COLUMNS = 320, 24, 6
THUMBNAIL = 128  # pixels, of the pictures in the extension's own gallery
KEPT = workshop.ROOT / "build" / "gallery"
FRAMES = {
    "BALL_AND_SHEET": 44,
    "FOUR_PINS": 60,
    "FLAG": 62,
    "SOFT_BODY_BALL": 34,
    "CAPE": 139,
    "SKIRT": 139,
    "JELLY": 46,
    "BUNNY": 58,
    "DRAGON": 70,
    "CANTILEVER": 52,
    "HAIR_TUFT": 48,
    "CLOTH_SHELL": 62,
    "PINNED_CLOTH": 58,
    "SLIDING_HAIR": 40,
    "TURNING_HAIR": 30,
    "HANGING_FIGURE": 48,
    "EARS": 42,
    "JELLY_WITH_CIRCLE": 30,
    "JELLY_WITH_COMB": 30,
    "JELLY_WITH_STAR": 30,
    "ACCORDION": 40,
    "AUXETIC": 40,
    "WORM": 120,
    "FINGER": 30,
    "BUNNY_WITH_CORE": 58,
    "FLAG_LEVELS": 62,
    "CLOTH_OVER_OBJECTS": 44,
    "SOFT_CHARACTER": 44,
    "SOFT_ANIMAL": 34,
    "THREE_GARMENTS": 139,
    "RIGIFY_HUMAN": 50,
}


def main() -> None:
    """Render the examples that have no picture yet, and write all of them as one."""
    rows = -(-len(EXAMPLES) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * SIZE, rows * SIZE), "white")
    KEPT.mkdir(parents=True, exist_ok=True)
    for number, (name, example) in enumerate(EXAMPLES.items()):
        path = KEPT / f"{name}.png"
        if not path.is_file():
            _render(name, path)
        row, column = divmod(number, COLUMNS)
        picture = Image.open(path).convert("RGB")
        sheet.paste(picture, (column * SIZE, row * SIZE))
        small = picture.resize((THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
        small.save(thumbnails.path_of(name), quality=82, optimize=True)
        workshop.console.print(example.label)
    sheet.save(sys.argv[1], quality=88)


def _render(name: str, path: Path) -> None:
    scene = workshop.empty_scene()
    obj = build(name, scene)
    if uses_solver(obj):
        _simulate(scene, obj, FRAMES[name], KEPT / name)
    for frame in range(1, FRAMES[name] + 1):
        scene.frame_set(frame)
    pictures.use_cycles(scene, SIZE, SAMPLES)
    unfinished = path.with_suffix(".part.png")
    pictures.render(scene, unfinished)
    unfinished.replace(path)


def _simulate(scene: bpy.types.Scene, obj: bpy.types.Object, frames: int, dataset: Path) -> None:
    """Let the bundled solver bake the scene's own animation, and show that."""
    os.environ["NEURAL_PHYSICS_PYTHON"] = sys.executable
    settings = settings_of(obj)
    for item in settings.interactions:
        item.motion = "KEEP"
    settings.take_frames, settings.dataset_folder = frames, str(dataset)
    command = prepare_bake(scene, obj)
    environment = {**os.environ, "PYTHONPATH": str(workshop.ROOT)}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    show_cache(obj, dataset / "takes" / "take_000" / "positions.pc2", 1)
    obj.parent = settings.frame_object  # takes are in its axes


if __name__ == "__main__":
    workshop.run_and_exit(main)

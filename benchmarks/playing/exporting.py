"""What plays as files, beside Blender's export: `python -m benchmarks.playing.exporting FOLDER` prints JSON.

A sheet of 10,000 vertices over 1,000 frames, with a model that has learned nothing. Blender exports the same
mesh with the same motion in a Mesh Cache modifier, in this process. Needs the bpy module.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import bpy

from benchmarks.playing.random_model import write_random_model
from neural_physics.blender.examples.cloth import ball_and_sheet
from neural_physics.blender.exchange.exporters import export_scene
from neural_physics.blender.exchange.recording import Sampling
from neural_physics.blender.exchange.writing import write_steps
from neural_physics.blender.playing import mesh_cache, packing, playback
from neural_physics.blender.scene.modifiers.cache_modifier import remove_cache
from neural_physics.blender.scene.sources import mesh_data
from neural_physics.blender.settings import properties

POINTS, BASES, FRAMES, RUNS = 100, 64, 1000, 3
FORMATS = {"Alembic": ".abc", "USD": ".usdc"}

Row = dict[str, Any]


def measure(folder: Path, points: int = POINTS, frames: int = FRAMES, runs: int = RUNS) -> list[Row]:
    """Seconds of whole exports, of all runs, in turns, a row for each format.

    seconds: from what plays to the file, the other Blender's start included. blender_seconds: Blender's
    exporter alone, of the same shapes from a Mesh Cache.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    assert scene is not None  # one was just made
    sheet = ball_and_sheet.build(scene, points)
    model = folder / f"sheet_{points}.safetensors"
    if not model.is_file():
        write_random_model(model, sheet, BASES, radius=ball_and_sheet.BALL_RADIUS)
    packing.pack(sheet, model)
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in FORMATS}
    with TemporaryDirectory(dir=folder) as scratch:
        for _ in range(runs):
            for name, suffix in FORMATS.items():
                ours, blenders = found[name]
                remove_cache(sheet)
                playback.attach(sheet)
                path = Path(scratch) / f"ours{suffix}"
                steps = write_steps(scene, [sheet], path, Sampling(1, frames), show=False)
                ours.append(_seconds(partial(list, steps)))
                mesh_cache.bake_playback(scene, sheet, Path(scratch) / "shapes.pc2", 1, last=frames)
                scene.frame_start, scene.frame_end = 1, frames
                path = Path(scratch) / f"blenders{suffix}"
                with _alone(sheet):
                    blenders.append(_seconds(partial(export_scene, path, 1, frames)))
    playback.unregister()
    return [
        {
            "format": name,
            "vertices": len(mesh_data(sheet).vertices),
            "frames": frames,
            "seconds": median(ours),
            "seconds_mean": mean(ours),
            "blender_seconds": median(blenders),
            "blender_seconds_mean": mean(blenders),
            "speed": median(blenders) / median(ours),
        }
        for name, (ours, blenders) in found.items()
    ]


@contextmanager
def _alone(obj: bpy.types.Object) -> Iterator[None]:
    """Let the file have nothing else in it, as ours has."""
    others = [(other, list(other.users_collection)) for other in bpy.data.objects if other != obj]
    for other, collections in others:
        for collection in collections:
            collection.objects.unlink(other)
    try:
        yield
    finally:
        for other, collections in others:
            for collection in collections:
                collection.objects.link(other)


def _seconds(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    properties.register()
    playback.register()
    print(json.dumps({"rows": measure(folder)}))  # noqa: T201 (for who started it)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # bpy 4.5 can hang in a destructor after much work

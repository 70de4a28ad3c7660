"""A crowd that plays: `python -m benchmarks.playing.crowd FOLDER` prints JSON.

256 bunnies of the size of those in figure 11 of Holden et al., round one ball, and 16 characters with capes,
in one scene. Needs the bpy module. The models are written into FOLDER where they are not there yet, with
weights that have learned nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, product
from pathlib import Path
from time import perf_counter
from typing import Any

import bpy
import numpy as np

from benchmarks.playing.random_model import write_random_model
from neural_physics.blender.examples.cloth import cape
from neural_physics.blender.examples.solids import bunny
from neural_physics.blender.playing import packing, playback
from neural_physics.blender.playing.crowds import Wanted, given
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.playing.output.geometry_nodes import write_positions
from neural_physics.blender.playing.session import PlaySession
from neural_physics.blender.playing.timings import Timings
from neural_physics.blender.scene.sources import mesh_data
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.properties import settings_of
from neural_physics.jobs.cores import usable_cores
from neural_physics.methods.interface import StepsMany
from neural_physics.methods.loaded_models import LoadedModels
from neural_physics.methods.subspace_physics.method import FAST
from neural_physics.timeline.stepping import Stepping, together
from neural_physics.timeline.timeline import FrameState, Timeline

BUNNIES, CHARACTERS, BASES = 256, 16, 64
RESOLUTION = 0.0479  # metres: a skin of 2,506 vertices, where the paper's have 2,503
BALL = 0.2  # metres: its radius
APART, ROW = 2.5, 16  # metres, from each to the next; how many bunnies stand in a row
FRAMES, ROUNDS = 16, 2
SOME = 30  # steps of the models alone

Row = dict[str, Any]


def measure(folder: Path, bunnies: int = BUNNIES, characters: int = CHARACTERS, frames: int = FRAMES) -> Row:
    """Milliseconds of the models alone, and of whole frames of the scene, together and one by one, in turns.

    models: a row for each model and setting, of all its objects: step and decode, mean and median. scenes:
    one `frame_set`, each frame for the first time, mean, median and longest. written_ms: with shapes that are
    at hand written before each evaluation, which is the least that playing can cost. loading_s: of all
    objects, seconds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    crowd = _scene(folder, bunnies, characters)
    began = perf_counter()
    PLAYED.clear()
    PLAYED.rebuild()
    _active_scene().frame_set(1)
    loading = perf_counter() - began
    models = []
    for (what, alike), fast in product(crowd.items(), (True, False)):
        found = _model(folder / f"{what}.safetensors", len(alike), fast)
        models.append({"objects": len(alike), "what": what, "fast": fast, **found})
    scenes = [{"fast": fast, **_frames(crowd, frames, fast)} for fast in (True, False)]
    written = _written(frames)
    return {
        "blender": bpy.app.version_string,
        "cores": len(usable_cores()),
        "bases": BASES,
        "models": models,
        "scenes": scenes,
        "written_ms": _median(written),
        "loading_s": loading,
    }


def _active_scene() -> bpy.types.Scene:
    scene = bpy.context.scene
    assert scene is not None  # Blender always has one in the background
    return scene


def _scene(folder: Path, bunnies: int, characters: int) -> dict[str, list[bpy.types.Object]]:
    """Those that play, by what they are."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = _active_scene()
    body = bunny.build(scene, RESOLUTION)
    _play(body, folder / "bunny.safetensors", BALL)
    garment = cape.build(scene)
    _play(garment, folder / "cape.safetensors", None)
    rig = settings_of(garment).frame_object
    dressed = _characters([garment, rig, *rig.children_recursive], characters)
    return {"bunny": _bunnies(body, bunnies), "cape": dressed}


def _play(obj: bpy.types.Object, model: Path, radius: float | None) -> None:
    if not model.is_file():
        write_random_model(model, obj, BASES, radius=radius)
    packing.pack(obj, model)
    playback.attach(obj)


def _bunnies(first: bpy.types.Object, count: int) -> list[bpy.types.Object]:
    """The first one and copies of it, all round its ball."""
    (collection,) = first.users_collection
    found = [first]
    for k in range(1, count):
        copy = first.copy()
        copy.data = mesh_data(first).copy()
        copy.location = APART * (k % ROW), APART * (k // ROW), 0.0
        collection.objects.link(copy)
        found.append(copy)
    _active_scene().view_layers[0].update()
    return found


def _characters(objects: Sequence[bpy.types.Object], count: int) -> list[bpy.types.Object]:
    """The first of some objects, which belong together, and its copies, each with others of its own."""
    found = [objects[0]]
    for k in range(1, count):
        bpy.ops.object.select_all(action="DESELECT")
        for obj in objects:
            obj.select_set(True)
        bpy.ops.object.duplicate()
        for copy in bpy.context.selected_objects:
            if copy.parent is None:
                copy.location.x -= APART * k
            if settings_of(copy).playing:
                found.append(copy)
    return found


def _model(path: Path, count: int, fast: bool) -> Row:
    """The model of so many objects without a scene, all of them with motions of their own."""
    loaded, rng = LoadedModels().of(path.read_bytes(), path.name), np.random.default_rng(0)
    crowds: list[list[Timeline]] = [[], []]  # stepped together, and one by one
    steps = 0.2 * rng.standard_normal((count, SOME + 1, loaded.model.info.channels.size), np.float32)
    for ys, crowd in product(np.cumsum(steps, 1), crowds):
        method: Any = loaded.method()
        method.adjust({FAST: float(fast)})
        timeline = Timeline(method, 1.0 / method.dt, 0)
        for frame, y in enumerate(ys):
            timeline.record(frame, y)
        crowd.append(timeline)
    times: dict[str, list[float]] = {}
    for frame in range(1, SOME + 1):
        for name, work in _work(crowds[0], crowds[1], frame).items():
            times.setdefault(name, []).append(_ms(work))
    for way in ("together", "alone"):
        times[f"both_{way}"] = [
            step + decode for step, decode in zip(times[f"step_{way}"], times[f"decode_{way}"], strict=True)
        ]
    return {
        "vertices": loaded.model.info.vertex_count,
        **{f"{name}_ms": _median(taken) for name, taken in times.items()},
        **{f"{name}_mean_ms": float(np.mean(taken)) for name, taken in times.items()},
    }


def _work(crowd: list[Timeline], others: list[Timeline], frame: int) -> dict[str, Callable[[], object]]:
    def decode_together() -> None:
        for _ in given(_wanted(each, frame) for each in crowd):
            pass

    return {
        "step_together": lambda: together([each.reaching(frame) for each in crowd]),
        "decode_together": decode_together,
        "step_alone": lambda: [each.at(frame) for each in others],
        "decode_alone": lambda: [each.positions(frame) for each in others],
    }


def _wanted(timeline: Timeline, frame: int) -> Wanted[None]:
    def stepping() -> Stepping[list[FrameState]]:
        return [(yield from timeline.reaching(frame))]

    y = timeline.recorded(frame)
    assert y is not None
    return Wanted(None, "alike", timeline, Timings(), stepping(), [y], 0, decoded=True)


def _frames(crowd: dict[str, list[bpy.types.Object]], frames: int, fast: bool) -> Row:
    """Whole frames, each for the first time."""
    scene = _active_scene()
    playing = list(chain.from_iterable(crowd.values()))
    for obj in playing:
        setattr(settings_of(obj), FAST, fast)
    times: dict[str, list[float]] = {"together": [], "alone": []}
    for _ in range(ROUNDS):
        for way, taken in times.items():
            scene.frame_set(1)
            for session in PLAYED.sessions():
                _begin(session, way == "together")
            scene.frame_set(1)
            scene.frame_set(2)  # from here on frames are foreseen
            taken += [_ms(partial(scene.frame_set, frame)) for frame in range(3, frames + 3)]
    for obj in playing:
        problem = playback.status_of(obj).problem
        if problem is not None:
            raise problem
    return {
        **{f"{way}_ms": _median(taken) for way, taken in times.items()},
        **{f"{way}_mean_ms": float(np.mean(taken)) for way, taken in times.items()},
        **{f"{way}_longest_ms": max(taken) for way, taken in times.items()},
    }


def _begin(session: PlaySession, together: bool) -> None:
    """Forget what was played; what does not step many is stepped and decoded by itself."""
    method: Any = session.method
    assert session.reader is not None
    session.reader.begin_anew()
    many: Any = method if together and isinstance(method, StepsMany) else None
    session.timeline.many = many


def _written(frames: int) -> list[float]:
    """Of frames at which what is shown now is written once more."""
    shapes = [
        (obj, session.timeline.positions(session.reader.frame).copy())
        for session in PLAYED.sessions()
        if session.reader is not None and session.reader.frame is not None and (obj := session.object())
    ]
    playback.unregister()

    def write(*_: object) -> None:
        for obj, positions in shapes:
            write_positions(mesh_data(obj), positions)

    bpy.app.handlers.frame_change_pre.append(write)
    scene = _active_scene()
    taken = [_ms(partial(scene.frame_set, frame)) for frame in range(3, frames + 3)]
    bpy.app.handlers.frame_change_pre.clear()
    return taken


def _ms(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return 1e3 * (perf_counter() - began)


def _median(times: list[float]) -> float:
    return float(np.median(times))


if __name__ == "__main__":
    properties.register()
    playback.register()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    print(json.dumps(measure(parser.parse_args().folder)))  # noqa: T201
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5's module can hang in a destructor after much work

"""Play in Blender beside the cloth it replaces: `python -m benchmarks.playing.play MODEL` prints JSON.

Needs the bpy module. Where MODEL is not there yet, one of the size that the preset `balanced` makes, with
random weights, is written: how long it takes does not depend on what it has learned.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import bpy
import numpy as np

from benchmarks.playing.random_model import write_random_model
from neural_physics.blender.examples.cloth import ball_and_sheet
from neural_physics.blender.playing import packing, playback
from neural_physics.blender.playing.geometry_nodes import write_positions
from neural_physics.blender.scene.sources import mesh_data, physics_modifier
from neural_physics.blender.settings import properties
from neural_physics.methods.registry import load_method

POINTS, BASES = 51, 64
FRAMES, ROUNDS, CALLS = 250, 4, 2000
Clock = Callable[[], float]  # seconds


def measure(
    model_path: Path, frame_count: int = FRAMES, rounds: int = ROUNDS, clock: Clock = perf_counter
) -> dict[str, Any]:
    """Median milliseconds of one `frame_set` of Ball & Sheet, and of its parts in microseconds.

    play_mean_ms: with the frames at which several are stepped and decoded together.

    Cloth and playing take turns, since a busy machine slows what comes at that moment.
    nothing_ms: with the cloth switched off. written_ms: with positions that are at hand written before
    each evaluation, which is the least that playing can cost. play_ms: every frame for the first time.
    scrub_ms: all states known. step_us, decode_us: the model alone, over and over.
    model_path: a model trained on that scene. rounds: in which cloth and playing have so many frames each.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    sheet = ball_and_sheet.build(scene, POINTS)
    modifier = physics_modifier(sheet)
    frames = range(1, frame_count + 1)
    modifier.show_viewport = False
    nothing = _frame_ms(scene, frames, clock)
    modifier.show_viewport = True
    if not model_path.is_file():
        write_random_model(model_path, sheet, BASES)
    packing.pack(sheet, model_path)
    cloth, play, again = [], [], []
    for _ in range(rounds):
        playback.detach(sheet)
        cloth += _frame_ms(scene, frames, clock)
        scene.frame_set(1)
        playback.attach(sheet)
        play += _frame_ms(scene, frames, clock)
        again += _frame_ms(scene, reversed(frames), clock)
    status = playback.status_of(sheet)
    if status.problem:
        raise status.problem
    method = load_method(packing.model_of(sheet))
    y = np.zeros(method.channels.size, np.float32)
    state = method.start(y)
    step, decode = _call_us(lambda: method.step(state, y)), _call_us(lambda: method.positions(state, y))
    positions = method.positions(state, y)
    playback.unregister()
    bpy.app.handlers.frame_change_pre.append(lambda *_: write_positions(mesh_data(sheet), positions))
    written = _frame_ms(scene, frames, clock)
    bpy.app.handlers.frame_change_pre.clear()
    return {
        "blender": bpy.app.version_string,
        "vertices": POINTS * POINTS,
        "bases": status.bases,
        "cloth_quality": modifier.settings.quality,
        "cloth_ms": _median(cloth),
        "nothing_ms": _median(nothing),
        "written_ms": _median(written),
        "play_ms": _median(play),
        "play_mean_ms": float(np.mean(play)),
        "scrub_ms": _median(again),
        "step_us": step,
        "decode_us": decode,
        "speedup": _median(cloth) / _median(play),
    }


def _call_us(call: Callable[[], object]) -> float:
    times = []
    for _ in range(CALLS):
        began = perf_counter()
        call()
        times.append(perf_counter() - began)
    return 1e6 * _median(times)


def _frame_ms(scene: bpy.types.Scene, frames: Iterable[int], clock: Clock) -> list[float]:
    times = []
    for frame in frames:
        began = clock()
        scene.frame_set(frame)
        times.append(1e3 * (clock() - began))
    return times


def _median(times: list[float]) -> float:
    return float(np.median(times))


if __name__ == "__main__":
    properties.register()
    playback.register()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--processor", action="store_true", help="its time, and not that of a clock")
    args = parser.parse_args()
    clock = process_time if args.processor else perf_counter
    print(json.dumps(measure(args.model, args.frames, args.rounds, clock)))  # noqa: T201
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5's module can hang in a destructor after much work

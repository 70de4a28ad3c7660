"""Play in Blender beside the cloth it replaces: `python -m benchmarks.playing.play MODEL` prints JSON.

Needs the bpy module. Where MODEL is not there yet, one of the size that the preset `balanced` makes is
written, which has learned nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

import bpy
import numpy as np

from benchmarks.playing.random_model import write_random_model
from neural_physics.arrays import Floats
from neural_physics.blender.examples.cloth import ball_and_sheet
from neural_physics.blender.playing import packing, playback, played_objects
from neural_physics.blender.playing.grabbing import grab, release
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.playing.output.geometry_nodes import write_positions
from neural_physics.blender.scene.sources import mesh_data, physics_modifier
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.properties import settings_of
from neural_physics.methods.registry import load_method
from neural_physics.methods.subspace_physics.method import FAST, SubspacePhysics

POINTS, BASES = 51, 64
FRAMES, ROUNDS = 250, 4
LIMITS = np.array([ball_and_sheet.MOTION.low, ball_and_sheet.MOTION.high])
HAND = 0.05  # metres, from frame to frame, a deviation along each axis: what drags the ball
Clock = Callable[[], float]  # seconds


def measure(
    model_path: Path, frame_count: int = FRAMES, rounds: int = ROUNDS, clock: Clock = perf_counter
) -> dict[str, Any]:
    """Milliseconds of one `frame_set` of Ball & Sheet, medians, and as `*_mean_ms` means.

    Cloth and playing take turns, since a busy machine slows what comes at that moment.
    nothing_ms: with the cloth switched off. written_ms: with positions that are at hand written before
    each evaluation, which is the least that playing can cost. models: the whole model and Fast, each with
    play_ms: every frame for the first time, at some of which several are stepped and decoded together;
    scrub_ms: all states known; dragged_ms: the ball is put elsewhere before each frame; step_ms, decode_ms:
    the model alone, along what played. speedup: of the whole model, by medians.
    model_path: a model trained on that scene. rounds: in which cloth and playing have so many frames each.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    assert scene is not None  # one was just made
    sheet = ball_and_sheet.build(scene, POINTS)
    modifier = physics_modifier(sheet)
    assert isinstance(modifier, bpy.types.ClothModifier)  # it is a sheet of cloth
    frames = range(1, frame_count + 1)
    modifier.show_viewport = False
    nothing = _frame_ms(scene, frames, clock)
    modifier.show_viewport = True
    if not model_path.is_file():
        write_random_model(model_path, sheet, BASES, radius=ball_and_sheet.BALL_RADIUS)
    packing.pack(sheet, model_path)
    cloth: list[float] = []
    models = {fast: _Played() for fast in (False, True)}
    for _ in range(rounds):
        playback.detach(sheet)
        cloth += _frame_ms(scene, frames, clock)
        for fast, played in models.items():
            setattr(settings_of(sheet), FAST, fast)
            scene.frame_set(1)
            playback.attach(sheet)
            played.take(scene, frames, clock)
            playback.detach(sheet)
    playback.attach(sheet)
    _frame_ms(scene, frames, clock)
    status = playback.status_of(sheet)
    if status.problem:
        raise status.problem
    (session,) = PLAYED.sessions()
    ys = [y for y in map(session.timeline.recorded, frames) if y is not None]
    method = load_method(packing.model_of(sheet))
    assert isinstance(method, SubspacePhysics)  # which has a whole model and Fast
    alone = {fast: _alone(method, ys, fast=fast) for fast in models}
    positions = method.positions(method.start(ys[0]), ys[0])
    playback.unregister()
    bpy.app.handlers.frame_change_pre.append(lambda *_: write_positions(mesh_data(sheet), positions))
    written = _frame_ms(scene, frames, clock)
    bpy.app.handlers.frame_change_pre.clear()
    rows = [
        {"fast": fast, **_both("play", played.first), **_both("scrub", played.again)}
        | _both("dragged", played.dragged)
        | alone[fast]
        for fast, played in models.items()
    ]
    return {
        "blender": bpy.app.version_string,
        "vertices": POINTS * POINTS,
        "bases": status.bases,
        "cloth_quality": modifier.settings.quality,
        **_both("cloth", cloth),
        **_both("nothing", nothing),
        **_both("written", written),
        "models": rows,
        "play_ms": rows[0]["play_ms"],
        "speedup": _median(cloth) / rows[0]["play_ms"],
    }


class _Played:
    """Milliseconds of frames that played."""

    def __init__(self) -> None:
        self.first: list[float] = []
        self.again: list[float] = []
        self.dragged: list[float] = []

    def take(self, scene: bpy.types.Scene, frames: Iterable[int], clock: Clock) -> None:
        """Play all frames for the first time, again, and with the ball in a hand."""
        self.first += _frame_ms(scene, frames, clock)
        self.again += _frame_ms(scene, reversed(list(frames)), clock)
        scene.frame_set(1)
        ball = bpy.data.objects["Ball"]
        grab(ball)
        place, rng = np.array(ball_and_sheet.BALL_START), np.random.default_rng(0)

        def drag() -> None:
            nonlocal place
            place = np.clip(place + rng.normal(0.0, HAND, 3), *LIMITS)
            ball.location = place

        with patch.object(played_objects, "animation_plays", lambda: True):  # in the background none does
            self.dragged += _frame_ms(scene, frames, clock, before=drag)
        release(ball)


def _alone(method: SubspacePhysics, ys: Sequence[Floats], *, fast: bool) -> dict[str, float]:
    method.adjust({FAST: float(fast)})
    state = method.start(ys[0])
    steps, decodings = [], []
    for y in ys:
        began = perf_counter()
        state = method.step(state, y)
        stepped = perf_counter()
        method.positions(state, y)
        steps.append(1e3 * (stepped - began))
        decodings.append(1e3 * (perf_counter() - stepped))
    return {**_both("step", steps), **_both("decode", decodings)}


def _frame_ms(
    scene: bpy.types.Scene, frames: Iterable[int], clock: Clock, *, before: Callable[[], None] | None = None
) -> list[float]:
    times = []
    for frame in frames:
        if before is not None:
            before()
        began = clock()
        scene.frame_set(frame)
        times.append(1e3 * (clock() - began))
    return times


def _both(name: str, times: list[float]) -> dict[str, float]:
    """Median and mean."""
    return {f"{name}_ms": _median(times), f"{name}_mean_ms": float(np.mean(times))}


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

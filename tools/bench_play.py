"""What playing costs in Blender, beside the cloth it replaces: `python bench_play.py MODEL` prints JSON.

Needs the bpy module. Where MODEL is not there yet, one of the size of Holden's network with random
weights is written: how long it takes does not depend on what it has learned.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import numpy as np

from neural_physics.blender import packing, playback, properties
from neural_physics.blender.examples import ball_and_sheet
from neural_physics.blender.sampling import layout_of
from neural_physics.blender.sources import mesh_of, physics_modifier
from neural_physics.model_file import ModelInfo

POINTS, BASES, LAYERS, WIDTH = 51, 64, 10, 1.5
CLOTH_FRAMES, PLAY_FRAMES, ROUNDS = 60, 250, 4


def measure(model_path: Path, points: int = POINTS, bases: int = BASES) -> dict[str, Any]:
    """Median milliseconds of one `frame_set` of Ball & Sheet, and of its parts in microseconds.

    model_path: a model trained on that scene with points x points vertices.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    sheet = ball_and_sheet.build(scene, points)
    modifier = physics_modifier(sheet)
    cloth = _frame_ms(scene, range(1, CLOTH_FRAMES + 1))
    modifier.show_viewport = False
    nothing = _frame_ms(scene, range(1, PLAY_FRAMES + 1), ROUNDS)
    modifier.show_viewport = True
    if not model_path.is_file():
        _write_random_model(model_path, sheet, bases)
    packing.pack(sheet, model_path)
    playback.attach(sheet)
    # First as the artist sees it, with every step taken; then once more with all states known.
    play = _frame_ms(scene, range(1, PLAY_FRAMES + 1))
    again = _frame_ms(scene, range(PLAY_FRAMES, 0, -1), ROUNDS)
    status = playback.status_of(sheet)
    if status.problem:
        raise status.problem
    return {
        "blender": bpy.app.version_string,
        "vertices": points * points,
        "bases": status.bases,
        "cloth_quality": modifier.settings.quality,
        "cloth_ms": cloth,
        "nothing_ms": nothing,
        "play_ms": play,
        "scrub_ms": again,
        "step_us": status.step_us,
        "decode_us": status.decode_us,
        "speedup": cloth / play,
    }


def _frame_ms(scene: bpy.types.Scene, frames: range, rounds: int = 1) -> float:
    times = []
    for _ in range(rounds):
        for frame in frames:
            began = perf_counter()
            scene.frame_set(frame)
            times.append(perf_counter() - began)
    return 1e3 * float(np.median(times))


def _write_random_model(path: Path, sheet: bpy.types.Object, bases: int) -> None:
    """A model of the paper's size (section 5.3) for the sheet."""
    from ml_backend.tensor_files import write_model  # only this needs the safetensors library

    mesh, layout, rng = mesh_of(sheet), layout_of(sheet), np.random.default_rng(0)
    values, hidden = layout.size, int(WIDTH * bases)
    tensors = {
        "mean": mesh.rest_positions,
        "basis": rng.normal(size=(bases, mesh.vertex_count, 3)) * 0.01,
        "start": np.zeros(bases),
        "alpha": np.full(bases, 0.95),
        "beta": np.full(bases, 0.8),
        "z_low": np.full(bases, -4.0),
        "z_high": np.full(bases, 4.0),
        "y_mean": np.zeros(values),
        "interaction_basis": np.eye(values),
        "w_low": np.full(values, -3.0),
        "w_high": np.full(values, 3.0),
    }
    sizes = [2 * bases + values, *[hidden] * (LAYERS - 1), bases]
    for k in range(LAYERS):
        tensors[f"layers.{k}.weight"] = rng.normal(size=(sizes[k + 1], sizes[k])) / np.sqrt(sizes[k])
        tensors[f"layers.{k}.bias"] = rng.normal(size=sizes[k + 1]) * 0.1
    info = ModelInfo("subspace_physics", 1 / 24, sheet.name, mesh.topology(), mesh.vertex_count, layout)
    write_model(path, info, {name: np.asarray(tensor, np.float32) for name, tensor in tensors.items()})


if __name__ == "__main__":
    properties.register()
    playback.register()
    print(json.dumps(measure(Path(sys.argv[1]))))  # noqa: T201
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5's module can hang in a destructor after much work

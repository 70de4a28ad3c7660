# ruff: noqa: T201 (a tool that is read)
"""Oh 2018's studies of its networks: their depth and width (Fig. 10), and over-stretched cloth (Fig. 11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from ml_backend.level_errors import Refine, rms_error
from ml_backend.level_pairs import Shapes, pairs_of
from ml_backend.methods.level_learner import LevelLearner
from ml_backend.methods.level_presets import LevelPreset
from ml_backend.training import Schedule, Training
from neural_physics.hierarchy.levels import Level
from neural_physics.reporting import StopRequest

mpl.use("agg")

DEPTHS = (2, 3, 4, 5)  # Fig. 10 (a), each of width 32
WIDTHS = (16, 32, 64, 128)  # Fig. 10 (b), each of three layers
LIGHT = np.array([0.3, -0.8, 0.5])


def trained(
    preset: LevelPreset,
    training: Sequence[Shapes],
    held_out: Sequence[Shapes],
    minutes: float,
    checkpoint: Path,
) -> Training:
    """Networks of two levels, trained for so many minutes; what a checkpoint has is not done again."""
    pairs = [pairs_of(training, level, preset.form, preset.pairs, 0) for level in (1, 2)]
    learner = LevelLearner(pairs, held_out, preset, 0)
    schedule = Schedule(preset.steps or learner.steps, preset.validate_every, preset.patience, minutes)
    run = Training(learner, schedule, checkpoint, f"{preset} {minutes}")
    run.run(lambda event: None, StopRequest())
    return run


def structures(preset: LevelPreset) -> dict[str, LevelPreset]:
    """A preset with each depth and each width of Fig. 10, by name."""
    deep = {f"{layers} layers of 32": replace(preset, layers=layers, width=32) for layers in DEPTHS}
    wide = {f"3 layers of {width}": replace(preset, layers=3, width=width) for width in WIDTHS}
    return deep | wide


def study(
    preset: LevelPreset, training: Sequence[Shapes], held_out: Sequence[Shapes], minutes: float, folder: Path
) -> dict[str, tuple[float, int]]:
    """By structure: the best validation error, relative to linear subdivision, and the steps that its minutes
    held. Printed one by one.
    """
    results = {}
    for name, structure in structures(preset).items():
        checkpoint = folder / f"study {preset.form} {name}.safetensors"
        course = trained(structure, training, held_out, minutes, checkpoint).course
        results[name] = float(course.best_error), course.step
        print(f"{preset.form:6s} {name:15s} {course.best_error:.3f} after {course.step} steps", flush=True)
    return results


def roughness(level: Level, x: np.ndarray) -> float:
    """Degrees: the root mean square angle between the normals of neighbouring triangles of (n, 3)."""
    normals = _normals(level, x)
    sides = level.slots // 3
    inner = sides[0] != sides[1]
    cosines = np.einsum("ec,ec->e", normals[sides[0, inner]], normals[sides[1, inner]])
    angles = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    return float(np.sqrt((angles**2).mean()))


def stretched(shapes: Shapes, refined: Mapping[str, Refine], picture: Path) -> dict[str, tuple[float, float]]:
    """By what infers the finer levels from a true level 0: the error in metres, and the roughness of the last
    frame in degrees, that of the truth among them. Printed, and the last frames drawn side by side.
    """
    level, count = shapes.hierarchy.levels[-1], shapes.hierarchy.levels[0].vertex_count
    truth = shapes.hierarchy.sorted(shapes.frames[-1]).astype(np.float64)
    last = {"simulated": truth}
    results = {"simulated": (0.0, roughness(level, truth))}
    for name, refine in refined.items():
        last[name] = np.array(refine(truth[:count]).T, np.float64)
        results[name] = rms_error(refine, shapes), roughness(level, last[name])
    for name, (error, rough) in results.items():
        print(f"{name:10s} {1e3 * error:7.2f} mm, {rough:5.2f} degrees from triangle to triangle")
    _draw(level, last, picture)
    return results


def _normals(level: Level, x: np.ndarray) -> np.ndarray:
    p, q, r = (x[corners] for corners in level.triangles.T)
    normals = np.cross(q - p, r - p)
    return normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]


def _draw(level: Level, shapes: Mapping[str, np.ndarray], picture: Path) -> None:
    """Seen along y, the far triangles first, lit from one side."""
    figure = Figure(figsize=(3 * len(shapes), 5), dpi=120)
    for place, (name, x) in enumerate(shapes.items(), 1):
        axes = figure.add_subplot(1, len(shapes), place)
        corners = x[level.triangles]
        far_first = np.argsort(-corners[:, :, 1].mean(1))
        light = 0.25 + 0.75 * np.abs(_normals(level, x) @ (LIGHT / np.linalg.norm(LIGHT)))
        faces = PolyCollection(
            corners[far_first][:, :, [0, 2]], facecolors=[str(shade) for shade in light[far_first]]
        )
        axes.add_collection(faces)
        axes.autoscale()
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_title(name)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture)

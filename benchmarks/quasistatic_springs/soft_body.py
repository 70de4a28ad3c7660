"""Blender's own soft body with a goal, on the benchmark's characters: what an artist has without training.

Its goal holds each vertex with a spring to where bones carry it, all with the same one, and edges hold
vertices together. How stiff and how damped they are is chosen by trying, on the action that springs are
fitted to.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from benchmarks.quasistatic_springs.motions import Action, rms
from benchmarks.quasistatic_springs.scenes import STANDING, Character, goals_file, take_of
from neural_physics.blender.baking.scene_copy import first_frame
from neural_physics.blender.scene.sources import mesh_data, read_positions
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.takes import Dataset
from tools.workshop import counted

Staged = tuple[bpy.types.Object, int]

HELD = 0.98  # the goal of all vertices; 1 would pin them


@dataclass(frozen=True)
class Goal:
    """Blender's settings of a goal, spring and friction; edges: their pull and push, 0 for none."""

    spring: float
    friction: float
    edges: float


GOALS = tuple(Goal(*each) for each in product((0.5, 0.8, 0.9, 0.95, 0.98), (2.0, 8.0, 25.0), (0.0, 0.5)))


def simulated(body: bpy.types.Object, goal: Goal, frames: int) -> NDArray[np.float32]:
    """(frames, V, 3) metres, world space, of a body that only bones carry."""
    scene = bpy.context.scene
    assert scene is not None  # the body's
    first = first_frame(body)
    settings_of(body).simulation.kind = "BLENDER"
    modifier = cast(bpy.types.SoftBodyModifier, body.modifiers.new("Soft Body", "SOFT_BODY"))
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = first, first + frames - 1
    settings = modifier.settings
    settings.use_goal, settings.goal_default, settings.goal_max = True, HELD, 1.0
    settings.goal_spring, settings.goal_friction = goal.spring, goal.friction
    settings.use_edges, settings.use_stiff_quads = goal.edges > 0.0, False
    settings.pull = settings.push = goal.edges
    settings.use_self_collision = False
    found = np.empty((frames, len(mesh_data(body).vertices), 3), np.float32)
    for index in range(frames):
        scene.frame_set(first + index)
        shown = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array(shown.matrix_world, np.float32)
        found[index] = read_positions(mesh_data(shown)) @ world[:3, :3].T + world[:3, 3]
    return found


def chosen_goal(character: Character, dataset: Dataset, staged: Callable[[], Staged]) -> Goal:
    """The one that is nearest to the simulation of the action to fit to; all that were tried are kept.

    staged: makes a scene with that action, anew each time.
    """
    path = goals_file(character)
    tried = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    true = Action.of(dataset, take_of(character.fitted)).true
    path.parent.mkdir(parents=True, exist_ok=True)
    for goal in counted(f"{character.name}: goals of the soft body", GOALS[len(tried) :]):
        error = rms(simulated(*_with(staged(), goal))[STANDING:], true)
        tried.append({**asdict(goal), "mm": 1e3 * error if np.isfinite(error) else None})
        path.write_text(json.dumps(tried, indent=1) + "\n", encoding="utf-8")
    finite = [each for each in tried if each["mm"] is not None]
    best = min(finite, key=lambda each: each["mm"])
    return Goal(best["spring"], best["friction"], best["edges"])


def _with(staged: Staged, goal: Goal) -> tuple[bpy.types.Object, Goal, int]:
    body, frames = staged
    return body, goal, frames


def save(path: Path, goal: Goal, positions: NDArray[np.float32]) -> None:
    """Both, for `errors`; positions (frames, V, 3)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new.npz")
    np.savez(new, positions=positions, goal=np.array(list(asdict(goal).values())))
    new.replace(path)  # so that a file that is there is whole

"""How sure a trained model is of motion that was not simulated: the scene is read, the model plays it."""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np

from ...arrays import Floats
from ...baking.choice import STAGE, read_scores, share_of, write_scores
from ...baking.plan import BakePlan
from ...datasets.dataset_info import DatasetInfo
from ...datasets.takes import Dataset
from ...evaluation.expected_errors import expected_from_rest
from ...jobs.events import Emit, Progress, StopRequest
from ...methods.registry import load_method
from ...models.model_file import read_model
from ..scene.sampling import ChannelSampler, reference_frame_of
from ..scene.sources import PHYSICS_TYPES
from .scene_copy import first_frame
from .seals import Trust
from .take_scenes import open_with_motion


def score_motion(
    plan: BakePlan, task: str, trust: Trust, holder: int, *, emit: Emit, stop: StopRequest
) -> dict[str, Any]:
    """Score this task's candidates, or the rest of them; returns what the "result" event says.

    holder: the number of who chooses.

    Raises Problem("stopped" | "bake_scene_lost" | "model_damaged" | ...).
    """
    method, scores = load_method(read_model(plan.guide)), read_scores(plan)
    takes, info = share_of(plan, task), Dataset.open(plan.dataset).info
    done = sum(take.frames for take in takes if take.seed in scores)
    progress = Progress(emit, STAGE, sum(take.frames for take in takes), done)
    for take in takes:
        if take.seed in scores:
            continue
        stop.check()
        scene, obj, _ = open_with_motion(plan, take, trust)
        motion = _read_motion(scene, obj, take.frames, info, stop=stop)
        square = float(np.mean(np.square(expected_from_rest(method, motion))))
        scores[take.seed] = square if math.isfinite(square) else 0.0
        write_scores(plan, task, holder, scores)
        done += take.frames
        progress.at(done)
    return {"scored": len(takes)}


def _read_motion(
    scene: bpy.types.Scene, obj: bpy.types.Object, frames: int, info: DatasetInfo, *, stop: StopRequest
) -> Floats:
    """y (frames, e) float32 of a take, with nothing simulated."""
    _switch_off_simulations(scene)
    sampler = ChannelSampler(obj, info.channels, reference_frame_of(obj), {}, fps=info.fps)
    rows = []
    for frame in range(first_frame(obj), first_frame(obj) + frames):
        stop.check()
        scene.frame_set(frame)
        depsgraph = scene.view_layers[0].depsgraph
        assert depsgraph is not None  # the frame was just set
        rows.append(sampler.sample(depsgraph, frame).copy())
    return np.array(rows)


def _switch_off_simulations(scene: bpy.types.Scene) -> None:
    for obj in scene.objects:
        for modifier in obj.modifiers:
            if modifier.type in PHYSICS_TYPES:
                modifier.show_viewport = False

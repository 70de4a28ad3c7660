"""What a frame of jiggle springs takes, part by part, beside a frame of the simulation it was learned from.

All in one process and on one thread, in milliseconds of the processor: medians, and the least.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median
from time import process_time
from typing import Any, TypeVar

import numpy as np

from benchmarks.quasistatic_springs.scenes import (
    FINE,
    JUDGED,
    PRESET,
    QUICKER,
    STANDING,
    Character,
    baked,
    take_of,
)
from benchmarks.quasistatic_springs.training import loaded, trained
from benchmarks.solver.solver_times import solver_ms
from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes
from ml_backend.simulation.poses.posing import PosedBody
from neural_physics.datasets.takes import Dataset

T = TypeVar("T")

PASSES = 5  # over an action's frames
SETTLED = 10  # poses that are solved for once more


def judge() -> dict[str, Any]:
    """Milliseconds of a frame of each character that is baked, and the names of the others."""
    there = {character: baked(character) for character in (*JUDGED, FINE)}
    return {
        "rows": [
            row for character, data in there.items() if data is not None for row in _rows(character, data)
        ],
        "missing": [character.name for character, data in there.items() if data is None],
    }


def _rows(character: Character, dataset: Dataset) -> list[dict[str, Any]]:
    """A row for each preset; the fine character, whose poses are few, has only that with few components."""
    take = dataset.take(take_of(character.fitted))
    skin, body = dataset.mesh.skin, dataset.body
    assert skin is not None and body is not None  # it was baked for springs, by the bundled solver
    solved = [each for each in dataset.outlines() if each.info.kind == "quasistatic"]
    of_all = {
        "name": character.name,
        "vertices": dataset.info.vertex_count,
        "bones": len(skin.bones),
        "on_each": float(np.count_nonzero(skin.weights, axis=1).mean()),
        "simulated_vertices": body.vertex_count,
        "tetrahedra": len(body.elements),
        "steps": body.settings.steps,
        "solver_ms": solver_ms(dataset, take.name, len(take.positions)),
        "poses": sum(each.frame_count for each in solved),
        "pose_ms": pose_ms(dataset, next(each.name for each in solved)),
    }
    rows = []
    for preset in (QUICKER,) if character is FINE else (QUICKER, PRESET):
        path, training = trained(character.example, dataset.path, preset)
        rows.append(
            {
                **of_all,
                "preset": preset,
                "ms": frame_ms(dataset, path, np.asarray(take.interaction[STANDING:])),
                "training_seconds": training["seconds"] + training.get("pose_seconds", 0.0),
            }
        )
    return rows


def frame_ms(dataset: Dataset, model: Path, ys: np.ndarray) -> dict[str, dict[str, float]]:
    """The median and the least of each part of a frame, of interactions (N, e) one after the other.

    The network's share is what targets take longer with it than skinning does without, and that of springs
    what a step takes longer than its targets. Frames in which the pose is held, whose targets are known
    already, do not count.
    """
    method, rig = loaded(model), RigTakes.of(dataset)
    held = np.all(ys[1:, rig.places.where] == ys[:-1, rig.places.where], axis=1)
    ys = np.concatenate([ys[:1], ys[1:][~held]])
    skinning = rig.bones_alone()
    bones, targets, steps, shown = list[float](), list[float](), list[float](), list[float]()
    for _ in range(PASSES):
        state = method.start(ys[0])
        for y in ys[1:]:
            pose = rig.places.pose(y)
            bones.append(_ms(skinning, pose)[0])
            targets.append(_ms(method.targets, pose)[0])
            ms, state = _ms(method.step, state, y)
            steps.append(ms)
            shown.append(_ms(method.positions, state, y)[0])
    return {
        "skinning": _summary(bones),
        "network": _summary(targets, bones),
        "springs": _summary(steps, targets),
        "frame": _summary(shown),
        "total": _summary([step + show for step, show in zip(steps, shown, strict=True)]),
    }


def _summary(taken: list[float], but: list[float] | None = None) -> dict[str, float]:
    found = {"median": median(taken), "least": min(taken)}
    return {name: ms - _summary(but)[name] for name, ms in found.items()} if but else found


def _ms(work: Callable[..., T], *args: object) -> tuple[float, T]:
    began = process_time()
    found = work(*args)
    return 1e3 * (process_time() - began), found


def pose_ms(dataset: Dataset, take: str) -> float:
    """Mean of what the solver takes for a held pose, of a take's first ones."""
    surroundings, rig = dataset.surroundings(take), RigTakes.of(dataset)
    body = dataset.body
    assert surroundings is not None and body is not None
    request, tracks = surroundings
    moves = rig.places.pose(tracks.interaction).moves
    posed = PosedBody(request, body, tracks, rig.skin, moves=moves)
    return fmean(_ms(posed.settle, index)[0] for index in range(min(SETTLED, len(moves))))

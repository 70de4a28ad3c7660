"""How far networks are from the fine simulation if level 0 is true, beside subdivision (Oh 2018, section 4).

And how far the cloth goes if level 0 runs by itself (Fig. 9).
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from benchmarks.hierarchical_cloth.networks import networks
from benchmarks.hierarchical_cloth.scenes import EVERY, shapes_of
from ml_backend.methods.hierarchical_cloth.errors import (
    Refine,
    butterfly_subdivision,
    linear_subdivision,
    loop_subdivision,
    rms_error,
)
from ml_backend.methods.hierarchical_cloth.pairs import Shapes
from ml_backend.methods.hierarchical_cloth.scenes import ClothScene, motions_of, simulated
from neural_physics.projective_dynamics.cloth import Cloth

PARTS = ("motion", "stiffness", "colliders", "stretched")


def judge() -> dict[str, Any]:
    """RMS over all vertices beyond level 0, in metres for linear subdivision, relative to it for all others.

    free, spread: metres, RMS of all vertices if level 0 runs by itself, and of the distance from the mean
    shape.
    """
    trained, rows = networks(), []
    for part in PARTS:
        for scene, shapes in shapes_of(part):
            refined: dict[str, Refine] = {
                "Loop": loop_subdivision(shapes.hierarchy),
                "butterfly": butterfly_subdivision(shapes.hierarchy),
                **{name: found.of(shapes) for name, found in trained.items()},
            }
            linear = rms_error(linear_subdivision(shapes.hierarchy), shapes)
            free, spread = free_error(scene, shapes, refined["balanced"])
            rows.append(
                {
                    "part": part,
                    "kind": scene.kind,
                    "fabric": asdict(scene.fabric),
                    "linear": linear,
                    "ratios": {name: rms_error(refine, shapes) / linear for name, refine in refined.items()},
                    "free": free,
                    "spread": spread,
                }
            )
    return {"training": {name: found.training for name, found in trained.items()}, "rows": rows}


def free_error(scene: ClothScene, shapes: Shapes, refine: Refine) -> tuple[float, float]:
    """Metres: see `judge`."""
    hierarchy, mesh = shapes.hierarchy, scene.mesh()
    coarse, n = hierarchy.levels[0], hierarchy.levels[0].vertex_count
    pinned = np.flatnonzero(mesh.pins[hierarchy.order[:n]])
    motions = motions_of(scene)
    place = np.cumsum(mesh.pins > 0) - 1
    motions = replace(motions, pins=motions.pins[:, place[hierarchy.order[pinned]]])
    level_0 = Cloth(mesh.rest_positions[hierarchy.order[:n]], coarse.triangles, pinned, scene.dt)
    coarse_frames = simulated(scene, level_0, motions)[EVERY - 1 :: EVERY]
    squares = [
        ((refine(x).T - hierarchy.sorted(truth)) ** 2).sum(1).mean()
        for x, truth in zip(coarse_frames, shapes.frames, strict=True)
    ]
    spread = ((shapes.frames - shapes.frames.mean(0)) ** 2).sum(2).mean()
    return float(np.sqrt(np.mean(squares))), float(np.sqrt(spread))

"""Fig. 11 of Oh 2018: how far off and how rough the networks of Table 1 make over-stretched cloth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.hierarchical_cloth.scenes import shapes_of
from benchmarks.hierarchical_cloth.training_table import FORMS, LEVELS, network
from ml_backend.methods.hierarchical_cloth.errors import (
    Refine,
    butterfly_subdivision,
    linear_subdivision,
    rms_error,
)
from ml_backend.methods.hierarchical_cloth.pairs import Shapes
from ml_backend.methods.hierarchical_cloth.scenes import ClothScene
from neural_physics.methods.hierarchical_cloth.batched_perceptron import Layers
from neural_physics.methods.hierarchical_cloth.networks import LevelNetworks
from neural_physics.subdivision.levels import Level

SIMULATED, WITHOUT_LIMITS = "simulated", "local, without limits"


def judge() -> dict[str, Any]:
    """The comparison of each scene: see `compared`."""
    return {"rows": [compared(scene, shapes, ways(shapes)) for scene, shapes in shapes_of("stretched")]}


def ways(shapes: Shapes) -> dict[str, Refine]:
    """Subdivision, the paper's networks, and ours with and without the limits of what they are shown."""
    of_form = {form: [network(level, form, FORMS[form])[1] for level in LEVELS] for form in FORMS}
    unlimited = [replace(layers, limits=None) for layers in of_form["local"]]
    return {
        "linear": linear_subdivision(shapes.hierarchy),
        "butterfly": butterfly_subdivision(shapes.hierarchy),
        "paper": _networks(shapes, "paper", of_form["paper"]),
        WITHOUT_LIMITS: _networks(shapes, "local", unlimited),
        "local": _networks(shapes, "local", of_form["local"]),
    }


def _networks(shapes: Shapes, form: str, layers: list[Layers]) -> LevelNetworks:
    rest = shapes.hierarchy.sorted(shapes.rest)
    return LevelNetworks(shapes.hierarchy, rest, [form] * len(layers), layers)


def compared(scene: ClothScene, shapes: Shapes, refined: Mapping[str, Refine]) -> dict[str, Any]:
    """Ways to infer the finer levels from a true level 0: each one's error in metres over all frames, and
    how rough its last frame is, in degrees, that of the truth among them.
    """
    level, count = shapes.hierarchy.levels[-1], shapes.hierarchy.levels[0].vertex_count
    truth = shapes.hierarchy.sorted(shapes.frames[-1]).astype(np.float64)
    errors = {name: rms_error(refine, shapes) for name, refine in refined.items()}
    last = {name: np.array(refine(truth[:count]).T, np.float64) for name, refine in refined.items()}
    degrees = {name: roughness(level, x) for name, x in {SIMULATED: truth, **last}.items()}
    longer = {"stretch": scene.fabric.stretch, "times": lengthening(level, truth, shapes)}
    return {**longer, "errors": errors, "degrees": degrees}


def lengthening(level: Level, x: NDArray[np.float64], shapes: Shapes) -> float:
    """The longest edge of (V, 3), over its length in rest."""
    rest = shapes.hierarchy.sorted(shapes.rest)
    now, before = (
        np.linalg.norm(points[level.edges[:, 0]] - points[level.edges[:, 1]], axis=1) for points in (x, rest)
    )
    return float((now / before).max())


def roughness(level: Level, x: NDArray[np.float64]) -> float:
    """Degrees: the root mean square angle between the normals of neighbouring triangles of (n, 3)."""
    p, q, r = (x[corners] for corners in level.triangles.T)
    normals = np.cross(q - p, r - p)
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]
    sides = level.slots // 3
    inner = sides[0] != sides[1]
    cosines = np.einsum("ec,ec->e", normals[sides[0, inner]], normals[sides[1, inner]])
    angles = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    return float(np.sqrt((angles**2).mean()))

# ruff: noqa: T201 (simulating is watched)
"""The scenes that hierarchical cloth is measured on (Oh 2018): simulated once, without Blender.

All of it lies in build/bench/hierarchy: scenes/ is what was simulated, the rest what was trained from it.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np

from benchmarks.folders import BENCH
from ml_backend.methods.hierarchical_cloth.pairs import Shapes
from ml_backend.methods.hierarchical_cloth.scenes import ClothScene, Fabric, random_scenes, simulated
from neural_physics.files.atomic import write_atomically
from neural_physics.subdivision.coarsening import found_hierarchy

HIERARCHY = BENCH / "hierarchy"
SCENES = HIERARCHY / "scenes"
EVERY = 5  # frames from one shape that is looked at to the next
UNSEEN_FABRICS = (Fabric(50.0, 2e-3), Fabric(2000.0, 1e-5), Fabric(1500.0, 2e-3))


def scenes_of(part: str) -> list[ClothScene]:
    """What is learned from, what chooses the best networks, and what neither has seen."""
    match part:
        case "training":
            small = random_scenes(12, 2, frames=150, columns=25, rows=37, spacing=1 / 24)
            return random_scenes(6, 1, frames=120) + small
        case "validation":
            return random_scenes(3, 50, frames=105)
        case "motion":
            return random_scenes(3, 100, frames=105)
        case "stiffness":
            known = random_scenes(3, 200, frames=105)
            return [replace(s, fabric=f) for s, f in zip(known, UNSEEN_FABRICS, strict=True)]
        case "stretched":  # Fig. 11: far beyond what was trained
            return [ClothScene(s, "curtain", Fabric(4.0, 1e-4), 49, rows=73, frames=60) for s in (7, 8)]
        case "colliders":
            unseen = random_scenes(3, 300, frames=105)
            return [replace(s, capsules=True, radius=0.13) for s in unseen if s.kind != "flag"]
        case _:
            raise ValueError(f"no scenes are for {part}")


def shapes_of(part: str) -> list[tuple[ClothScene, Shapes]]:
    """Some frames of each scene, simulated if they are not there yet."""
    found = []
    for number, scene in enumerate(scenes_of(part)):
        path = SCENES / f"{part}_{number}.npy"
        if not path.is_file():
            SCENES.mkdir(parents=True, exist_ok=True)
            file = BytesIO()
            np.save(file, simulated(scene)[EVERY - 1 :: EVERY].astype(np.float32))
            write_atomically(path, file.getvalue())
            print(f"simulated {path.stem}", flush=True)
        mesh = scene.mesh()
        found.append((scene, Shapes(found_hierarchy(mesh, 2, part), mesh.rest_positions, np.load(path))))
    return found


def learned_from() -> tuple[list[Shapes], list[Shapes]]:
    """What is learned from, and what chooses the best networks."""
    training, validation = ([shapes for _, shapes in shapes_of(part)] for part in ("training", "validation"))
    return training, [replace(s, frames=s.frames[::4]) for s in validation]

"""Three garments and hair on one character, in an action that was never trained on: how much of each is
behind what it is worn over.

As simulated, as predicted, and as Play shows it with *Layers Below*, each measured by Blender's own tree of
the layer's faces at every frame of the test take.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from benchmarks.subspace_physics.datasets import Corpus, baked
from benchmarks.subspace_physics.mesh_rim import rim
from benchmarks.subspace_physics.models import MODELS, run
from neural_physics.blender.baking.motion.training_motion import key_training_motion
from neural_physics.blender.baking.scene_copy import first_frame
from neural_physics.blender.examples import build
from neural_physics.blender.playing import packing, playback
from neural_physics.blender.scene.animation.keying import Span
from neural_physics.blender.scene.layers import layers_below
from neural_physics.blender.scene.sources import mesh_data, read_positions
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.take_folders import together_folder
from neural_physics.datasets.takes import Dataset, Take
from tools import workshop

GARMENTS = Corpus("three_garments", "THREE_GARMENTS", (8, 1000), (1, 500), test=(1, 600))
MAIN = "Cape"
PRESET, BASES, SEED = "balanced", 64, 0
KINDS = ("simulated", "predicted", "layered")
NEAR = 0.05  # metres: what is further from a layer is not over it
SETTLED = 24  # frames, before which the first shapes are as they were sewn
Points = NDArray[np.float64]


@dataclass
class Behind:
    """What is found of one garment over one layer. shares: of the vertices behind it, by frame; depths: m."""

    shares: list[float] = field(default_factory=list)
    depths: list[float] = field(default_factory=list)

    def add(self, points: Points, layer: _Faces) -> None:
        """Add one frame."""
        depths = [depth for point in points if (depth := layer.depth(point)) > 0.0]
        self.shares.append(len(depths) / len(points))
        self.depths += depths

    def figures(self) -> dict[str, float]:
        """Shares of all vertices at all frames, and depths in millimetres of those behind."""
        return {
            "share": float(np.mean(self.shares)),
            "largest_share": max(self.shares),
            "mean_mm": 1e3 * float(np.mean(self.depths)) if self.depths else 0.0,
            "deepest_mm": 1e3 * max(self.depths, default=0.0),
        }


class _Faces:
    """The faces of a layer as they are at one frame, seen from the side on which it is worn over."""

    def __init__(self, positions: Points, mesh: bpy.types.Mesh) -> None:
        faces = [tuple(polygon.vertices) for polygon in mesh.polygons]
        self._tree, self._rim = cast(BVHTree, BVHTree.FromPolygons(positions.tolist(), faces)), rim(mesh)
        self._faces = faces

    def depth(self, point: Points) -> float:
        """Metres behind, 0 in front and beyond the rim."""
        place, normal, face, away = self._tree.find_nearest(Vector(point.tolist()), NEAR)
        if place is None or normal is None or face is None or away is None:
            return 0.0
        if self._rim & set(self._faces[face]):
            return 0.0
        return max(0.0, -(Vector(point.tolist()) - place).dot(normal))


def judge() -> dict[str, Any]:
    """Errors of each garment, what of it is behind each layer, and milliseconds of a frame of the scene.

    Those of "simulated" are of the scene without any garment moving, "simulation_ms" those of all simulated.
    """
    main = baked(GARMENTS)
    found = {MAIN: main.path, **{path.name: path for path in sorted(together_folder(main.path).iterdir())}}
    errors = {name: run(_model(name), path, PRESET, BASES, seed=SEED) for name, path in found.items()}
    takes = {name: Dataset.open(path).takes("test")[0] for name, path in found.items()}
    scene, garments = _scene_of(takes[MAIN], main)
    counted = _counted(takes)
    below = {name: [layer.name for layer in layers_below(obj)] for name, obj in garments.items()}
    kinds: dict[str, dict[str, dict[str, Behind]]] = {}
    clocks: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for kind, shapes in (
        ("simulated", _simulated(scene, garments, takes, clocks["simulated"], counted=counted)),
        ("predicted", _played(scene, garments, clocks["predicted"], counted=counted, layers=False)),
        ("layered", _played(scene, garments, clocks["layered"], counted=counted, layers=True)),
    ):
        measured = kinds.setdefault(kind, {})
        for frame in shapes:
            faces = {name: _Faces(points, mesh_data(garments[name])) for name, points in frame.items()}
            for name, points in frame.items():
                for layer in below[name]:
                    behind = measured.setdefault(name, {}).setdefault(layer, Behind())
                    behind.add(points, faces[layer])
    return {
        "preset": PRESET,
        "bases": BASES,
        "frames": len(counted),
        "torn": takes[MAIN].info.frames - SETTLED - len(counted),
        "training_frames": sum(take.usable_frames for take in main.takes("training")),
        "kept": main.info.provenance.get("kept_for_testing", ""),
        "garments": [
            {"name": name, "vertices": len(mesh_data(garments[name]).vertices), **each}
            for name, each in errors.items()
        ],
        "behind": [
            {"name": name, "below": low, **{kind: kinds[kind][name][low].figures() for kind in KINDS}}
            for name, by in kinds["simulated"].items()
            for low in by
        ],
        "ms": {
            kind: {"median": 1e3 * median(clock), "mean": 1e3 * mean(clock)} for kind, clock in clocks.items()
        },
        "simulation_ms": playback.status_of(garments[MAIN]).simulation_ms,
    }


def _counted(takes: dict[str, Take]) -> list[int]:
    """The frames that are measured: once all hang, but for those in which a garment was torn."""
    torn = {
        index
        for take in takes.values()
        for exclusion in take.info.excluded
        for index in range(exclusion.first, exclusion.last + 1)
    }
    return [index for index in range(SETTLED, takes[MAIN].info.frames) if index not in torn]


def _model(garment: str) -> str:
    return f"three_garments_{garment}_{PRESET}"


def _scene_of(take: Take, dataset: Dataset) -> tuple[bpy.types.Scene, dict[str, bpy.types.Object]]:
    """The example with the test take's motion keyed, its cloths switched off, and its garments by name."""
    scene = workshop.empty_scene()
    main = build(GARMENTS.example, scene)
    garments = {obj.name: obj for obj in scene.objects if settings_of(obj).enabled}
    first = first_frame(main)
    for obj in garments.values():
        obj.modifiers["Cloth"].show_viewport = False
    scene.frame_set(first)
    key_training_motion(main, Span(first, take.info.frames, dataset.info.fps), take.info.seed, take.info.role)
    return scene, garments


def _simulated(
    scene: bpy.types.Scene,
    garments: dict[str, bpy.types.Object],
    takes: dict[str, Take],
    clock: list[float],
    *,
    counted: list[int],
) -> Iterator[dict[str, Points]]:
    """What was baked, frame by frame, in the axes of the world; garments are evaluated as they were sewn."""
    for index in counted:
        clock.append(_show(scene, first_frame(garments[MAIN]) + index))
        frame = {}
        for name, take in takes.items():
            assert take.frames is not None  # each is learned in a bone's axes
            frame[name] = _in_world(garments[name], _moved(take.frames[index], take.positions[index]))
        yield frame


def _played(
    scene: bpy.types.Scene,
    garments: dict[str, bpy.types.Object],
    clock: list[float],
    *,
    counted: list[int],
    layers: bool,
) -> Iterator[dict[str, Points]]:
    """What Play shows, frame by frame, in the axes of the world."""
    for name, obj in garments.items():
        settings_of(obj).use_layers = layers
        packing.pack(obj, (MODELS / _model(name) / "model.safetensors").read_bytes())
        playback.attach(obj)
    for index in range(counted[-1] + 1):
        seconds = _show(scene, first_frame(garments[MAIN]) + index)
        if index in counted:
            clock.append(seconds)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            yield {
                name: _in_world(obj, read_positions(mesh_data(obj.evaluated_get(depsgraph))))
                for name, obj in garments.items()
            }


def _show(scene: bpy.types.Scene, frame: int) -> float:
    """Go to a frame; the seconds that it takes until all is evaluated."""
    start = time.perf_counter()
    scene.frame_set(frame)
    bpy.context.evaluated_depsgraph_get()
    return time.perf_counter() - start


def _in_world(obj: bpy.types.Object, positions: NDArray[np.floating]) -> Points:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return _moved(np.array(obj.evaluated_get(depsgraph).matrix_world), positions)


def _moved(matrix: NDArray[np.floating], positions: NDArray[np.floating]) -> Points:
    return np.asarray(positions @ matrix[:3, :3].T + matrix[:3, 3], np.float64)

"""What of an object, or of its takes, keeps the chosen method from learning it; for panels drawn often.

Levels are searched for once for each topology, and whether the mesh has another one is looked at once a
second at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import bpy
import numpy as np

from ...datasets.rest_mesh import Mesh, topology_hash
from ...datasets.status import LOOK_AGAIN, dataset_status
from ...datasets.takes import Dataset
from ...errors import Problem
from ...methods.hierarchical_cloth.usual_levels import usual_hierarchy
from ...methods.requirements import (
    CONTACT_CORRECTIONS,
    HIERARCHICAL_CLOTH,
    check_cloth,
    check_pose,
    check_simulation,
    check_solid,
)
from ..baking.surroundings import frame_scale
from ..scene.artist_handles import check_handles
from ..scene.sources import faces_of, loose_edges_of, mesh_data, mesh_of, physics_of, solver_steps
from ..settings.paths import dataset_folder
from ..settings.properties import settings_of
from . import contact_obstacles

SAME_SIZE = 1e-3
_topologies: dict[int, tuple[float, tuple[int, ...], str]] = {}  # by the mesh's session_uid
_levels: dict[tuple[str, str], Problem | None] = {}  # by topology and object


def check_bake(scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Raise the Problem of an object that the chosen method could not learn if it were baked.

    Those of `requirements` and `usual_hierarchy`, and Problem("levels_scaled" | "contact_scaled" |
    "contact_frame_moves"), and those of `contact_obstacles`.
    """
    method = settings_of(obj).method
    check_simulation(method, obj.name, solver_steps(obj))
    check_cloth(method, obj.name, physics_of(obj))
    check_solid(method, obj.name, physics_of(obj))
    if method == CONTACT_CORRECTIONS:
        if _is_scaled(obj):
            raise Problem("contact_scaled", object=obj.name)
        if settings_of(obj).moving_frame:
            raise Problem("contact_frame_moves", object=obj.name)
        contact_obstacles.check_colliders(scene, obj)
    if method == HIERARCHICAL_CLOTH:
        if _is_scaled(obj):
            raise Problem("levels_scaled", object=obj.name)
        _check_levels(_topology_of(obj), lambda: mesh_of(obj), obj.name)


def check_train(obj: bpy.types.Object) -> None:
    """Raise the Problem of takes that the chosen method cannot learn from: those of `check_bake`,
    and what `check_handles` does.
    """
    method, folder = settings_of(obj).method, dataset_folder(obj)
    made = dataset_status(folder)
    check_simulation(method, obj.name, made.solver_steps)
    check_cloth(method, obj.name, made.physics)
    check_solid(method, obj.name, made.physics)
    check_pose(method, obj.name, folder, made.posed)
    if method == CONTACT_CORRECTIONS:
        check_handles(obj)
    if method == HIERARCHICAL_CLOTH:
        _check_levels(made.topology, lambda: Dataset.open(folder).mesh, obj.name)


def lacks_levels(obj: bpy.types.Object) -> bool:
    """Whether an object's mesh is no subdivision of a coarser one."""
    try:
        _check_levels(_topology_of(obj), lambda: mesh_of(obj), obj.name)
    except Problem as problem:
        return problem.code in ("levels_quads", "levels_not_found")
    return False


def look_again() -> None:
    """Do not rely on what was seen of a mesh a moment ago."""
    _topologies.clear()
    contact_obstacles.look_again()


def _is_scaled(obj: bpy.types.Object) -> bool:
    return bool(np.abs(frame_scale(obj) - 1.0).max() > SAME_SIZE)


def _check_levels(topology: str, mesh: Callable[[], Mesh], name: str) -> None:
    key = topology, name
    if key not in _levels:
        try:
            usual_hierarchy(mesh(), name)
            _levels[key] = None
        except Problem as problem:
            _levels[key] = problem
    obstacle = _levels[key]
    if obstacle is not None:
        raise obstacle.with_traceback(None)


def _topology_of(obj: bpy.types.Object) -> str:
    mesh = mesh_data(obj)
    counts = len(mesh.vertices), len(mesh.edges), len(mesh.loops), len(mesh.polygons)
    when, before, topology = _topologies.get(mesh.session_uid, (float("-inf"), (), ""))
    if before != counts or time.monotonic() - when > LOOK_AGAIN:
        corners, sizes = faces_of(mesh)
        topology = topology_hash(counts[0], corners, sizes, loose_edges_of(mesh))
        _topologies[mesh.session_uid] = time.monotonic(), counts, topology
    return topology

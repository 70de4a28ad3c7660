"""What methods ask of an object and of its dataset, read from the scene; for panels that are drawn often.

Whether a mesh has another topology, what shape a collider has, and what takes are made with is looked at once
a second at most.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import bpy
import numpy as np

from ...coordinates import plane_of
from ...datasets.fingerprint import check_made_with
from ...datasets.rest_mesh import topology_hash
from ...datasets.status import LOOK_AGAIN, dataset_status
from ...datasets.takes import Dataset
from ...energies.colliders.recognising import Recognised, recognised
from ...errors import Problem
from ...methods.specification import ColliderFacts, DatasetFacts, ObjectFacts
from ..baking.made_with import made_with
from ..baking.surroundings import frame_scale
from ..scene.collider_meshes import collider_mesh, collider_objects
from ..scene.sources import (
    check_mesh,
    faces_of,
    loose_edges_of,
    mesh_data,
    mesh_of,
    physics_of,
    read_positions,
    solver_steps,
)
from ..settings.paths import dataset_folder
from ..settings.properties import method_of, settings_of

SAME_SIZE = 1e-3
_topologies: dict[int, tuple[float, tuple[int, ...], str]] = {}  # by the mesh's session_uid
_shapes: dict[int, tuple[float, Recognised | None]] = {}  # by the collider's session_uid
_changes: dict[int, tuple[float, Problem | None]] = {}  # when to look again, by the object's session_uid
SHARE = 0.05  # of the time may be spent on looking whether something changed


def check_object(scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Raise the Problem of an object that the chosen method could not learn if it were baked.

    Raises what `sources.check_mesh` does, too.
    """
    check_mesh(obj)
    method_of(obj).check_object(object_facts(scene, obj))


def check_dataset(obj: bpy.types.Object) -> None:
    """Raise the Problem of takes that the chosen method cannot learn from."""
    method_of(obj).check_dataset(dataset_facts(obj))


def check_same_mesh(obj: bpy.types.Object) -> None:
    """Raise Problem("dataset_other_object") where what is learned from takes could not play on the object."""
    folder = dataset_folder(obj)
    baked = dataset_status(folder)
    if baked.frames and obj.type == "MESH" and baked.topology != topology_of(obj):
        raise Problem("dataset_other_object", path=folder, object=obj.name)


def object_facts(scene: bpy.types.Scene, obj: bpy.types.Object) -> ObjectFacts:
    """What is known of an object before it is baked."""
    return ObjectFacts(
        name=obj.name,
        physics=physics_of(obj),
        solver_steps=solver_steps(obj),
        frame_moves=settings_of(obj).moving_frame,
        topology=lambda: topology_of(obj),
        mesh=lambda: mesh_of(obj),
        scaled=lambda: bool(np.abs(frame_scale(obj) - 1.0).max() > SAME_SIZE),
        flat=lambda: plane_of(read_positions(mesh_data(obj)).astype(np.float64)) is not None,
        colliders=lambda: _colliders(scene, obj),
    )


def dataset_facts(obj: bpy.types.Object) -> DatasetFacts:
    """What is known of an object's dataset. Raises what `dataset_folder` does."""
    folder = dataset_folder(obj)
    made = dataset_status(folder)
    return DatasetFacts(
        path=folder,
        object=obj.name,
        physics=made.physics,
        solver_steps=made.solver_steps,
        posed=made.posed,
        topology=made.topology,
        mesh=lambda: Dataset.open(folder).mesh,
    )


def change_since_bake(scene: bpy.types.Scene, obj: bpy.types.Object) -> Problem | None:
    """Problem("dataset_made_otherwise") where more takes would be of something else. Raises what
    `dataset_folder` does."""
    begun = time.monotonic()
    again, problem = _changes.get(obj.session_uid, (float("-inf"), None))
    if begun < again:
        return problem
    folder, problem = dataset_folder(obj), None
    made = dataset_status(folder)
    if made.made_with and made.frames > made.excluded and obj.type == "MESH":
        try:
            check_made_with(made.made_with, made_with(scene, obj), obj.name)
        except Problem as found:
            problem = found.with_traceback(None)
    now = time.monotonic()
    _changes[obj.session_uid] = now + max(LOOK_AGAIN, (now - begun) / SHARE), problem
    return problem


def topology_of(obj: bpy.types.Object) -> str:
    """See `Mesh.topology`."""
    mesh = mesh_data(obj)
    counts = len(mesh.vertices), len(mesh.edges), len(mesh.loops), len(mesh.polygons)
    when, before, topology = _topologies.get(mesh.session_uid, (float("-inf"), (), ""))
    if before != counts or time.monotonic() - when > LOOK_AGAIN:
        corners, sizes = faces_of(mesh)
        topology = topology_hash(counts[0], corners, sizes, loose_edges_of(mesh))
        _topologies[mesh.session_uid] = time.monotonic(), counts, topology
    return topology


def forget_facts() -> None:
    """Do not rely on what was seen of meshes a moment ago."""
    _topologies.clear()
    _shapes.clear()
    _changes.clear()


def _colliders(scene: bpy.types.Scene, obj: bpy.types.Object) -> Sequence[ColliderFacts]:
    listed = {item.object for item in settings_of(obj).interactions}
    found = []
    for other in collider_objects(scene, obj):
        shape = _shape_of(other)
        found.append(ColliderFacts(other.name, None if shape is None else shape.shape, other in listed))
    return found


def _shape_of(other: bpy.types.Object) -> Recognised | None:
    when, found = _shapes.get(other.session_uid, (float("-inf"), None))
    if time.monotonic() - when > LOOK_AGAIN:
        mesh = collider_mesh(bpy.context.evaluated_depsgraph_get(), other)
        is_shape = len(mesh.triangles) and np.isfinite(mesh.vertices).all()
        found = recognised(mesh.vertices, mesh.triangles) if is_shape else None
        _shapes[other.session_uid] = time.monotonic(), found
    return found

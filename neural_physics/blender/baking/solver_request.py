"""What the bundled solver is asked for, read from the artist's scene."""

from __future__ import annotations

import bpy
import numpy as np

from ...arrays import Doubles
from ...datasets.simulation_request import SimulationRequest
from ..scene.artist_handles import cores_of
from ..scene.collider_meshes import collider_mesh, collider_objects
from ..scene.rigid_placement import stretch
from ..scene.rigs.holding_bones import holding_rig, rest_segments
from ..scene.sources import group_weights, mesh_data, mesh_of
from ..settings.properties import settings_of
from ..settings.simulation import settings_for_solver


def solver_request(scene: bpy.types.Scene, obj: bpy.types.Object) -> SimulationRequest:
    """The body at rest, its material, and the shapes around it."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh, edges = mesh_of(obj), np.empty((len(mesh_data(obj).edges), 2), np.int32)
    mesh_data(obj).edges.foreach_get("vertices", edges.reshape(-1))
    rig = holding_rig(obj)
    gravity = scene.gravity.to_tuple() if scene.use_gravity else (0.0, 0.0, 0.0)
    return SimulationRequest(
        object=obj.name,
        settings=settings_for_solver(settings_of(obj).simulation),
        rest_positions=mesh.rest_positions.astype(np.float64) @ stretch(obj.matrix_world).T,
        corners=mesh.corners,
        face_sizes=mesh.face_sizes,
        edges=edges,
        pins=mesh.pins > 0.0,
        gravity=np.array(gravity, np.float64),
        colliders=tuple(collider_mesh(depsgraph, other) for other in collider_objects(scene, obj)),
        bones=np.empty((0, 2, 3)) if rig is None else rest_segments(obj, rig),
        softness=_softness(obj),
        cores=cores_of(obj),
    )


def _softness(obj: bpy.types.Object) -> Doubles:
    """(V,), or (0,) where no vertex group says that some of a solid is softer."""
    simulation = settings_of(obj).simulation
    if simulation.kind != "SOLID" or not simulation.softer:
        return np.empty(0)
    return group_weights(obj, simulation.softer, 0.0).astype(np.float64)

"""Recording how all that a body reacts to moves in a take, for the bundled solver: nothing is simulated."""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ...arrays import Doubles, Floats
from ...baking.handing_over import Workplace
from ...baking.plan import BakePlan
from ...datasets.keyed_mesh import KeyedMesh
from ...datasets.simulation_request import SimulationRequest, Tracks
from ...errors import Problem
from ...interaction.poses import pose_channel, pose_in
from ...jobs.events import Emit, Progress, StopRequest
from ...skinning.moves import scaled_bones
from ..scene.collider_meshes import collider_objects
from ..scene.rigid_placement import placement, stretch
from ..scene.rigs.bone_joints import WHOLE, joint_named
from ..scene.rigs.holding_bones import bone_placements, holding_rig
from ..scene.sampling import ChannelSampler, reference_frame_of
from ..scene.sources import read_positions
from ..settings.motions import is_wind
from .motion.pose_motion import long_bones
from .scene_copy import first_frame
from .seals import Trust
from .take_scenes import notes_on_scripts, open_scene, write_take_scene

COLUMNS = ("interaction", "pins", "colliders", "wind", "frame_from_world", "object_from_frame", "bones")
SAME_SCALE = 1e-3  # of the scale's own size


def record_tracks(
    plan: BakePlan, place: Workplace, trust: Trust, *, emit: Emit, stop: StopRequest
) -> dict[str, Any]:
    """Write a take's tracks, if they are not there yet; returns what the "result" event says.

    Raises Problem("stopped" | "vertex_count_changes" | "collider_scales" | "poses_scaled_bone" | ...).
    """
    take, notes = plan.take(place.name), []
    if not place.has_tracks():
        if not place.scene.exists():
            write_take_scene(place.scene, plan, take, trust)
        recorder = _Recorder(plan, place, trust)
        progress = Progress(emit, f"{take.name}: reading the scene", take.frames)
        for index in range(take.frames):
            stop.check()
            recorder.record(index)
            progress.at(index + 1)
        recorder.tracks().write(place.tracks)
        notes = notes_on_scripts(plan, place.scene, trust)
    return {"take": take.name, "recorded": take.frames, "notes": notes}


class _Recorder:
    """Visits the frames of a take one after the other."""

    def __init__(self, plan: BakePlan, place: Workplace, trust: Trust) -> None:
        self._scene, self._obj, _ = open_scene(place.scene, plan, trust)
        self._first = first_frame(self._obj)
        info = place.dataset.info
        self._fps = info.fps
        self._sampler = ChannelSampler(
            self._obj, info.channels, reference_frame_of(self._obj), {}, fps=info.fps
        )
        request = SimulationRequest.read(plan.request)
        self._pins = np.flatnonzero(request.pins)
        self._positions = np.empty(request.rest_positions.shape, np.float32)
        found = {other.name: other for other in collider_objects(self._scene, self._obj)}
        self._colliders = [found[collider.name] for collider in request.colliders]
        self._winds = [other for other in self._scene.objects if is_wind(other)]
        self._scales: dict[str, Doubles] = {}
        self._rig = holding_rig(self._obj)
        self._long = () if self._rig is None else long_bones(self._obj, self._rig)
        self._rows: dict[str, list[NDArray[Any]]] = {column: [] for column in COLUMNS}
        self._world_from_rest = np.eye(4)
        self._keyed = KeyedMesh(place.dataset.mesh, info.channels)
        pose = pose_channel(info.channels)
        self._pose = pose if plan.take(place.name).kind == "quasistatic" else None

    def record(self, index: int) -> None:
        """Visit one frame."""
        frame = self._first + index
        self._scene.frame_set(frame)
        depsgraph = self._scene.view_layers[0].depsgraph
        assert depsgraph is not None  # the frame was just set
        if index == 0:
            self._world_from_rest = placement(self._obj.evaluated_get(depsgraph).matrix_world)
        if self._pose is not None:
            self._sampler.forget_from(self._first)  # the frames before are no motion
        y = self._sampler.sample(depsgraph, frame).copy()
        row: dict[str, NDArray[Any]] = {
            "interaction": y,
            "pins": self._pinned(depsgraph, y),
            "colliders": np.array([self._placed(depsgraph, other) for other in self._colliders]).reshape(
                -1, 4, 4
            ),
            "wind": self._wind(depsgraph),
            "frame_from_world": self._sampler.frame_from_world(),
            "bones": self._bones(depsgraph),
        }
        self._check_bones(y)
        object_from_frame = self._sampler.object_from_frame(depsgraph)
        if object_from_frame is not None:
            row["object_from_frame"] = object_from_frame
        for column, value in row.items():
            self._rows[column].append(value)

    def tracks(self) -> Tracks:
        """All frames that were visited."""
        columns = {column: np.array(rows) for column, rows in self._rows.items()}
        framed = columns.pop("object_from_frame")
        return Tracks(
            fps=self._fps,
            world_from_rest=self._world_from_rest,
            object_from_frame=framed if len(framed) else None,
            **columns,
        )

    def _pinned(self, depsgraph: bpy.types.Depsgraph, y: Floats) -> Doubles:
        """(P, 3) m, in the world's axes: where hooks, armature and the object itself carry the pins.

        Without what shape keys add, which is added to the whole mesh as it is stored.
        """
        obj = self._obj.evaluated_get(depsgraph)
        mesh: Any = obj.data
        if len(mesh.vertices) != len(self._positions):
            raise Problem(
                "vertex_count_changes",
                object=self._obj.name,
                found=len(mesh.vertices),
                expected=len(self._positions),
            )
        world = np.array(obj.matrix_world, np.float64)
        places = read_positions(mesh, self._positions)[self._pins].astype(np.float64)
        placed = places @ world[:3, :3].T + world[:3, 3]
        keyed = self._keyed.added(y)
        return placed if keyed is None else placed - keyed[self._pins]

    def _bones(self, depsgraph: bpy.types.Depsgraph) -> Doubles:
        """(K, 4, 4); K is 0 where no bone holds anything."""
        if self._rig is None:
            return np.empty((0, 4, 4))
        return bone_placements(depsgraph, self._obj, self._rig)

    def _check_bones(self, y: Floats) -> None:
        """Raise Problem("poses_scaled_bone"): what a bone holds is carried, and not scaled.

        Bending a bendy bone makes its segments longer and shorter. Between bones that are shorter than a
        tetrahedron is wide, such as those of lips, there is nothing that could be torn.
        """
        if self._pose is None:
            return
        channel, where = self._pose
        scaled = [channel.parts[bone] for bone in scaled_bones(pose_in(y[where]).moves)]
        bones = cast(bpy.types.Armature, self._rig.data).bones.keys() if self._rig else ()
        joints = (joint_named(part, bones) for part in scaled)
        bone = next((j.bone for j in joints if j.number == WHOLE and j.bone in self._long), "")
        if bone:
            raise Problem("poses_scaled_bone", object=self._obj.name, rig=channel.source, bone=bone)

    def _placed(self, depsgraph: bpy.types.Depsgraph, other: bpy.types.Object) -> Doubles:
        """(4, 4). Raises Problem("collider_scales"): a rigid shape has one size."""
        matrix = other.evaluated_get(depsgraph).matrix_world
        scale = stretch(matrix)
        known = self._scales.setdefault(other.name, scale)
        if np.abs(scale - known).max() > SAME_SCALE * np.abs(known).max():
            raise Problem("collider_scales", object=other.name)
        return placement(matrix)

    def _wind(self, depsgraph: bpy.types.Depsgraph) -> Doubles:
        """(3,): the sum of all winds, which blow along their objects' Z axes."""
        total = Vector((0.0, 0.0, 0.0))
        for wind in self._winds:
            obj = wind.evaluated_get(depsgraph)
            assert obj.field is not None  # only such are in the list
            total += obj.matrix_world.to_quaternion() @ Vector((0.0, 0.0, obj.field.strength))
        return np.array(total, np.float64)

"""Which poses are baked: within limits, from actions, the same again, and refused where there are none."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from flesh import limb
from mathutils import Matrix
from scenes import add_ball, add_empty, bpy, empty_scene, react_to, rig_with_actions, settings_of
from workplaces import place_of, planned, silent

from neural_physics.baking.plan import BakePlan
from neural_physics.blender.baking import preparing
from neural_physics.blender.baking.seals import Trust
from neural_physics.blender.baking.track_recording import record_tracks
from neural_physics.blender.jobs import programs
from neural_physics.datasets.simulation_request import Tracks
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.interaction.poses import pose_channel, pose_in
from neural_physics.jobs.events import StopRequest


@pytest.fixture(autouse=True)
def _a_python_that_simulates(monkeypatch):
    monkeypatch.setattr(programs, "require_ml_backend", lambda _task: Path(sys.executable))


def plan_of(obj, folder: Path) -> BakePlan:
    settings = settings_of(obj)
    settings.dataset_folder, settings.take_count, settings.take_frames = str(folder), 1, 5
    return planned(preparing.prepare_bake(bpy.context.scene, obj))


def recorded(obj, folder: Path, name: str = "poses_000") -> Tracks:
    """The tracks of a take of poses; its scene is left open."""
    plan = plan_of(obj, folder)
    place = place_of(plan, name)
    record_tracks(plan, place, Trust(), emit=silent, stop=StopRequest())
    return Tracks.read(place.tracks)


def bone_turns(folder: Path, tracks: Tracks, bone: int) -> np.ndarray:
    """(T, 3) Euler angles XYZ of a bone relative to its parent, as recorded in the pose channel."""
    layout = Dataset.open(folder).info.channels
    moves = pose_in(tracks.interaction[:, pose_channel(layout)[1]]).moves
    rig = bpy.data.objects["Rig"]
    names = ("lower", "upper")
    rest = np.array(rig.data.bones[names[bone]].matrix_local)[:3, :3]
    found = []
    for move in moves[:, 1:, :, :3].astype(float):
        own = move[bone] if bone == 0 else np.linalg.inv(move[0]) @ move[1]
        found.append(Matrix(rest.T @ own @ rest).to_euler("XYZ"))
    return np.array(found)


def limb_with_limits():
    flesh = limb(poses=60)
    settings_of(flesh).pose_range = 0.3
    bones = bpy.data.objects["Rig"].pose.bones
    limit = bones["lower"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, 0.1, 0.9
    upper = bones["upper"]
    upper.rotation_mode, upper.use_ik_limit_z = "ZXY", True
    upper.ik_min_z, upper.ik_max_z, upper.lock_rotation[1] = -0.05, 0.02, True
    return flesh


def test_random_poses_turn_within_limits_and_locks_and_are_the_same_again(tmp_path):
    tracks = recorded(limb_with_limits(), tmp_path / "a")
    low, high = bone_turns(tmp_path / "a", tracks, 0), bone_turns(tmp_path / "a", tracks, 1)
    spans = [(0.1, 0.9), (-0.3, 0.3), (-0.3, 0.3)], [(-0.3, 0.3), (0.0, 0.0), (-0.05, 0.02)]
    for angles, limits in zip((low, high), spans, strict=True):
        for axis, (least, most) in enumerate(limits):
            assert least - 1e-5 <= angles[:, axis].min() and angles[:, axis].max() <= most + 1e-5
            assert np.ptp(angles[:, axis]) >= 0.8 * (most - least) - 1e-5
    again = recorded(limb_with_limits(), tmp_path / "b")
    assert np.array_equal(again.interaction, tracks.interaction)


@pytest.mark.parametrize(
    ("length", "size", "turned"), [(0.15, 1.0, False), (0.3, 1.0, True), (0.15, 2.0, False)]
)
def test_bones_that_are_shorter_than_a_tetrahedron_do_not_turn_by_themselves(tmp_path, length, size, turned):
    """Of 0.32 cubic metres 200 regular tetrahedra have edges of 0.24 m."""
    flesh, rig = limb(poses=10), bpy.data.objects["Rig"]
    rig.scale = flesh.scale = size, size, size
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    tip = bones.new("tip")
    tip.head, tip.tail, tip.parent = (0, 0, 1.7), (0, 0, 1.7 + length), bones["upper"]
    bpy.ops.object.mode_set(mode="OBJECT")
    flesh.vertex_groups.new(name="tip").add([0], 0.1, "REPLACE")
    tracks = recorded(flesh, tmp_path / "d")
    upper, found = tracks.bones[:, 1, :3, :3], tracks.bones[:, 2, :3, :3]
    assert (np.abs(found - upper).max() > 0.1) == turned
    assert np.ptp(upper, axis=0).max() > 0.1


def test_every_take_has_other_poses_and_a_tenth_is_for_checking(tmp_path):
    plan = plan_of(limb(poses=60), tmp_path / "d")
    posed = [take for take in plan.takes if take.kind == "quasistatic"]
    assert [take.name for take in plan.takes] == ["take_000", "poses_000", "poses_001", "poses_002"]
    assert [(take.frames, take.role) for take in posed] == [(54, "training"), (3, "validation"), (3, "test")]
    assert len({take.seed for take in plan.takes}) == 4


def test_bones_in_tracks_are_as_blender_poses_them(tmp_path):
    tracks = recorded(limb(poses=4), tmp_path / "d")
    rig, flesh = bpy.data.objects["Rig"], bpy.data.objects["Limb"]
    for index in range(2):
        bpy.context.scene.frame_set(1 + index)
        for number, name in enumerate(("lower", "upper")):
            bone = rig.pose.bones[name]
            expected = rig.matrix_world @ bone.matrix @ bone.bone.matrix_local.inverted() @ flesh.matrix_world
            np.testing.assert_allclose(tracks.bones[index, number], np.array(expected), atol=1e-5)
    assert np.abs(tracks.bones[1] - tracks.bones[0]).max() > 0.05


def test_poses_from_actions_are_their_frames_without_what_is_kept_for_testing(tmp_path):
    """Half and whole turn the lower bone, lift moves the upper one; whole is kept."""
    empty_scene()
    flesh = limb(poses=40, rig=rig_with_actions())
    settings_of(flesh).pose_source = "ACTIONS"
    item = settings_of(flesh).interactions[0]
    item.test_action = "whole"
    tracks = recorded(flesh, tmp_path / "d")
    turned = np.abs(bone_turns(tmp_path / "d", tracks, 0)).max(1)
    lifted = np.linalg.norm(tracks.bones[:, 1, :3, 3] - tracks.bones[:, 0, :3, 3], axis=1)
    half = 2.0 * np.arctan(0.5)
    halves = np.abs(turned - half) < 1e-3
    assert (halves | (turned < 1e-5)).all() and 15 <= halves.sum() <= 21
    lifts = np.sort(lifted[~halves])
    assert lifts[0] < 0.1 and lifts[-1] > 0.9 and np.diff(lifts).max() < 0.2, "evenly from its frames"


def test_what_else_moves_stands_still_and_frames_are_no_motion(tmp_path):
    flesh = limb(poses=10)
    ball, rig = add_ball("Ball", (2.0, 0.0, 0.0)), bpy.data.objects["Rig"]
    for frame, x in ((1, 2.0), (10, 5.0)):
        for moved in (ball, rig, rig.pose.bones["lower"]):
            moved.location.x = x
            moved.keyframe_insert("location", frame=frame)
    react_to(flesh, ball, "KEEP")
    settings_of(flesh).frame_object, settings_of(flesh).frame_bone = rig, "upper"
    settings_of(flesh).moving_frame = True
    tracks = recorded(flesh, tmp_path / "d")
    assert np.ptp(tracks.colliders, axis=0).max() == 0.0
    foot = tracks.bones[:, 0] @ [2.0, 0.0, -1.0, 1.0]  # about which the lower bone turns
    assert foot == pytest.approx(np.tile([4.0, 0.0, 0.0, 1.0], (len(foot), 1)), abs=1e-5)
    layout = Dataset.open(tmp_path / "d").info.channels
    velocity = tracks.interaction[:, layout.slices()["Frame velocity"]]
    assert not velocity.any() and np.ptp(tracks.frame_from_world, axis=0).max() > 0.05


def spoil_weights(flesh):
    for group in flesh.vertex_groups:
        group.remove([0, 3])


def drive_bones(flesh):
    for bone in bpy.data.objects["Rig"].pose.bones:
        bone.constraints.new("COPY_ROTATION").target = add_empty(f"Control of {bone.name}")


@pytest.mark.parametrize(
    ("spoil", "code", "word"),
    [
        (spoil_weights, "poses_unweighted", "2 vertices of Limb"),
        (lambda flesh: setattr(settings_of(flesh), "pose_source", "BOTH"), "poses_without_action", "Rig"),
        (drive_bones, "poses_without_bones", "Rig"),
    ],
)
def test_what_no_pose_can_be_made_from_is_refused_before_anything_is_baked(tmp_path, spoil, code, word):
    flesh = limb()
    spoil(flesh)
    with pytest.raises(Problem) as raised:
        plan_of(flesh, tmp_path / "d")
    assert raised.value.code == code and word in raised.value.message
    settings_of(flesh).pose_count = 0
    assert [take.name for take in plan_of(flesh, tmp_path / "d").takes] == ["take_000"]


def test_a_switch_of_the_rig_is_left_as_it_is_by_poses_from_actions(tmp_path):
    empty_scene()
    rig = rig_with_actions()
    rig.pose.bones["lower"]["IK_FK"] = 0.25
    flesh = limb(poses=40, rig=rig)
    settings_of(flesh).pose_source = "ACTIONS"
    recorded(flesh, tmp_path / "d")
    assert bpy.data.objects["Rig"].pose.bones["lower"]["IK_FK"] == 0.25


def test_a_bone_that_is_scaled_in_a_pose_is_refused(tmp_path):
    empty_scene()
    rig = rig_with_actions()
    rig.animation_data.action = bpy.data.actions.new("swell")
    for frame, size in ((1, 1.0), (30, 1.4)):
        rig.pose.bones["upper"].scale = size, size, size
        rig.pose.bones["upper"].keyframe_insert("scale", frame=frame)
    flesh = limb(poses=40, rig=rig)
    settings_of(flesh).pose_source = "ACTIONS"
    with pytest.raises(Problem) as raised:
        recorded(flesh, tmp_path / "d")
    assert raised.value.code == "poses_scaled_bone"
    assert all(word in raised.value.message for word in ("upper", "Rig", "Limb"))


def test_other_methods_and_other_bodies_have_no_poses(tmp_path):
    flesh = limb()
    settings_of(flesh).simulation.bone_radius = 0.0
    assert len(plan_of(flesh, tmp_path / "a").takes) == 1
    settings_of(flesh).simulation.bone_radius = 0.1
    settings_of(flesh).method = "subspace_physics"
    assert len(plan_of(flesh, tmp_path / "b").takes) == 1

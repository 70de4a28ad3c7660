"""Every bake that has to be refused, each with a one-sentence error that says what to do about it."""

from __future__ import annotations

import os
import shutil
import subprocess

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.once]

from bakes import cloth_and_ball, command_for, contents, run
from changed_blend import open_without_frame_rate
from scenes import (
    add_ball,
    add_cloth,
    add_empty,
    add_grid,
    add_rig,
    bpy,
    empty_scene,
    react_to,
    rig_with_actions,
    settings_of,
)

from neural_physics.blender.baking.motion.training_motion import clip_of
from neural_physics.blender.playing.collision_suspension import suspend_collisions
from neural_physics.blender.playing.output.geometry_nodes import add_modifier, write_positions
from neural_physics.blender.scene.modifiers.modifier_stack import switch_off_physics
from neural_physics.blender.scene.rigs.rig_actions import curves_of
from neural_physics.blender.scene.sources import read_positions
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem


def refused(obj, folder, code, *words, **settings):
    """The bake is refused before anything is simulated, in a sentence with these words."""
    with pytest.raises(Problem) as raised:
        command_for(obj, folder, settings.pop("takes", 1), settings.pop("frames", 10), **settings)
    assert raised.value.code == code
    assert all(word in raised.value.message for word in words), raised.value.message


def ends_with(command, code, *words):
    """The job ends with this error."""
    event = run(command)
    assert (event["event"], event.get("code")) == ("error", code), event
    assert all(word in event["message"] for word in words), event["message"]


def test_something_that_is_no_mesh(tmp_path):
    empty_scene()
    refused(add_empty("Marker"), tmp_path, "no_mesh", "Marker", "choose a mesh")


def test_a_mesh_without_physics(tmp_path):
    empty_scene()
    refused(add_grid("Board"), tmp_path, "no_physics", "Board", "add one")


def test_physics_that_is_switched_off(tmp_path):
    cloth = cloth_and_ball()
    cloth.modifiers["Cloth"].show_viewport = False
    refused(cloth, tmp_path, "physics_disabled", "Sheet", "Cloth", "enable it")


def test_what_play_has_switched_off_is_baked_all_the_same(tmp_path):
    cloth = cloth_and_ball()
    run(command_for(cloth, tmp_path / "before", 1, 200))
    settings_of(cloth).playing = True
    switch_off_physics(cloth)
    write_positions(cloth.data, 5.0 + read_positions(cloth.data))
    add_modifier(cloth, 0)
    suspend_collisions()
    assert not bpy.data.objects["Ball"].modifiers["Collision"].show_viewport
    run(command_for(cloth, tmp_path / "d", 1, 200))
    assert contents(tmp_path / "d") == contents(tmp_path / "before")


def test_edit_mode(tmp_path):
    cloth = cloth_and_ball()
    bpy.context.view_layer.objects.active = cloth
    bpy.ops.object.mode_set(mode="EDIT")
    refused(cloth, tmp_path, "edit_mode", "Sheet", "Tab")
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_mesh_of_edges_alone(tmp_path):
    empty_scene()
    mesh = bpy.data.meshes.new("Rope")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    rope = bpy.data.objects.new("Rope", mesh)
    bpy.context.scene.collection.objects.link(rope)
    rope.modifiers.new("Cloth", "CLOTH")
    refused(rope, tmp_path, "mesh_without_faces", "Rope")


@pytest.mark.parametrize("override", [False, True])
def test_linked_and_overridden_objects(override, tmp_path):
    cloth_and_ball()
    library = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    empty_scene()
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = ["Sheet"]
    cloth = wanted.objects[0]
    bpy.context.scene.collection.objects.link(cloth)
    if override:
        cloth = cloth.override_create(remap_local_usages=True)
        cloth.data.override_create(remap_local_usages=True)
    code = "object_overridden" if override else "object_linked"
    with pytest.raises(Problem, match="Make Local") as raised:
        command_for(cloth, tmp_path / "d", 1, 10)
    assert raised.value.code == code


def test_an_object_whose_collection_is_not_in_the_view_layer(tmp_path):
    cloth = cloth_and_ball()
    aside = bpy.data.collections.new("Aside")
    bpy.context.scene.collection.children.link(aside)
    aside.objects.link(cloth)
    bpy.context.scene.collection.objects.unlink(cloth)
    bpy.context.view_layer.layer_collection.children["Aside"].exclude = True
    refused(cloth, tmp_path, "object_not_in_scene", "Sheet", "Outliner")


def test_nothing_to_react_to_an_empty_line_and_a_deleted_collider(tmp_path):
    empty_scene()
    cloth = add_cloth()
    refused(cloth, tmp_path, "no_interactions", "Sheet")
    ball = add_ball()
    react_to(cloth, ball)
    bpy.context.scene.collection.objects.unlink(ball)
    refused(cloth, tmp_path, "interaction_missing", "Ball", "Sheet")
    bpy.data.objects.remove(ball)
    refused(cloth, tmp_path, "interaction_unset", "Line 1", "Sheet")


def test_a_collider_that_is_disabled_in_the_viewport(tmp_path):
    cloth = cloth_and_ball()
    bpy.data.objects["Ball"].hide_viewport = True
    refused(cloth, tmp_path, "interaction_hidden", "Ball", "Sheet", "enable")


def test_a_motion_box_without_size_in_time(tmp_path):
    cloth = cloth_and_ball()
    settings_of(cloth).interactions[0].shortest = 2.0
    settings_of(cloth).interactions[0].longest = 1.0
    refused(cloth, tmp_path, "motion_box_empty", "Ball")


def test_a_mesh_that_has_changed_since_the_dataset_was_begun(tmp_path):
    cloth = cloth_and_ball()
    run(command_for(cloth, tmp_path / "d", 1, 5))
    settings_of(cloth).take_count = 2
    finer = add_grid("Finer", 11)
    cloth.data = finer.data
    bpy.data.objects.remove(finer)
    refused(cloth, tmp_path / "d", "dataset_other_object", "Sheet", str(tmp_path / "d"), takes=2)


def test_other_interaction_objects_and_another_frame_rate_than_the_datasets(tmp_path):
    cloth = cloth_and_ball()
    run(command_for(cloth, tmp_path / "d", 1, 5))
    bpy.data.objects["Ball"].name = "Renamed"
    assert run(command_for(cloth, tmp_path / "d", 1, 5))["frames"] == 5
    bpy.context.scene.render.fps = 60
    refused(cloth, tmp_path / "d", "dataset_other_fps", "24", "60")
    bpy.context.scene.render.fps = 24
    react_to(cloth, add_ball("Second"))
    refused(cloth, tmp_path / "d", "dataset_other_channels", "Second")


@pytest.mark.skipif(os.name != "posix", reason="needs /proc")
def test_a_folder_that_cannot_be_written_to(tmp_path):
    refused(cloth_and_ball(), "/proc/dataset", "folder_not_writable", "/proc/dataset", "choose another")


def test_modifiers_before_the_physics_that_change_the_vertices(tmp_path):
    cloth = cloth_and_ball()
    cloth.modifiers.new("Subsurf", "SUBSURF")
    cloth.modifiers.move(1, 0)
    ends_with(command_for(cloth, tmp_path / "d", 1, 5), "vertex_count_changes", "Sheet", "289", "81")
    cloth.modifiers.move(0, 1)
    result = run(command_for(cloth, tmp_path / "d", 1, 5))
    assert (result["frames"], result["notes"]) == (5, [])


def flying_off(at_frame, how_far=3e38):
    """A cloth whose pins are carried away for good at some frame."""
    empty_scene()
    cloth = add_grid("Sheet")
    hand = add_empty("Hand")
    hook = cloth.modifiers.new("Hook", "HOOK")
    hook.object, hook.vertex_group, hook.falloff_type = hand, "Pins", "NONE"
    cloth.modifiers.new("Cloth", "CLOTH").settings.vertex_group_mass = "Pins"
    for frame, size in ((at_frame - 1, 1.0), (at_frame, how_far)):
        hand.scale.x, hand.location.x = size, size - 1.0  # where the pins are is the sum of both
        hand.keyframe_insert("scale", frame=frame)
        hand.keyframe_insert("location", frame=frame)
    settings_of(cloth).enabled = True
    ball = add_ball(place=(0.0, 5.0, 0.0))
    react_to(cloth, ball, "KEEP")
    return cloth


def test_a_simulation_that_stops_giving_numbers_ends_the_take_there(tmp_path):
    result = run(command_for(flying_off(60), tmp_path / "d", 1, 200))
    take = Dataset.open(tmp_path / "d").take("take_000")
    assert take.info.complete and 55 <= len(take.positions) < 70
    assert result["excluded"] > 0 and "take_000" in result["notes"][-1]
    assert take.segments()[0][0] == 0 and 40 < take.segments()[-1][1] < 60


def test_a_simulation_that_explodes_is_left_out_from_before_it_did(tmp_path):
    result = run(command_for(flying_off(60, 1e4), tmp_path / "d", 1, 100))
    take = Dataset.open(tmp_path / "d").take("take_000")
    assert (result["frames"], len(take.positions)) == (100, 100)
    assert take.segments() == [(0, take.info.excluded[0].first)]
    assert [e.reason for e in take.info.excluded] == ["exploded"]


def test_a_simulation_of_which_no_frame_can_be_used(tmp_path):
    ends_with(command_for(flying_off(4), tmp_path / "d", 1, 30), "simulation_unusable", "Sheet", "quality")


def test_a_simulation_that_was_mended_after_it_exploded_is_baked_anew(tmp_path):
    cloth = flying_off(4)
    ends_with(command_for(cloth, tmp_path / "d", 1, 30), "simulation_unusable")
    bpy.data.objects["Hand"].animation_data_clear()
    bpy.data.objects["Hand"].scale.x, bpy.data.objects["Hand"].location.x = 1.0, 0.0
    result = run(command_for(cloth, tmp_path / "d", 1, 30))
    assert (result["takes"], result["frames"], result["excluded"]) == (1, 30, 0)
    assert "take_000 had no usable frames" in result["notes"][-1]


def test_what_is_no_take_is_not_deleted(tmp_path):
    stray = tmp_path / "d" / "takes" / "take_001" / "notes.txt"
    stray.parent.mkdir(parents=True)
    stray.write_text("mine")
    assert run(command_for(cloth_and_ball(), tmp_path / "d", 2, 5))["takes"] == 2
    assert stray.read_text() == "mine"


@pytest.mark.parametrize("theirs", ["bake/a.png", "bake/take_001/a.png", "bake/old/a.png", "mesh.npz"])
def test_a_folder_of_the_artists_own_with_files_where_a_bake_has_its_own_is_left_as_it_is(theirs, tmp_path):
    folder = tmp_path / "textures"
    (folder / theirs).parent.mkdir(parents=True)
    (folder / theirs).write_bytes(b"hours of work")
    with pytest.raises(Problem) as refused:
        command_for(cloth_and_ball(), folder, 1, 5)
    assert refused.value.code == "file_not_ours" and refused.value.message.startswith(str(folder))
    assert [path for path in folder.rglob("*") if path.is_file()] == [folder / theirs]


@pytest.mark.parametrize("theirs", ["bake/a.png", "bake/final/a.png", "bake/take_000/a.png"])
def test_a_strangers_plan_makes_no_bake_folder_of_the_artists_own(theirs, tmp_path):
    """It came with a dataset that was unpacked there: what bakes make is deleted, and no more."""
    cloth, mine = cloth_and_ball(), tmp_path / theirs
    argv = command_for(cloth, tmp_path, 1, 5)
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_bytes(b"hours of work")
    (tmp_path / "bake" / ".DS_Store").write_bytes(b"a system's own")
    with pytest.raises(Problem) as refused:
        command_for(cloth, tmp_path, 1, 5)
    assert refused.value.code == "file_not_ours" and str(tmp_path / "bake") in refused.value.message
    result = run(argv)
    assert result["frames"] == 5 and "could not be deleted" in result["notes"][-1]
    assert [path for path in (tmp_path / "bake").rglob("*") if path.is_file()] == [mine]


def test_what_a_killed_bake_has_left_before_its_plan_is_baked_over(tmp_path):
    cloth = cloth_and_ball()
    command_for(cloth, tmp_path, 1, 5)
    (tmp_path / "bake" / "bake.json").rename(tmp_path / "bake" / "bake.json.new")
    (tmp_path / "bake" / "scene.new.blend@").touch()
    (tmp_path / "bake" / "take_000" / "1").mkdir(parents=True)
    (tmp_path / "dataset.json").unlink()
    assert run(command_for(cloth, tmp_path, 1, 5))["frames"] == 5
    assert not (tmp_path / "bake").exists()


@pytest.mark.slow
def test_a_full_disk_keeps_what_is_there_and_the_bake_goes_on_when_there_is_room(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a small disk")
    try:
        cloth = cloth_and_ball(points=21)
        command = command_for(cloth, disk / "d", 1, 300)
        ends_with(command, "disk_full", "resume")
        kept = len(Dataset.open(disk / "d").take("take_000").positions)
        assert kept > 20
        subprocess.run(["mount", "-o", "remount,size=10m", str(disk)], check=True)
        assert run(command_for(cloth, disk / "d", 1, 300))["frames"] == 300
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_scene_copy_that_was_damaged(tmp_path):
    command = command_for(cloth_and_ball(), tmp_path / "d", 1, 5)
    (tmp_path / "d" / "bake" / "scene.blend").write_bytes(b"no blend file")
    ends_with(command, "bake_scene_lost", "scene.blend")


def test_a_begun_take_whose_scene_was_lost_ends_with_the_frames_it_has(tmp_path):
    cloth = cloth_and_ball()
    run(command_for(cloth, tmp_path / "d", 1, 30))
    folder = tmp_path / "d" / "takes" / "take_000"
    text = (folder / "take.json").read_text().replace('"frames": 30', '"frames": 99')
    (folder / "take.json").write_text(text.replace('"complete": true', '"complete": false'))
    assert run(command_for(cloth, tmp_path / "d", 1, 99))["frames"] == 30


@pytest.mark.parametrize(("fps", "fps_base"), [(1, 1e6), (24, 25.0), (1001, 1.0), (24, 1e-5)])
def test_a_frame_rate_at_which_no_time_or_no_end_of_it_passes(tmp_path, fps, fps_base):
    cloth = cloth_and_ball()
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = fps, fps_base
    refused(cloth, tmp_path / "d", "bake_frame_rate", "from 1 to 1000")


def test_a_frame_rate_whose_base_is_0(tmp_path):
    cloth_and_ball()
    open_without_frame_rate(tmp_path / "scene.blend")
    refused(bpy.data.objects["Sheet"], tmp_path / "d", "frame_rate_missing", "Scene", "Frame Rate")


def test_an_action_with_a_key_that_is_never_reached_is_read_for_an_hour_of_it():
    """Somebody may have set it: an array of all its frames has no room in memory."""
    empty_scene()
    ball = add_ball()
    ball.location.x = 1.0
    ball.keyframe_insert("location", index=0, frame=1)
    action = ball.animation_data.action
    curve = curves_of(action, ball)["location", 0]
    curve.keyframe_points.insert(2.0, 3.0)
    curve.keyframe_points[-1].co.x = 1e12
    clip = clip_of(ball, action, [("location", 0)], np.array([1.0]))
    assert clip.shape == (100_000, 1)


def test_bones_that_go_round_in_a_circle(tmp_path):
    empty_scene()
    cloth = add_cloth(points=9)
    rig = rig_with_actions()
    react_to(cloth, rig, "ACTIONS")
    run(command_for(cloth, tmp_path / "before", 1, 20))
    for one, other in (("lower", "upper"), ("upper", "lower")):
        circle = rig.pose.bones[one].constraints.new("COPY_ROTATION")
        circle.target, circle.subtarget, circle.influence = rig, other, 0.5
        circle.target_space, circle.owner_space, circle.mix_mode = "LOCAL", "LOCAL", "ADD"
    command = command_for(cloth, tmp_path / "d", 1, 20)
    ends_with(command, "rig_not_repeatable", "Rig, which Sheet moves with", "upper", "closes a circle")


def test_inverse_kinematics_that_remember(tmp_path):
    empty_scene()
    cloth, rig, goal = add_cloth(points=9), add_rig(), add_empty("Goal", (0.0, 0.0, 2.0))
    rig.pose.bones["upper"].constraints.new("IK").target = goal
    rig.pose.ik_solver, rig.pose.ik_param.mode = "ITASC", "SIMULATION"
    for item in (rig, goal):
        react_to(cloth, item, "KEEP")
    for frame, place in ((1, (0.0, 0.0, 2.0)), (20, (1.0, 0.3, 1.0))):
        goal.location = place
        goal.keyframe_insert("location", frame=frame)
    ends_with(
        command_for(cloth, tmp_path / "d", 1, 20), "rig_not_repeatable", "its iTaSC solver to Animation"
    )
    rig.pose.ik_param.mode = "ANIMATION"
    run(command_for(cloth, tmp_path / "other", 1, 20))

"""The simulated level meets an object's capsules in Play, held against the run time stepped by itself."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
from cloth_models import FABRIC, MESH, cloth_model_file
from mathutils import Vector

from neural_physics.blender.playing import playback
from neural_physics.blender.settings.edits import refresh_display
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import object_tasks
from neural_physics.interaction.channels import Channel
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model

pytestmark = [pytest.mark.blender, pytest.mark.once]

LAST = 50
RADII = (0.2, 0.12)
ENDS = np.array([[-0.6, 0.0, 0.0], [0.6, 0.0, 0.05]])
EXACT = 2e-5  # metres: level 0 is float64, and y float32 on both ways


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "sheet.safetensors"
    path.write_bytes(cloth_model_file(weights=0.0))
    return path


@pytest.fixture
def sheet(file):
    return open_sheet(file)


def open_sheet(file, fps=24):
    play_scenes.open_scene(fps)
    hand = play_scenes.add_hand(seed=None)
    sheet = play_scenes.add_object("Sheet", MESH)
    sheet.modifiers.new("Cloth", "CLOTH")
    item = settings_of(sheet).interactions.add()
    item.name, item.object = "Hand", hand
    object_tasks.use_model(sheet, file)
    return sheet


def add_arm(sheet, fps=24, moves=True):
    """A capsule on an Empty that goes into the sheet from one side and out again."""
    arm = play_scenes.add_hand("Arm", seed=None)
    for second, y in enumerate((-0.5, 0.2, -0.1)):
        arm.location = (0.0, y, -0.5)
        if moves:
            arm.keyframe_insert("location", frame=1 + second * fps)
    item = settings_of(sheet).capsules.add()
    item.name, item.source = "Arm", arm
    item.start, item.end = ENDS
    item.start_radius, item.end_radius = RADII
    return arm


def arm_places(frames):
    """(T, 3): where the arm is at frames 1 to T."""
    return play_scenes.places_of(bpy.data.objects["Arm"], range(1, frames + 1))


def stepped(places):
    """(T, V, 3): the run time by itself, a capsule at each of these places."""
    method = load_method(parse_model(cloth_model_file(weights=0.0), "sheet"), [Channel("Arm", "capsule", 8)])
    shapes, state = [], None
    for place in places:
        values = [0.0, 0.0, 0.0, FABRIC["stretch"], FABRIC["bending"], *(ENDS + place).ravel(), *RADII]
        y = np.array(values, np.float32)
        state = method.start(y) if state is None else method.step(state, y)
        shapes.append(method.positions(state, y).copy())
    return np.array(shapes)


def distances(points, place):
    """(n,) to the nearest of the balls between the capsule's ends: negative inside."""
    share = np.linspace(0, 1, 201)[:, None]
    middles = ENDS[0] + place + share * (ENDS[1] - ENDS[0])
    sizes = RADII[0] + share[:, 0] * (RADII[1] - RADII[0])
    return (np.linalg.norm(points[:, None] - middles, axis=2) - sizes).min(axis=1)


@pytest.mark.parametrize("fps", [24, 48])
def test_plays_what_the_run_time_does_with_the_capsule_as_it_moves(file, fps):
    sheet = open_sheet(file, fps)
    playback.attach(sheet)
    seconds = 2
    plain = play_scenes.played(sheet, [1 + seconds * fps])[1 + seconds * fps]
    add_arm(sheet, fps)
    places = arm_places(seconds * fps + 1)[:: fps // 24]
    expected = stepped(places)
    playback.attach(sheet)
    for step in range(0, seconds * 24 + 1, 6):
        bpy.context.scene.frame_set(1 + step * fps // 24)
        assert np.abs(play_scenes.shown(sheet) - expected[step]).max() < EXACT
    assert np.abs(play_scenes.shown(sheet) - plain).max() > 0.05


def test_no_vertex_is_in_the_capsule_and_those_in_its_way_are_carried_along(sheet):
    add_arm(sheet)
    playback.attach(sheet)
    places = arm_places(LAST)
    free = MESH.pins == 0
    for frame, shape in play_scenes.played(sheet, range(1, LAST)).items():
        # The capsules push once more, in float32.
        assert distances(shape[free], places[frame - 1]).min() > FABRIC["thickness"] - 1e-5
        if frame == 25:
            assert shape[free, 1].max() > 0.2 + 0.1
    status = playback.status_of(sheet)
    assert status.problem is None and status.warning is None and status.collides


def test_scrubbing_and_a_saved_file_show_what_playing_forward_showed(sheet, tmp_path):
    add_arm(sheet)
    playback.attach(sheet)
    forward = play_scenes.played(sheet, range(1, LAST))
    for frame in (1, 40, 7, 41, 49, 2, 40):
        bpy.context.scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(sheet), forward[frame])
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    play_scenes.open_scene()
    bpy.ops.wm.open_mainfile(filepath=path)
    after = play_scenes.played(bpy.data.objects["Sheet"], (49, 10, 30))
    assert all(np.array_equal(after[frame], forward[frame]) for frame in after)


def test_between_two_frames_nothing_is_inside_where_the_capsule_is_then(sheet):
    arm = add_arm(sheet)
    curve = arm.animation_data.action.layers[0].strips[0].channelbags[0].fcurves.find("location", index=1)
    for point in curve.keyframe_points:
        point.interpolation = "LINEAR"
    playback.attach(sheet)
    places, free, touched = arm_places(26), MESH.pins == 0, 0
    for frame in range(1, 25):
        bpy.context.scene.frame_set(frame, subframe=0.5)
        halfway = 0.5 * (places[frame - 1] + places[frame])
        nearest = distances(play_scenes.shown(sheet)[free], halfway).min()
        assert nearest > -1e-5
        touched += nearest < 0.01
    assert touched > 5


def test_an_edited_capsule_counts_for_all_frames_and_one_switched_off_for_none(sheet):
    add_arm(sheet)
    playback.attach(sheet)
    thin = play_scenes.played(sheet, range(1, LAST))
    capsule = settings_of(sheet).capsules[0]
    capsule.start_radius = 0.3
    bpy.context.view_layer.update()
    wide = play_scenes.played(sheet, (49, 20))
    assert np.abs(wide[20] - thin[20]).max() > 0.05
    playback.attach(sheet)
    assert np.array_equal(play_scenes.played(sheet, (20,))[20], wide[20])
    capsule.start_radius = RADII[0]
    bpy.context.view_layer.update()
    again = play_scenes.played(sheet, (49, 20))
    assert all(np.array_equal(again[frame], thin[frame]) for frame in again)

    capsule.enabled = False
    bpy.context.view_layer.update()
    off = play_scenes.played(sheet, (49,))[49]
    settings_of(sheet).capsules.remove(0)
    refresh_display(settings_of(sheet), bpy.context)
    bpy.context.view_layer.update()
    assert np.array_equal(play_scenes.played(sheet, (49,))[49], off)
    assert np.abs(off - thin[49]).max() > 0.05


def test_another_name_for_a_capsule_or_its_carrier_changes_nothing(sheet):
    arm = add_arm(sheet)
    playback.attach(sheet)
    before = play_scenes.played(sheet, range(1, 30))
    settings_of(sheet).capsules[0].name = "Limb"
    arm.name = "Elbow"
    bpy.context.view_layer.update()
    after = play_scenes.played(sheet, (29, 3, 15))
    assert all(np.array_equal(after[frame], before[frame]) for frame in after)
    assert playback.status_of(sheet).warning is None


def test_what_is_moved_by_hand_counts_from_its_frame_on(sheet):
    arm = add_arm(sheet, moves=False)
    arm.location = (0.0, -0.6, -0.5)
    playback.attach(sheet)
    before = play_scenes.played(sheet, range(1, LAST))
    bpy.context.scene.frame_set(20)
    arm.location.y = 0.1
    bpy.context.view_layer.update()
    after = play_scenes.played(sheet, range(20, LAST))
    early = play_scenes.played(sheet, range(1, 20))
    assert all(np.array_equal(early[frame], before[frame]) for frame in early)
    places = np.tile([0.0, -0.6, -0.5], (LAST - 1, 1))
    places[19:, 1] = 0.1
    expected = stepped(places)
    for frame in (20, 21, 35, LAST - 1):
        assert np.abs(after[frame] - expected[frame - 1]).max() < EXACT


@pytest.mark.parametrize("still_used", [False, True], ids=["removed", "deleted as artists do"])
def test_a_lost_capsule_gives_a_warning_and_the_cloth_plays_on_without_it(sheet, still_used):
    playback.attach(sheet)
    plain = play_scenes.played(sheet, range(1, 30))
    arm = add_arm(sheet)
    bpy.context.view_layer.update()
    assert np.abs(play_scenes.played(sheet, (29,))[29] - plain[29]).max() > 0.05
    if still_used:
        bpy.context.scene.collection.objects.unlink(arm)
    else:
        bpy.data.objects.remove(arm)
    bpy.context.view_layer.update()
    lost = play_scenes.played(sheet, range(1, 30))
    assert all(np.array_equal(lost[frame], plain[frame]) for frame in plain)
    status = playback.status_of(sheet)
    assert status.problem is None and status.warning.code == "capsule_lost" and not status.collides


def test_an_edited_key_of_what_carries_a_capsule_counts_for_all_frames(sheet):
    arm = add_arm(sheet)
    playback.attach(sheet)
    before = play_scenes.played(sheet, range(1, 30))
    action = arm.animation_data.action
    curve = action.layers[0].strips[0].channelbags[0].fcurves.find("location", index=1)
    curve.keyframe_points[1].co.y = 0.5
    curve.update()
    action.id_data.update_tag()
    bpy.context.view_layer.update()
    after = play_scenes.played(sheet, (29, 15))
    expected = stepped(arm_places(29))
    for frame, shape in after.items():
        assert np.abs(shape - expected[frame - 1]).max() < EXACT
        assert np.abs(shape - before[frame]).max() > 0.02


def test_a_bone_carries_a_capsule_in_the_axes_of_another_reference_frame(file):
    """The sheet's own axes are turned and moved: what it meets is where the bone is in the world."""
    shapes = []
    for turned in (False, True):
        sheet = open_sheet(file)
        rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
        bpy.context.scene.collection.objects.link(rig)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        bone = rig.data.edit_bones.new("arm")
        bone.head, bone.tail = (-0.5, -0.3, -0.5), (0.5, -0.3, -0.5)
        bpy.ops.object.mode_set(mode="OBJECT")
        posed = rig.pose.bones["arm"]
        posed.keyframe_insert("location", frame=1)
        posed.location = posed.bone.matrix_local.to_3x3().inverted() @ Vector((0.0, 0.4, 0.0))
        posed.keyframe_insert("location", frame=25)
        item = settings_of(sheet).capsules.add()
        item.name, item.source, item.bone = "arm", rig, "arm"
        item.end, item.start_radius, item.end_radius = (0.0, 1.0, 0.0), *RADII
        if turned:
            parent = play_scenes.add_hand("Parent", seed=None)
            for obj in (sheet, rig, bpy.data.objects["Hand"]):
                obj.parent = parent
            parent.location, parent.rotation_euler = (1.0, 2.0, 0.5), (0.0, 0.0, 1.1)
        playback.attach(sheet)
        shapes.append(play_scenes.played(sheet, range(1, 31))[30])
    assert shapes[1] == pytest.approx(shapes[0], abs=1e-4)
    assert np.abs(shapes[0][:, 1]).max() > 0.15

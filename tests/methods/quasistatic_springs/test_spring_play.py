"""Jiggle Springs in Play: what an integrator makes of springs about Blender's own skinning (Jin 2022)."""

from __future__ import annotations

import bpy
import jiggling
import numpy as np
import play_scenes
import pytest
import rigs
import synthetic

from neural_physics.blender.display.springs import NAMES, are_shown, hide_springs, show_springs
from neural_physics.blender.playing import packing, playback
from neural_physics.blender.scene.rigs.skins import skin_of
from neural_physics.blender.scene.sampling import layout_of
from neural_physics.blender.scene.sources import mesh_of
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem
from neural_physics.methods.quasistatic_springs.skin_tensors import skin_tensors

pytestmark = [pytest.mark.blender, pytest.mark.once]

SECONDS = 3
DT = 1 / 24


def springs(count):
    """k_s and k_d (V,)."""
    k_s = np.linspace(80.0, 700.0, count)
    return k_s, 2.0 * np.sqrt(k_s) * np.linspace(0.1, 0.5, count)


def tube_on_bones(fps=24, preserve_volume=False):
    """The scene, a walking and bending rig, and a tube on it that reacts to it."""
    scene = play_scenes.open_scene(fps)
    rig = rigs.add_rig(3)
    tube = rigs.add_tube(rig)
    tube.location = (0.2, 0.1, 0.0)
    tube.modifiers[0].use_deform_preserve_volume = preserve_volume
    rng = np.random.default_rng(2)
    for half_second in range(2 * SECONDS + 3):
        frame = 1 + half_second * fps // 2
        rigs.pose(rig, half_second)
        rig.location = rng.uniform(-0.4, 0.4, 3)
        rig.keyframe_insert("location", frame=frame)
        for bone in rig.pose.bones:
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    settings = settings_of(tube)
    settings.enabled, settings.method, settings.simulation.kind = True, "quasistatic_springs", "SOLID"
    item = settings.interactions.add()
    item.name, item.object = "Rig", rig
    return scene, rig, tube


def play(tube):
    mesh, skin = mesh_of(tube), skin_of(tube)
    k_s, k_d = springs(mesh.vertex_count)
    info = synthetic.make_model_info(
        mesh,
        layout_of(tube),
        method="quasistatic_springs",
        settings={"preserve_volume": skin.preserve_volume},
    )
    rest = mesh.rest_positions
    tensors = {"rest": rest, "mean": rest, **skin_tensors(skin), "stiffness": k_s, "damping": k_d}
    packing.pack(tube, synthetic.model_bytes(info, tensors))
    playback.attach(tube)


def bones_alone(tube, frames):
    """World-space positions without springs, and what goes for velocities at both ends: one frame more."""
    shown = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown.append(rigs.shown(tube).astype(float))
    return np.stack(shown)


def played(fps, preserve_volume=False, look_ahead=True):
    """World-space positions: what is shown every half second, and at each step what bones alone show."""
    scene, _, tube = tube_on_bones(fps, preserve_volume)
    bones = bones_alone(tube, range(1, 3 + fps * SECONDS))
    settings_of(tube).look_ahead = look_ahead
    play(tube)
    shown = []
    for half_second in range(2 * SECONDS + 1):
        scene.frame_set(1 + half_second * fps // 2)
        shown.append(rigs.shown(tube))
    return np.stack(shown), bones


def integrated(bones, slopes):
    """Every half second."""
    return jiggling.swung(bones, slopes(bones), *springs(bones.shape[1]))[:-1:12]


@pytest.mark.parametrize("preserve_volume", [False, True])
@pytest.mark.parametrize("look_ahead", [True, False])
def test_play_is_what_an_integrator_makes_of_springs_about_the_skinned_mesh(preserve_volume, look_ahead):
    shown, bones = played(24, preserve_volume, look_ahead)
    central, causal = (integrated(bones, s) for s in (jiggling.central_slopes, jiggling.causal_slopes))
    assert np.abs(central - bones[:-1:12]).max() > 0.1  # metres
    assert np.abs(central - causal).max() > 5e-3
    assert np.abs(shown - (central if look_ahead else causal)).max() < 3e-5


def add_driven_keys(rig, tube):
    """A bulge that a bone's turn drives, and one with keyframes, of different vertices."""
    tube.shape_key_add(name="Basis")
    rng = np.random.default_rng(7)
    for name in ("Bulge", "Breath"):
        key = tube.shape_key_add(name=name, from_mix=False)
        key.slider_min, key.value = -10.0, 0.0
        for point in list(key.data)[:: 1 + (name == "Breath")]:
            point.co = np.array(point.co) + 0.1 * rng.normal(size=3)
    keys = tube.data.shape_keys.key_blocks
    driver = keys["Bulge"].driver_add("value").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type, target = "TRANSFORMS", variable.targets[0]
    target.id, target.bone_target = rig, "bone1"
    target.transform_type, target.transform_space = "ROT_X", "LOCAL_SPACE"
    for half_second in range(2 * SECONDS + 3):
        keys["Breath"].value = (-1.0) ** half_second
        keys["Breath"].keyframe_insert("value", frame=1 + 12 * half_second)


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_shape_keys_below_the_bones_swing_with_the_rest(preserve_volume):
    scene, rig, tube = tube_on_bones(preserve_volume=preserve_volume)
    plain = bones_alone(tube, range(1, 3 + 24 * SECONDS))
    add_driven_keys(rig, tube)
    bones = bones_alone(tube, range(1, 3 + 24 * SECONDS))
    assert np.abs(bones - plain).max() > 0.1  # metres
    play(tube)
    shown = []
    for half_second in range(2 * SECONDS + 1):
        scene.frame_set(1 + half_second * 12)
        shown.append(rigs.shown(tube))
    assert np.abs(np.stack(shown) - integrated(bones, jiggling.central_slopes)).max() < 3e-5
    tube.data.shape_keys.key_blocks["Bulge"].name = "Bump"
    scene.frame_set(2)
    assert "Shape Keys/Bulge" in str(playback.status_of(tube).problem)


def test_a_shape_key_that_a_hand_moves_shows_at_once_and_swings_from_there():
    _, rig, tube = tube_on_bones()
    rig.animation_data_clear()
    tube.shape_key_add(name="Basis")
    key = tube.shape_key_add(name="Bulge", from_mix=False)
    key.value = 0.0
    for point in key.data:
        point.co = 1.2 * np.array(point.co)
    play(tube)
    still = play_scenes.played(tube, range(1, 10))[9]
    key.value = 1.0
    bpy.context.view_layer.update()
    after = play_scenes.played(tube, range(10, 200))
    assert np.abs(after[11] - still).max() > 0.01
    tube.modifiers[-1].show_viewport = False
    wanted = play_scenes.shown(tube)
    assert np.abs(wanted - still).max() > 0.1
    assert np.abs(after[199] - wanted).max() < 1e-3


@pytest.mark.parametrize("fps", [30, 60])
@pytest.mark.parametrize("look_ahead", [True, False])
def test_other_frame_rates_show_the_same_at_the_same_times(fps, look_ahead):
    """A step's pose is taken to be on a line between those of two frames."""
    shown, _ = played(fps, look_ahead=look_ahead)
    same, bones = played(24, look_ahead=look_ahead)
    jiggle = np.abs(same - bones[:-1:12]).max()
    assert jiggle > 0.1
    assert np.abs(shown - same).max() < 0.04 * jiggle


def test_scrubbing_and_a_saved_file_show_what_playing_forward_showed(tmp_path):
    scene, _, tube = tube_on_bones()
    play(tube)
    forward = play_scenes.played(tube, range(1, 60))
    scene.frame_set(1)
    for frame in (40, 7, 41, 59, 2, 40):
        scene.frame_set(frame)
        assert np.array_equal(play_scenes.shown(tube), forward[frame])
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    play_scenes.open_scene()
    bpy.ops.wm.open_mainfile(filepath=path)
    after = play_scenes.played(bpy.data.objects["Tube"], range(1, 60))
    assert all(np.array_equal(after[frame], forward[frame]) for frame in forward)


def test_jiggle_and_its_group_say_how_far_each_vertex_strays():
    scene, _, tube = tube_on_bones()
    bones = bones_alone(tube, range(1, 61))
    play(tube)
    learned = play_scenes.played(tube, range(1, 60))
    group, weights = tube.vertex_groups.new(name="Soft"), np.linspace(0.4, 1.0, bones.shape[1])
    weights[::5] = 0.0
    for vertex, weight in enumerate(weights):
        group.add([vertex], weight, "REPLACE")
    settings = settings_of(tube)
    settings.jiggle, settings.jiggle_group = 1.5, "Soft"
    shown = []
    for frame in range(1, 60):
        scene.frame_set(frame)
        shown.append(rigs.shown(tube))
    held, share = weights == 0.0, 1.5 * np.maximum(weights, 0.1)
    k_s, k_d = springs(bones.shape[1])
    truth = jiggling.swung(bones, jiggling.central_slopes(bones), k_s / share, k_d / np.sqrt(share))[:-1]
    assert np.abs(np.stack(shown) - truth)[:, ~held].max() < 3e-5
    assert np.abs(np.stack(shown) - bones[:-1])[:, held].max() < 1e-5
    settings.jiggle, settings.jiggle_group = 1.0, ""
    again = play_scenes.played(tube, (59, 20))
    assert all(np.array_equal(again[frame], learned[frame]) for frame in again)


def test_a_jiggle_group_that_is_gone_is_reported():
    scene, _, tube = tube_on_bones()
    play(tube)
    tube.vertex_groups.new(name="Soft")
    settings_of(tube).jiggle_group = "Soft"
    scene.frame_set(3)
    assert playback.status_of(tube).problem is None
    tube.vertex_groups.remove(tube.vertex_groups["Soft"])
    settings_of(tube).jiggle = 0.5
    scene.frame_set(4)
    assert playback.status_of(tube).problem.code == "live_group_missing"
    settings_of(tube).jiggle_group = ""
    scene.frame_set(5)
    assert playback.status_of(tube).problem is None


def test_a_rig_that_a_hand_poses_is_followed():
    scene, rig, tube = tube_on_bones()
    rig.animation_data_clear()
    rig.location = (0.0, 0.0, 0.0)
    rigs.pose(rig, 0, turn=0.0)
    play(tube)
    still = play_scenes.played(tube, range(1, 10))
    rig.pose.bones[1].location = (0.3, 0.0, 0.0)
    bpy.context.view_layer.update()
    scene.frame_set(10)
    moved = play_scenes.played(tube, range(10, 200))
    tube.modifiers[-1].show_viewport = False
    wanted = play_scenes.shown(tube)
    assert np.abs(moved[199] - wanted).max() < 1e-3
    assert np.abs(still[9] - wanted).max() > 0.1


def test_a_bone_that_is_gone_is_reported_by_name():
    scene, rig, tube = tube_on_bones()
    play(tube)
    scene.frame_set(3)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["bone2"])
    bpy.ops.object.mode_set(mode="OBJECT")
    scene.frame_set(4)
    problem = playback.status_of(tube).problem
    assert isinstance(problem, Problem) and "Rig/bone2" in str(problem)


def colours_of(mesh, name):
    values = np.empty(4 * len(mesh.vertices), np.float32)
    mesh.color_attributes[name].data.foreach_get("color", values)
    return values.reshape(-1, 4)


def test_springs_are_shown_as_colours_from_the_least_to_the_most():
    _, _, tube = tube_on_bones()
    play(tube)
    k_s, k_d = springs(len(tube.data.vertices))
    show_springs(tube)
    show_springs(tube)
    assert are_shown(tube) and tube.data.color_attributes.active_color.name == NAMES[0]
    for name, values in zip(NAMES, (k_s, k_d, k_d**2 - 4.0 * k_s), strict=True):
        lightness = colours_of(tube.data, name)[:, :3] @ [0.2126, 0.7152, 0.0722]
        assert (np.diff(lightness[np.argsort(values)]) > -1e-6).all() and np.ptp(lightness) > 0.05
    swinging = colours_of(tube.data, NAMES[2])[:, 0]
    assert swinging.max() < 0.05, "all of them swing: none is in the bright half"
    hide_springs(tube)
    assert not len(tube.data.color_attributes)


def test_springs_of_another_method_s_model_are_not_shown():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    with pytest.raises(Problem, match="Sheet has no Jiggle Springs model"):
        show_springs(sheet)

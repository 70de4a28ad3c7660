"""Bakes in processes of their own, held against plain Blender and against what the artist has open."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from bakes import (
    add_script,
    cloth_and_ball,
    cloth_on_a_moving_pin,
    command_for,
    contents,
    frames_on_disk,
    run,
    start,
    wait_for,
    workers,
)
from scenes import (
    add_ball,
    add_cloth,
    add_empty,
    add_grid,
    add_wind,
    bpy,
    empty_scene,
    fcurves_of,
    react_to,
    set_frame,
    settings_of,
)
from workplaces import planned

from neural_physics.baking.programs import Programs
from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.blender.baking.trust import scripts_may_run
from neural_physics.blender.scene.sources import read_positions
from neural_physics.blender.settings.named_places import agree
from neural_physics.datasets.takes import Dataset


def animate(obj, path="location", **keys):
    """keys: f1=(…), f20=(…)."""
    for frame, value in keys.items():
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=int(frame[1:]))


def simulate(obj, frames, first=1):
    """What plain Blender shows, frame by frame."""
    shown = []
    for frame in range(first, first + frames):
        evaluated = obj.evaluated_get(set_frame(frame))
        shown.append(read_positions(evaluated.data))
    return np.array(shown)


def take_of(folder, name="take_000"):
    return Dataset.open(folder).take(name)


def cloth_and_animated_ball():
    empty_scene()
    cloth, ball = add_cloth(), add_ball()
    animate(ball, f1=(0.1, -0.8, -0.2), f20=(0.1, 0.7, -0.2), f40=(0.3, -0.7, 0.0))
    react_to(cloth, ball, "KEEP")
    return cloth, ball


def test_a_bake_is_what_blender_simulates_and_where_the_collider_was(tmp_path):
    cloth, ball = cloth_and_animated_ball()
    expected = simulate(cloth, 40)
    paths = [tuple(ball.evaluated_get(set_frame(f)).matrix_world.translation) for f in range(1, 41)]
    assert run(command_for(cloth, tmp_path / "d", 1, 40))["frames"] == 40
    take = take_of(tmp_path / "d")
    assert np.ptp(expected, axis=0).max() > 0.5, "nothing moved"
    assert np.array_equal(take.positions, expected)
    assert take.interaction == pytest.approx(np.array(paths), abs=1e-6)


def test_the_artists_file_and_what_is_open_stay_as_they_were(tmp_path):
    cloth = cloth_and_ball()
    subsurf = cloth.modifiers.new("Subsurf", "SUBSURF")
    blend = tmp_path / "artist.blend"
    bpy.context.scene.render.fps = 30
    settings_of(cloth).dataset_folder = "//takes/"
    settings_of(cloth).take_count, settings_of(cloth).take_frames = 1, 10
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    agree(tmp_path / "takes")  # named before there was a file, it is asked about
    bytes_before, frame_before = blend.read_bytes(), bpy.context.scene.frame_current
    run(prepare_bake(bpy.context.scene, cloth))
    assert blend.read_bytes() == bytes_before
    assert bpy.data.filepath == str(blend)
    assert subsurf.show_viewport and bpy.context.scene.frame_current == frame_before
    assert cloth.modifiers["Cloth"].point_cache.use_disk_cache is False
    assert bpy.context.scene.render.fps == 30
    assert Dataset.open(tmp_path / "takes").info.fps == 30
    assert sorted(p.name for p in tmp_path.iterdir()) == ["artist.blend", "takes"]
    made = {p.name for p in (tmp_path / "takes").iterdir()} - {"pace.json"}  # not of so short a bake, always
    assert made == {"dataset.json", "mesh.npz", "takes"}


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_cache_that_was_baked_before_does_not_hide_new_motion(on_disk, tmp_path):
    cloth, ball = cloth_and_animated_ball()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    cache = cloth.modifiers["Cloth"].point_cache
    cache.use_disk_cache, cache.frame_end = on_disk, 30
    with bpy.context.temp_override(point_cache=cache):
        bpy.ops.ptcache.bake(bake=True)
    ball.animation_data_clear()
    ball.location = (0.0, 0.0, 5.0)
    run(command_for(cloth, tmp_path / "d", 1, 30))
    cloth, ball = cloth_and_animated_ball()
    ball.animation_data_clear()
    ball.location = (0.0, 0.0, 5.0)
    assert np.array_equal(take_of(tmp_path / "d").positions, simulate(cloth, 30))


def test_the_simulation_goes_on_after_frame_250_and_starts_where_its_cache_does(tmp_path):
    cloth = cloth_and_ball(points=5)
    cloth.modifiers["Cloth"].point_cache.frame_start = 40
    bpy.context.scene.frame_set(123)
    run(command_for(cloth, tmp_path / "d", 1, 300))
    positions = take_of(tmp_path / "d").positions
    assert np.array_equal(positions[0], read_positions(cloth.data))
    moves = np.abs(np.diff(positions, axis=0)).max(axis=(1, 2))
    assert (moves[-60:] > 1e-5).any() and moves[:10].max() > 1e-4


def test_modifiers_behind_the_physics_are_left_out_and_those_before_it_act(tmp_path):
    cloth = cloth_on_a_moving_pin()
    cloth.modifiers.new("Subsurf", "SUBSURF")
    run(command_for(cloth, tmp_path / "d", 1, 60))
    take = take_of(tmp_path / "d")
    pinned = Dataset.open(tmp_path / "d").mesh.pins == 1.0
    rest = read_positions(cloth.data)
    moved = take.positions[:, pinned] - rest[pinned]
    expected = take.interaction - np.array([0.0, 0.0, 1.0])
    assert np.ptp(expected, axis=0).max() > 0.2
    assert moved == pytest.approx(np.repeat(expected[:, None], pinned.sum(), 1), abs=1e-4)


def test_positions_are_kept_in_the_reference_frame_and_lead_back_to_the_object(tmp_path):
    cloth, ball = cloth_and_animated_ball()
    frame = add_empty("Body", (1.0, 0.0, 0.0))
    animate(frame, "rotation_euler", f1=(0.0, 0.0, 0.0), f30=(0.5, 1.0, -2.0))
    animate(cloth, f1=(0.0, 0.0, 0.0), f30=(0.2, 0.1, 0.3))
    settings_of(cloth).frame_object, settings_of(cloth).moving_frame = frame, True
    expected = simulate(cloth, 30)
    run(command_for(cloth, tmp_path / "d", 1, 30))
    take = take_of(tmp_path / "d")
    assert Dataset.open(tmp_path / "d").info.reference_frame == "Body"
    back = np.einsum("tij,tvj->tvi", take.frames[:, :3, :3], take.positions) + take.frames[:, None, :3, 3]
    assert back == pytest.approx(expected, abs=1e-5)
    world_from_body = np.array(frame.evaluated_get(set_frame(30)).matrix_world)
    seen = np.linalg.inv(world_from_body) @ [*ball.evaluated_get(set_frame(30)).matrix_world.translation, 1.0]
    assert take.interaction[29, :3] == pytest.approx(seen[:3], abs=1e-5)


def test_only_the_scene_and_view_layer_in_use_are_simulated(tmp_path):
    cloth, _ = cloth_and_animated_ball()
    scene = bpy.context.scene
    expected = simulate(cloth, 20)
    scene.view_layers.new("Other layer")
    other = bpy.data.scenes.new("Other scene")
    other.collection.objects.link(cloth)
    run(command_for(cloth, tmp_path / "d", 1, 20))
    assert np.array_equal(take_of(tmp_path / "d").positions, expected)


def test_to_prepare_a_bake_evaluates_no_view_layer_that_nobody_looks_at(tmp_path):
    """What is simulated in it, and writes where the scene says, is not for the artist to see."""
    cloth, _ = cloth_and_animated_ball()
    scene = bpy.context.scene
    shown = bpy.data.collections.new("In the other layer")
    scene.collection.children.link(shown)
    shown.objects.link(cloth)
    scene.collection.objects.unlink(cloth)
    scene.view_layers.new("Other layer")
    scene.view_layers[0].layer_collection.children[shown.name].exclude = True
    bpy.context.view_layer.update()
    evaluated = []
    seen = lambda _scene, graph: evaluated.append(graph.view_layer.name)  # noqa: E731
    bpy.app.handlers.depsgraph_update_post.append(seen)
    cloth.location.x += 0.1
    plan = planned(command_for(cloth, tmp_path / "d", 1, 20))
    bpy.app.handlers.depsgraph_update_post.remove(seen)
    assert plan.view_layer == "Other layer" and "Other layer" not in evaluated


def test_a_hidden_object_is_baked_all_the_same(tmp_path):
    cloth, _ = cloth_and_animated_ball()
    expected = simulate(cloth, 20)
    hidden = bpy.data.collections.new("Hidden")
    bpy.context.scene.collection.children.link(hidden)
    hidden.objects.link(cloth)
    bpy.context.scene.collection.objects.unlink(cloth)
    hidden.hide_viewport = True
    cloth.hide_viewport = True
    run(command_for(cloth, tmp_path / "d", 1, 20))
    assert np.array_equal(take_of(tmp_path / "d").positions, expected)


def test_a_pin_that_is_disabled_in_the_viewport_moves_all_the_same(tmp_path):
    cloth = cloth_on_a_moving_pin()
    run(command_for(cloth, tmp_path / "shown", 1, 25))
    bpy.data.objects["Hand"].hide_viewport = True
    run(command_for(cloth, tmp_path / "disabled", 1, 25))
    assert contents(tmp_path / "disabled") == contents(tmp_path / "shown")


def test_a_collider_hidden_with_the_eye_still_collides(tmp_path):
    cloth, ball = cloth_and_animated_ball()
    expected = simulate(cloth, 25)
    ball.hide_set(True)
    run(command_for(cloth, tmp_path / "d", 1, 25))
    take = take_of(tmp_path / "d")
    assert np.array_equal(take.positions, expected)
    assert np.ptp(take.interaction[:, 1]) > 1.0


def test_other_simulations_in_the_scene_go_on_to_the_last_frame_too(tmp_path):
    empty_scene()
    cloth, plank = add_cloth(), add_ball("Plank", place=(0.0, -0.5, 2.0))
    bpy.context.view_layer.objects.active = plank
    bpy.ops.rigidbody.object_add()
    plank.rigid_body.mass = 1.0
    emitter = add_grid("Emitter", 3)
    emitter.modifiers.new("Particles", "PARTICLE_SYSTEM")
    bpy.context.scene.rigidbody_world.point_cache.frame_end = 10
    react_to(cloth, plank, "KEEP")
    run(command_for(cloth, tmp_path / "d", 1, 60))
    heights = take_of(tmp_path / "d").interaction[:, 2]
    fallen = 0.5 * 9.81 * (np.arange(60) / 24.0) ** 2
    assert 2.0 - heights[59] == pytest.approx(fallen[59], rel=0.1)


def test_a_linked_collider_with_a_relative_path_is_found_from_the_copy(tmp_path):
    library, scene = tmp_path / "library" / "ball.blend", tmp_path / "scenes" / "scene.blend"
    for path in (library, scene):
        path.parent.mkdir()
    empty_scene()
    ball = add_ball()
    animate(ball, f1=(0.1, -0.8, -0.2), f20=(0.1, 0.7, -0.2))
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    empty_scene()
    cloth = add_cloth()
    bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    with bpy.data.libraries.load("//../library/ball.blend", link=True, relative=True) as (_, wanted):
        wanted.objects = ["Ball"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    react_to(cloth, wanted.objects[0], "KEEP")
    expected = simulate(cloth, 25)
    run(command_for(cloth, tmp_path / "d", 1, 25))
    assert np.array_equal(take_of(tmp_path / "d").positions, expected)


def test_wind_noise_is_set_to_zero_in_the_baked_copy_and_a_note_says_so(tmp_path):
    empty_scene()
    cloth, wind = add_cloth(), add_wind(strength=50.0)
    wind.rotation_euler.x = 1.3
    wind.field.noise = 5.0
    react_to(cloth, wind, "KEEP")
    result = run(command_for(cloth, tmp_path / "d", 1, 20))
    assert result["notes"] == [
        "The noise of Wind was set to 0 in the baked copy, since noise cannot be learned."
    ]
    assert wind.field.noise == 5.0
    wind.field.noise = 0.0
    assert np.array_equal(take_of(tmp_path / "d").positions, simulate(cloth, 20))


@pytest.mark.once
def test_animation_alone_makes_one_take_and_says_so(tmp_path):
    cloth, _ = cloth_and_animated_ball()
    result = run(command_for(cloth, tmp_path / "d", 4, 10))
    assert result["takes"] == 1 and "Only one take is baked" in result["notes"][0]


@pytest.mark.once
def test_a_bake_with_nothing_left_to_do_says_so(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    assert run(command_for(cloth, folder, 2, 10))["notes"] == []
    (note,) = run(command_for(cloth, folder, 2, 10))["notes"]
    assert "(2 takes) is baked: raise Takes" in note


def test_animation_that_ends_before_the_takes_do_is_noted(tmp_path):
    cloth, _ = cloth_and_animated_ball()
    note = planned(command_for(cloth, tmp_path / "d", 1, 41)).notes[-1]
    assert "animation of Ball ends at frame 40, but the takes continue to frame 41" in note
    assert planned(command_for(cloth, tmp_path / "e", 1, 40)).notes == ()
    for curve in fcurves_of(bpy.data.objects["Ball"]):
        curve.modifiers.new("CYCLES")
    assert planned(command_for(cloth, tmp_path / "f", 1, 41)).notes == ()


@pytest.mark.parametrize("allowed", [False, True])
def test_a_files_own_python_runs_in_the_bake_only_where_the_artist_lets_blender_run_it(allowed, tmp_path):
    cloth, ran = cloth_and_ball(), tmp_path / "ran"
    add_script(ran, allowed=allowed)
    assert not bpy.app.autoexec_fail  # a file nobody has tried to run anything of
    command = command_for(cloth, tmp_path / "d", 1, 5)
    assert Programs.of_text(command[command.index("--programs") + 1]).trusted == allowed
    notes = run(command)["notes"]
    assert ran.exists() == allowed
    assert any("Auto Run Python Scripts" in note for note in notes) == (not allowed)


def test_a_folder_excluded_from_auto_run_is_not_trusted(tmp_path):
    empty_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    preferences = bpy.context.preferences
    preferences.filepaths.use_scripts_auto_execute = True
    assert scripts_may_run()
    preferences.autoexec_paths.new().path = str(tmp_path)
    assert not scripts_may_run()


def test_a_file_opened_without_its_scripts_is_not_trusted_though_none_of_them_was_tried(tmp_path):
    """What no view layer evaluates, Blender does not refuse, and does not note; a bake would evaluate it."""
    empty_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    for trusted in (False, True):
        bpy.context.preferences.filepaths.use_scripts_auto_execute = True
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"), use_scripts=trusted)
        assert bpy.context.preferences.filepaths.use_scripts_auto_execute
        objects = set(bpy.data.objects)
        assert not bpy.app.autoexec_fail
        assert scripts_may_run() == trusted
        assert set(bpy.data.objects) == objects


def test_only_drivers_that_need_python_are_noted(tmp_path):
    cloth = cloth_and_ball()
    driver = bpy.data.objects["Ball"].driver_add("location", 0).driver
    driver.expression = "frame / 10"
    assert planned(command_for(cloth, tmp_path / "a", 1, 5)).notes == ()
    driver.expression = "bpy.context.scene.frame_current / 10"
    assert "Auto Run" in planned(command_for(cloth, tmp_path / "b", 1, 5)).notes[0]


@pytest.mark.once
def test_several_takes_differ_have_their_roles_and_more_can_be_added(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    result = run(command_for(cloth, folder, 2, 30))
    assert (result["takes"], result["frames"], result["excluded"]) == (2, 60, 0)
    assert result["frames_per_second"] > 0 and result["seconds"] > 0
    first = contents(folder)
    assert run(command_for(cloth, folder, 3, 20))["frames"] == 80
    after = contents(folder)
    assert {name: after[name] for name in first} == first
    takes = Dataset.open(folder).takes()
    assert [t.info.role for t in takes] == ["training", "validation", "training"]
    assert len({t.interaction.tobytes() for t in takes}) == 3
    assert all(t.info.complete for t in takes)


@pytest.mark.once
def test_a_begun_take_that_is_not_asked_for_now_can_be_finished_later(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    stop = ["--stop-file", str(tmp_path / "stop")]
    bake = start([*command_for(cloth, folder, 2, 300, parallel_takes=2), *stop])
    wait_for(lambda: frames_on_disk(folder, "take_001", 81) >= 10)
    (tmp_path / "stop").touch()
    bake.wait(30)
    run(command_for(cloth, folder, 1, 300))
    assert [t.info.complete for t in Dataset.open(folder).takes()] == [True, False]
    assert run(command_for(cloth, folder, 2, 300))["frames"] == 600
    assert not (folder / "bake").exists()


def test_a_begun_take_is_finished_with_the_scene_it_was_begun_in(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    run(command_for(cloth, tmp_path / "whole", 1, 300))
    bake = start([*command_for(cloth, folder, 1, 300), "--stop-file", str(tmp_path / "stop")])
    wait_for(lambda: frames_on_disk(folder, "take_000", 81) >= 20)
    (tmp_path / "stop").touch()
    bake.wait(30)
    bpy.data.objects["Ball"].location.x = 0.3
    settings_of(cloth).interactions[0].box_low = (-0.1, -0.1, -0.1)
    run(command_for(cloth, folder, 1, 40))
    assert contents(folder) == contents(tmp_path / "whole")


@pytest.mark.once
def test_takes_are_baked_at_the_same_time(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    bake = start(
        [*command_for(cloth, folder, 3, 100_000, parallel_takes=3), "--stop-file", str(tmp_path / "stop")]
    )
    wait_for(lambda: len(workers(folder)) == 3)
    wait_for(lambda: min(frames_on_disk(folder, f"take_00{i}", 81) for i in range(3)) > 0)
    (tmp_path / "stop").touch()
    bake.wait(30)
    assert workers(folder) == []


def test_workers_end_by_themselves_when_the_coordinator_is_killed(tmp_path):
    cloth, folder = cloth_and_ball(points=21), tmp_path / "d"
    bake = start(command_for(cloth, folder, 1, 100_000))
    wait_for(lambda: frames_on_disk(folder, "take_000", 441) > 0)
    bake.kill()
    bake.wait()
    wait_for(lambda: workers(folder) == [], 10)


@pytest.mark.once
def test_a_worker_that_keeps_crashing_is_reported_with_its_log_and_the_bake_can_be_resumed(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    command = command_for(cloth, folder, 1, 300)
    bake = start(command, listen=True)
    wait_for(lambda: frames_on_disk(folder, "take_000", 81) >= 10)
    killed: list[int] = []
    for _ in range(3):
        wait_for(lambda: set(workers(folder)) - set(killed))
        (one,) = set(workers(folder)) - set(killed)
        os.kill(one, signal.SIGKILL)
        killed.append(one)
    said = bake.communicate(timeout=30)[0]
    kept = folder / "bake" / "take_000"
    assert "The process that baked take_000 ended unexpectedly" in said and str(kept / "3.jsonl") in said
    assert {path.name for path in kept.glob("*.jsonl")} == {"1.jsonl", "2.jsonl", "3.jsonl"}
    assert run(command_for(cloth, folder, 1, 300))["frames"] == 300

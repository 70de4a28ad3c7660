"""Collision modifiers cost nothing while every simulation is played, and are back before one collides."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest

from neural_physics.blender.playing import playback
from neural_physics.blender.scene.sources import read_positions

pytestmark = pytest.mark.blender


def add_cube(name: str = "Cube") -> bpy.types.Object:
    """A collider, shown in the viewport alone: what it was must come back, whatever that is."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, -5.0))
    cube = bpy.context.object
    cube.name = name
    cube.modifiers.new("Collision", "COLLISION").show_render = False
    return cube


def add_falling_cloth() -> bpy.types.Object:
    """A cloth just above the cube."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=12, y_subdivisions=12, size=0.9, location=(0.0, 0.0, -4.4))
    cloth = bpy.context.object
    cloth.modifiers.new("Cloth", "CLOTH")
    return cloth


def add_particles(kind: str) -> bpy.types.ParticleSystem:
    bpy.ops.mesh.primitive_plane_add(location=(9.0, 0.0, 0.0))
    bpy.context.object.modifiers.new("Particles", "PARTICLE_SYSTEM")
    system = bpy.context.object.particle_systems[0]
    system.settings.type, system.settings.count = kind, 3
    return system


def on(collider: bpy.types.Object) -> tuple[bool, bool]:
    modifier = next(m for m in collider.modifiers if m.type == "COLLISION")
    return modifier.show_viewport, modifier.show_render


def update() -> None:
    """What the window does after an artist's edit."""
    bpy.context.view_layer.update()


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    return play_scenes.add_sheet(play_scenes.add_hand())


@pytest.fixture
def cube(sheet):
    return add_cube()


def test_colliders_rest_while_an_object_plays(sheet, cube):
    playback.attach(sheet)
    assert on(cube) == (False, False)
    play_scenes.played(sheet, range(1, 20))
    playback.attach(sheet)
    assert on(cube) == (False, False)
    cube.name = "Renamed"
    playback.detach(sheet)
    assert on(cube) == (True, False)


def test_a_collider_that_was_off_stays_off(sheet, cube):
    cube.modifiers["Collision"].show_viewport = False
    playback.attach(sheet)
    playback.detach(sheet)
    assert on(cube) == (False, False)


def test_they_rest_until_the_last_cloth_plays_and_wake_with_the_first_that_does_not(sheet, cube):
    other = play_scenes.add_sheet(bpy.data.objects["Hand"], "Other")
    playback.attach(sheet)
    assert on(cube) == (True, False)  # the other one is simulated still
    playback.attach(other)
    assert on(cube) == (False, False)
    playback.detach(sheet)
    assert on(cube) == (True, False)


def test_hair_that_only_grows_does_not_keep_them_awake(sheet, cube):
    hair = add_particles("HAIR")
    playback.attach(sheet)
    assert on(cube) == (False, False)
    playback.detach(sheet)
    hair.use_hair_dynamics = True
    playback.attach(sheet)
    assert on(cube) == (True, False)


def test_falling_particles_keep_them_awake(sheet, cube):
    add_particles("EMITTER")
    playback.attach(sheet)
    assert on(cube) == (True, False)


def test_a_cloth_that_an_artist_adds_wakes_them(sheet, cube):
    playback.attach(sheet)
    add_falling_cloth()
    update()
    assert on(cube) == (True, False)


@pytest.mark.parametrize("wakes", [True, False])
def test_a_cloth_that_a_script_adds_falls_onto_the_cube(sheet, cube, wakes, monkeypatch):
    """No handler is called for a script's edits before the frames that it then visits."""
    playback.attach(sheet)
    cloth = add_falling_cloth()
    if not wakes:
        monkeypatch.setattr("neural_physics.blender.playing.played_objects.resume_collisions", lambda: None)
    for frame in range(1, 31):
        bpy.context.scene.frame_set(frame)
    lowest = read_positions(cloth.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)[:, 2].min()
    # The cube's upper side is 0.1 m below the cloth; in 29 frames it falls 7 m freely.
    assert (lowest > -0.15) == wakes


def test_undo_brings_them_back(sheet, cube):
    name = cube.name
    update()
    bpy.ops.ed.undo_push(message="stopped")
    playback.attach(sheet)
    bpy.ops.ed.undo_push(message="plays")
    bpy.ops.ed.undo()
    assert on(bpy.data.objects[name]) == (True, False)
    bpy.ops.ed.redo()
    assert on(bpy.data.objects[name]) == (False, False)


def test_a_file_saved_while_they_rest_goes_on_so(sheet, cube, tmp_path):
    playback.attach(sheet)
    path = str(tmp_path / "rests.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert on(bpy.data.objects["Cube"]) == (False, False)
    playback.detach(bpy.data.objects["Sheet"])
    assert on(bpy.data.objects["Cube"]) == (True, False)


def test_a_cloth_added_where_the_extension_was_missing_finds_them_awake(sheet, cube, tmp_path):
    playback.attach(sheet)
    add_falling_cloth()  # no handler notices it
    path = str(tmp_path / "more.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert on(bpy.data.objects["Cube"]) == (True, False)


def test_a_linked_collider_is_left_alone(sheet, cube, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {cube})
    bpy.data.objects.remove(cube)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = ["Cube"]
    linked = bpy.data.objects["Cube"]
    playback.attach(sheet)
    assert on(linked) == (True, False)
    assert np.isfinite(play_scenes.shown(sheet)).all()

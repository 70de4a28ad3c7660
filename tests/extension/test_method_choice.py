"""Choosing what is learned how: what it sets, and what it refuses before hours are spent on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = [pytest.mark.blender, pytest.mark.once]

SCENE = """
from drawn_panels import drawn
from inside_blender import ours, part, refused, saved_scene
HERE = saved_scene()
"""


def test_latent_dynamics_bakes_one_step_a_frame_or_says_what_to_change(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
ours.add_example(name="JELLY")
settings = bpy.context.active_object.neural_physics
assert settings.simulation.steps == 2
settings.method = "latent_dynamics"
assert settings.simulation.steps == 1
settings.simulation.steps = 4
refused("set its Steps per Frame to 1", ours.bake)
settings.method = "subspace_physics"
assert settings.simulation.steps == 4, "what was chosen stays"
"""
    )


def test_latent_dynamics_of_blender_s_cloth_is_refused_with_the_button_to_press(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
settings.method = "latent_dynamics"
refused("set Simulated By to Solid, Shell or Rods and click Bake", ours.bake)
settings.method = "subspace_physics"
settings.take_count, settings.take_frames = 1, 5
assert ours.bake() == {"FINISHED"}
settings.method = "latent_dynamics"
refused("set Simulated By to Solid, Shell or Rods and click Bake", ours.train)
settings.simulation.kind = "SHELL"
refused(sheet.name + " is not simulated by it", ours.train)
"""
    )


@pytest.mark.parametrize(
    ("example", "method", "setting", "option"),
    [
        ("CANTILEVER", "latent_dynamics", "latent_count", "latents"),
        ("JELLY", "contact_corrections", "handle_count", "handles"),
    ],
)
def test_counts_are_passed_only_to_the_training_of_their_own_method(
    in_blender: Callable[..., str], example: str, method: str, setting: str, option: str
) -> None:
    in_blender(
        SCENE
        + f"""
ours.add_example(name={example!r})
tasks = part("neural_physics.blender.tasks.object_tasks")
obj = bpy.context.active_object
settings = obj.neural_physics
settings.{setting} = 9
assert "{option}=9" not in tasks._train_arguments(obj), "of another method"
settings.method = {method!r}
assert "{option}=9" in tasks._train_arguments(obj)
settings.{setting} = 0
assert "--set" not in tasks._train_arguments(obj)
"""
    )


def test_hierarchical_cloth_wants_cloth_whose_levels_can_be_found(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import bmesh
ours.add_example(name="FOUR_PINS")
sheet = bpy.context.active_object
settings = sheet.neural_physics
tasks = part("neural_physics.blender.tasks.object_tasks")
settings.method = "hierarchical_cloth"
tasks.check_bake(bpy.context.scene, sheet)

shape = bmesh.new()
shape.from_mesh(sheet.data)
bmesh.ops.delete(shape, geom=[v for v in shape.verts if v.co.x > 0.99], context="VERTS")
shape.to_mesh(sheet.data)
refused("multiple of 2 faces along every side", ours.bake)
shape.verts.ensure_lookup_table()
shape.verts.new((0.0, 0.0, 1.0))
shape.to_mesh(sheet.data)
shape.free()
refused("Delete Loose", ours.bake)
settings.method = "subspace_physics"
tasks.check_bake(bpy.context.scene, sheet)

ours.add_example(name="FOUR_PINS")
sheet = bpy.context.active_object
sheet.neural_physics.method = "hierarchical_cloth"
sheet.scale = (2.0, 2.0, 2.0)
bpy.context.view_layer.update()
refused("apply its scale", ours.bake)

for example in ("CLOTH_SHELL", "SOFT_BODY_BALL", "CANTILEVER"):
    ours.add_example(name=example)
    bpy.context.active_object.neural_physics.method = "hierarchical_cloth"
    refused("set Simulated By to Mass-Spring Cloth", ours.bake)
"""
    )


def test_levels_are_searched_for_once_and_again_after_an_edit(in_blender: Callable[..., str]) -> None:
    """Panels ask several times at every redraw."""
    in_blender(
        SCENE
        + """
ours.add_example(name="FOUR_PINS")
sheet = bpy.context.active_object
sheet.neural_physics.method = "hierarchical_cloth"
facts = part("neural_physics.blender.tasks.facts")
levels = part("neural_physics.subdivision.usual_levels")
searches, search = [], levels.usual_hierarchy
levels.usual_hierarchy = lambda *arguments: searches.append(arguments) or search(*arguments)
for _ in range(5):
    assert ours.bake.poll()
assert len(searches) == 1
sheet.data.polygons[0].flip()
facts.forget_facts()
assert not ours.bake.poll()
assert not ours.bake.poll()
assert len(searches) == 2
"""
    )


def test_takes_of_something_else_are_refused_for_training_levels(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
ours.add_example(name="BALL_AND_SHEET")
settings = bpy.context.active_object.neural_physics
settings.take_count, settings.take_frames = 1, 5
assert ours.bake() == {"FINISHED"}
settings.method = "hierarchical_cloth"
about = HERE / "neural_physics" / "scene" / "Sheet" / "dataset" / "dataset.json"
text = about.read_text()
assert '"physics": "cloth"' in text
about.write_text(text.replace('"physics": "cloth"', '"physics": "soft_body"'))
part("neural_physics.datasets.status").forget()
refused("learns from cloth only, but Sheet", ours.train)
"""
    )


def test_contact_corrections_bake_what_they_can_play_or_say_what_to_change(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
ours.add_example(name="JELLY")
jelly = bpy.context.active_object
settings = jelly.neural_physics
settings.simulation.self_contact = True
assert settings.simulation.friction > 0.0
settings.method = "contact_corrections"
assert settings.simulation.friction == 0.0 and settings.simulation.self_contact, "which Play has, too"
facts = part("neural_physics.blender.tasks.facts")
facts.check_object(bpy.context.scene, jelly)
settings.moving_frame = True
refused("switch Moving Frame off", ours.bake)
settings.moving_frame = False

def add_collider(name):
    collider = bpy.context.active_object
    collider.name = name
    collider.modifiers.new("Collision", "COLLISION")
    bpy.context.view_layer.objects.active = jelly
    jelly.neural_physics.interactions.add().object = collider
    facts.forget_facts()
    return collider

bpy.ops.mesh.primitive_uv_sphere_add(radius=0.2, location=(0, 0, 3))
add_collider("Ball")
facts.check_object(bpy.context.scene, jelly)
bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0, 0, 5))
box = add_collider("Box")
refused("differ in shape", ours.bake)
bpy.data.objects.remove(box)
bpy.ops.mesh.primitive_torus_add(location=(0, 0, 5))
ring = add_collider("Ring")
refused("the collider Ring of " + jelly.name, ours.bake)
bpy.data.objects.remove(ring)
jelly.scale = (2.0, 2.0, 2.0)
bpy.context.view_layer.update()
refused("apply its scale", ours.bake)
settings.method = "subspace_physics"
jelly.scale = (1.0, 1.0, 1.0)

for example in ("BALL_AND_SHEET", "CLOTH_SHELL", "HAIR_TUFT"):
    ours.add_example(name=example)
    bpy.context.active_object.neural_physics.method = "contact_corrections"
    refused("set Simulated By to Solid", ours.bake)
"""
    )


def test_the_artist_s_handles_are_passed_to_the_training_in_the_axes_of_the_body(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
from mathutils import Vector
ours.add_example(name="JELLY")
jelly = bpy.context.active_object
tasks = part("neural_physics.blender.tasks.object_tasks")
handles = part("neural_physics.blender.scene.artist_handles")
settings = jelly.neural_physics
settings.method, settings.handle_count = "contact_corrections", 9
jelly.location, jelly.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.2, 0.1)
bpy.context.view_layer.update()

def select(*others):
    bpy.ops.object.select_all(action="DESELECT")
    for other in others:
        other.select_set(True)
    bpy.context.view_layer.objects.active = jelly

def passed():
    words = tasks._train_arguments(jelly)
    pairs = [words[n + 1].rpartition("=") for n, word in enumerate(words) if word == "--handle"]
    return {name: Vector(map(float, place.split(","))) for name, _, place in pairs}

place = Vector((0.1, -0.05, 0.2))
empty = bpy.data.objects.new("Top", None)
bpy.context.scene.collection.objects.link(empty)
empty.location = jelly.matrix_world @ place
bpy.ops.object.armature_add(location=jelly.matrix_world @ -place)
rig = bpy.context.active_object
select(empty, rig)
assert ours.add_handle() == {"FINISHED"} and ours.add_handle() == {"FINISHED"}
names = [item.name for item in settings.handles]
assert sorted(names) == [rig.name + "/Bone", "Top"], "each once"
found = passed()
assert (found["Top"] - place).length < 1e-5 and (found[rig.name + "/Bone"] + place).length < 1e-5
assert not any("handles=9" in word for word in tasks._train_arguments(jelly)), "the list is taken instead"
handles.check_handles(jelly)
bpy.context.view_layer.objects.active = empty
assert ours.add_handle.poll(), "the tab goes on showing the jelly"
select()
ours.add_handle()
try:
    handles.check_handles(jelly)
except Exception as error:
    assert "Line 3 of the Handles list of " + jelly.name in str(error), error
else:
    raise AssertionError("a line without an Empty was not refused")
for _ in range(3):
    assert ours.remove_handle() == {"FINISHED"}
refused("No handles of " + jelly.name + " are chosen", ours.remove_handle)
assert any("handles=9" in word for word in tasks._train_arguments(jelly))
"""
    )


def test_play_shows_what_the_model_that_plays_can_do_whatever_is_chosen_for_training(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
playback = part("neural_physics.blender.playing.playback")
panel = part("panels.play")
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
settings.method = "subspace_physics"
settings.playing = True
for method, shown in (("quasistatic_springs", {"jiggle", "jiggle_group"}), ("subspace_physics", set())):
    panel.status_of = lambda obj: playback.PlayStatus(playing=True, method=method)
    assert {"jiggle", "jiggle_group"} & set(drawn("play", sheet).settings) == shown, method
settings.playing = False

# Handles that an imported model brought are shown, to bind them, whatever the method is.
bpy.context.window_manager.neural_physics_steps.set_up = True
poll = bpy.types.NEURALPHYSICS_PT_handles.poll
assert not poll(bpy.context)
settings.handles.add().name = "Ear"
assert poll(bpy.context)
"""
    )


def test_every_setting_of_a_training_is_passed_and_none_replaces_another(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
from dataclasses import replace
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
tasks = part("neural_physics.blender.tasks.object_tasks")
registry = part("neural_physics.methods.registry")
both = [s for m in registry.SPECIFICATIONS.values() for s in m.training_settings if not s.replaced_by][:2]
method = replace(registry.SPECIFICATIONS["latent_dynamics"], training_settings=tuple(both))
tasks.method_of = lambda obj: method
for setting in both:
    setattr(settings, setting.property, 7)
words = tasks._train_arguments(sheet)
assert [words[i + 1] for i, word in enumerate(words) if word == "--set"] == [f"{s.option}=7" for s in both]
"""
    )


def test_the_offline_error_depends_on_what_forbids_going_online(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
from types import SimpleNamespace
from unittest.mock import patch
from inside_blender import part
environment = part("neural_physics.blender.jobs.training_environment")
for forced, code in ((True, "offline_forced"), (False, "offline")):
    app = SimpleNamespace(online_access=False, online_access_override=forced)
    with patch.object(environment.bpy, "app", app):
        try:
            environment.check_create()
        except environment.Problem as problem:
            assert problem.code == code, problem
        else:
            raise AssertionError("it would go online")
"""
    )

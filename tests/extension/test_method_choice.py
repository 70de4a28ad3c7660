"""Choosing what is learned how: what it sets, and what it refuses before hours are spent on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
import importlib
from pathlib import Path
HERE = Path.cwd()
ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))

def refused(part, operator, **options):
    try:
        operator(**options)
    except RuntimeError as error:
        assert part in str(error), error
    else:
        raise AssertionError("it was not refused")
"""


def test_latent_dynamics_bakes_one_step_a_frame_or_says_what_to_change(
    installed: Callable[..., str],
) -> None:
    installed(
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
    installed: Callable[..., str],
) -> None:
    installed(
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
refused("does not simulate " + sheet.name, ours.train)
"""
    )


def test_latents_are_told_to_the_training_where_they_are_chosen(installed: Callable[..., str]) -> None:
    installed(
        SCENE
        + """
ours.add_example(name="CANTILEVER")
tasks = importlib.import_module(MODULE + ".neural_physics.blender.tasks")
beam = bpy.context.active_object
settings = beam.neural_physics
settings.latent_count = 12
assert "latents=12" not in tasks._train_words(beam), "of another method"
settings.method = "latent_dynamics"
assert "latents=12" in tasks._train_words(beam)
settings.latent_count = 0
assert "--set" not in tasks._train_words(beam)
"""
    )


def test_hierarchical_cloth_wants_cloth_whose_levels_can_be_found(installed: Callable[..., str]) -> None:
    installed(
        SCENE
        + """
import bmesh
ours.add_example(name="FOUR_PINS")
sheet = bpy.context.active_object
settings = sheet.neural_physics
tasks = importlib.import_module(MODULE + ".neural_physics.blender.tasks")
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
    refused("set Simulated By to Spring Cloth", ours.bake)
"""
    )


def test_levels_are_searched_for_once_and_again_after_an_edit(installed: Callable[..., str]) -> None:
    """Panels ask several times at every redraw."""
    installed(
        SCENE
        + """
ours.add_example(name="FOUR_PINS")
sheet = bpy.context.active_object
sheet.neural_physics.method = "hierarchical_cloth"
obstacles = importlib.import_module(MODULE + ".neural_physics.blender.method_obstacles")
searches, search = [], obstacles.usual_hierarchy
obstacles.usual_hierarchy = lambda *arguments: searches.append(arguments) or search(*arguments)
for _ in range(5):
    assert ours.bake.poll()
assert len(searches) == 1
sheet.data.polygons[0].flip()
obstacles.look_again()
assert not ours.bake.poll()
assert not ours.bake.poll()
assert len(searches) == 2
"""
    )


def test_takes_of_something_else_are_refused_for_training_levels(installed: Callable[..., str]) -> None:
    installed(
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
importlib.import_module(MODULE + ".neural_physics.blender.dataset_status").forget()
refused("learns from cloth, and Sheet", ours.train)
"""
    )

"""Test Take: two seconds of what a bake would simulate, beside the object, and nothing of it stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
from inside_blender import add_example, ours, part, refused, saved_scene, shape
saved_scene()
tasks = part("neural_physics.blender.tasks.object_tasks")
paths = part("neural_physics.blender.settings.paths")
takes = part("neural_physics.blender.display.takes")
sheet, scene = add_example(), bpy.context.scene
scene.render.fps = 8  # two seconds are few frames
settings = sheet.neural_physics
"""


@pytest.mark.slow
def test_it_shows_the_beginning_of_the_first_take_and_leaves_nothing_behind(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
assert ours.test_take() == {"FINISHED"}
assert takes.shown_take(sheet) == "test take"
copy = bpy.data.objects["Sheet test take"]
folder = tasks.trial_folder(sheet)
assert folder.is_dir() and "scratch" in folder.parts
assert not paths.dataset_folder(sheet).exists(), "it is in no dataset"
dataset = part("neural_physics.datasets.takes")
fps = scene.render.fps / scene.render.fps_base
assert len(dataset.Dataset.open(folder / "dataset").take("take_000").positions) == round(2 * fps)
tested = [shape(copy, frame) for frame in (1, 5)]
assert tested[0] != tested[1], "it moves"

assert ours.hide_take() == {"FINISHED"}
assert "Sheet test take" not in bpy.data.objects and not folder.exists()

# The bake simulates the same.
settings.take_count, settings.take_frames = 1, round(2 * fps)
assert ours.bake() == {"FINISHED"} and ours.show_take() == {"FINISHED"}
assert [shape(bpy.data.objects["Sheet take_000"], frame) for frame in (1, 5)] == tested

# Another test takes the place of what is shown, and of the one before.
assert ours.test_take() == {"FINISHED"} and ours.test_take() == {"FINISHED"}
assert [o.name for o in bpy.data.objects if "take" in o.name] == ["Sheet test take"]
assert ours.remove() == {"FINISHED"}
assert not folder.exists()
"""
    )


def test_it_goes_with_the_extension(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
assert ours.test_take() == {"FINISHED"}
folder = tasks.trial_folder(sheet)
assert folder.is_dir()
bpy.ops.preferences.addon_disable(module=MODULE)
assert not folder.exists()
"""
    )


def test_a_lone_vertex_group_becomes_pins_by_a_button(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
modifier = next(m for m in sheet.modifiers if m.type == "CLOTH")
group = sheet.vertex_groups[0].name
modifier.settings.vertex_group_mass = ""
assert ours.use_as_pins(group=group) == {"FINISHED"}
assert modifier.settings.vertex_group_mass == group
refused("Nonsense", ours.use_as_pins, group="Nonsense")
"""
    )

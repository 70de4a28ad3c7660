"""Examples from the menu: scenes of their own, that leave what the artist has as it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = [pytest.mark.blender]


def test_an_example_leaves_the_artist_s_scene_alone(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
bpy.ops.wm.read_homefile(use_factory_startup=True)
ours, mine = bpy.ops.neural_physics, bpy.context.scene
def facts():
    return (mine.render.fps, mine.render.resolution_x, mine.frame_end, mine.camera.name, mine.world.name,
            sorted(obj.name for obj in mine.objects),
            bpy.data.objects["Cube"].select_get(view_layer=mine.view_layers[0]))
mine.render.fps = 30
before = facts()
assert ours.add_example(name="FOUR_PINS") == {"FINISHED"}
first = bpy.context.scene
assert first != mine and first.name == "Four Pins" and facts() == before
assert bpy.context.active_object.name == "Sheet" and first.objects["Sheet"].neural_physics.enabled
assert ours.add_example(name="FLAG") == {"FINISHED"}
assert bpy.context.scene.name == "Flag" and not set(first.objects) & set(bpy.context.scene.objects)
assert facts() == before

bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
empty = bpy.context.scene
ours.add_example(name="FLAG")
assert bpy.context.scene == empty and len(bpy.data.scenes) == 1, "an empty scene is used as it is"
"""
    )


def test_every_example_has_a_tooltip_of_its_own(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
import importlib
operators = importlib.import_module(MODULE + ".operators.examples")
class Named:
    def __init__(self, name):
        self.name = name
describe = operators.NEURALPHYSICS_OT_add_example.description
tips = [describe(bpy.context, Named(name)) for name, *_ in operators.ITEMS]
assert len(set(tips)) == len(tips) == 31, len(tips)
"""
    )

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


def test_rigify_makes_a_rig_elsewhere_and_where_it_is_missing_one_sentence_says_so(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        """
import importlib
from pathlib import Path
bpy.ops.wm.read_homefile(use_factory_startup=True)
ours, mine = bpy.ops.neural_physics, bpy.context.scene
making = importlib.import_module(MODULE + ".neural_physics.blender.examples.rigify.generating")
def facts():
    cube = bpy.data.objects["Cube"]
    return (sorted(bpy.context.preferences.addons.keys()), [scene.name for scene in bpy.data.scenes],
            sorted(obj.name for obj in mine.objects), cube.select_get(view_layer=mine.view_layers[0]))
before, worker = facts(), making.WORKER
making.WORKER = Path("without_rigify.py").absolute()
making.WORKER.write_text(f'''import runpy
import bpy
import addon_utils
addon_utils.enable = lambda *names, **options: None
runpy.run_path({str(worker)!r}, run_name="__main__")
''')
try:
    ours.add_example(name="RIGIFY_HUMAN")
except RuntimeError as error:
    assert "This Blender has no Rigify" in str(error), error
else:
    raise AssertionError("not refused")
assert facts() == before and not bpy.data.armatures
making.WORKER = worker
assert ours.add_example(name="RIGIFY_HUMAN") == {"FINISHED"}
added = bpy.context.scene
assert added != mine and added.name == "Rigify Human" and bpy.context.active_object.name == "Skirt"
addons, scenes, objects, selected = facts()
assert (addons, objects, selected) == (before[0], before[2], before[3]) and len(scenes) == 2
assert not bpy.data.texts and not bpy.data.libraries
"""
    )

"""Subdivide Cloth by its button, in a Blender with the zip installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

SCENE = f"""
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests" / "bake")!r}]
import scenes
from inside_blender import ours, refused

bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
sheet = scenes.add_cloth(points=6)
bpy.context.view_layer.objects.active = sheet
sheet.neural_physics.enabled = True
"""
OFFERED = """
from drawn_panels import drawn

def offered():
    return "neural_physics.subdivide_cloth" in drawn("set_up", bpy.data.objects["Sheet"]).operators
"""


def test_the_button_is_there_while_levels_are_missing_and_can_be_undone(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + OFFERED
        + """
assert not offered()
sheet.neural_physics.method = "hierarchical_cloth"
assert offered()
bpy.ops.ed.undo_push(message="before")
assert ours.subdivide_cloth() == {"FINISHED"}
assert len(sheet.data.vertices) == 21 ** 2 and not offered()
bpy.ops.ed.undo_push(message="subdivided")
bpy.ops.ed.undo()
assert len(bpy.data.objects["Sheet"].data.vertices) == 36 and offered()
assert ours.subdivide_cloth(levels=1) == {"FINISHED"}
assert len(bpy.data.objects["Sheet"].data.vertices) == 11 ** 2
"""
    )


def test_what_cannot_be_subdivided_is_refused_with_a_reason(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
refused("choose fewer levels", ours.subdivide_cloth, levels=8)
sheet.neural_physics.playing = True
assert not ours.subdivide_cloth.poll()
refused("click Stop", ours.subdivide_cloth)
bpy.context.view_layer.objects.active = scenes.add_empty("Nothing")
assert not ours.subdivide_cloth.poll()
"""
    )

"""Subdivide Cloth by its button, in a Blender with the zip installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

SCENE = f"""
import importlib
from types import SimpleNamespace
from unittest.mock import MagicMock
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests" / "bake")!r}]
import scenes

ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
sheet = scenes.add_cloth(points=6)
bpy.context.view_layer.objects.active = sheet
sheet.neural_physics.enabled = True
"""
DRAWN = """
panels, support = (importlib.import_module(MODULE + "." + name) for name in ("panels", "panels.support"))

class Context:
    region = SimpleNamespace(width=4000)
    preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))  # 0 without a window
    def __getattr__(self, name):
        return getattr(bpy.context, name)

def offered():
    layout = MagicMock()
    panel = SimpleNamespace(layout=layout)
    panels.set_up.NEURALPHYSICS_PT_set_up.draw_for(panel, layout, Context(), bpy.data.objects["Sheet"])
    return "neural_physics.subdivide_cloth" in str(layout.mock_calls)
"""


def test_the_button_is_there_while_levels_are_missing_and_can_be_undone(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + DRAWN
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
def refused(part, **options):
    try:
        ours.subdivide_cloth(**options)
    except RuntimeError as error:
        assert part in str(error), error
    else:
        raise AssertionError("it was not refused")

refused("choose fewer levels", levels=8)
sheet.neural_physics.playing = True
assert not ours.subdivide_cloth.poll()
refused("click Stop")
bpy.context.view_layer.objects.active = scenes.add_empty("Nothing")
assert not ours.subdivide_cloth.poll()
"""
    )

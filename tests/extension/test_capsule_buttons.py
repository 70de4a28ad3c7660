"""Capsules by their buttons and their panel, in a Blender with the zip installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

SCENE = f"""
import contextlib, io
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests" / "bake")!r}, {str(ROOT / "tests" / "capsules")!r}]
import bodies, scenes
from inside_blender import ours, part, refused

HERE = Path.cwd()

def select(*objects):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]

def reported(operator):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert operator() == {{"FINISHED"}}
    return out.getvalue()

bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
sheet = scenes.add_cloth()
settings = sheet.neural_physics
settings.enabled = True
limb, rig = bodies.add_limb()
ball = scenes.add_ball()
"""
DRAWN = """
from drawn_panels import Drawn, Layout, Window, stand_in

def drawn():
    capsules, layout = part("panels.capsules"), Layout([])
    bpy.context.window_manager.neural_physics_steps.play = True
    assert capsules.NEURALPHYSICS_PT_capsules.poll(bpy.context)
    panel = stand_in(capsules.NEURALPHYSICS_PT_capsules, layout)
    panel.draw_header(Window())
    panel.draw(Window())
    rows = stand_in(capsules.NEURALPHYSICS_UL_capsules, layout)
    for item in settings.capsules:
        rows.draw_item(Window(), layout, settings, item, 0, settings, "active_capsule")
    found = Drawn(layout.calls)
    return list(found.icons), set(found.settings)
"""


def test_capsules_are_fitted_to_what_is_selected_or_else_to_what_is_around(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
select(sheet, rig)
said = reported(ours.fit_capsules)
assert "Sheet has 2 capsules fitted to Rig" in said, said
assert settings.capsules.keys() == ["lower", "upper"]
select(sheet)
said = reported(ours.fit_capsules)
assert "Sheet has 3 capsules fitted to Rig, Ball" in said, said
assert settings.capsules.keys() == ["lower", "upper", "Ball"]
pin = scenes.add_empty("Pin")
select(sheet, pin)
assert "Rig, Ball" in reported(ours.fit_capsules), "an Empty has no shape to fit to"
ours.clear_capsules()
bpy.data.objects.remove(limb)
bpy.data.objects.remove(ball)
refused("nothing around Sheet", ours.fit_capsules)
assert not settings.capsules
"""
    )


def test_capsules_are_added_where_the_artist_is_and_taken_away(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
select(sheet, ball)
assert ours.add_capsule() == {"FINISHED"}
assert settings.capsules.keys() == ["Ball"] and settings.capsules[0].source == ball
scenes.react_to(sheet, rig, "KEEP")
select(rig)
bpy.ops.object.mode_set(mode="POSE")
rig.data.bones.active = rig.data.bones["upper"]
bpy.ops.pose.select_all(action="DESELECT")
assert ours.add_capsule() == {"FINISHED"}
bpy.ops.object.mode_set(mode="OBJECT")
assert (settings.capsules[1].source, settings.capsules[1].bone) == (rig, "upper")
select(sheet)
bpy.context.scene.cursor.location = (1.0, 2.0, 3.0)
assert ours.add_capsule() == {"FINISHED"}
assert settings.capsules[2].source.location[:] == (1.0, 2.0, 3.0)
assert settings.active_capsule == 2
for left in (2, 1, 0):
    assert ours.remove_capsule() == {"FINISHED"}
    assert len(settings.capsules) == left and settings.active_capsule == max(0, left - 1)
refused("Sheet has no capsules", ours.remove_capsule)
refused("Sheet has no capsules", ours.clear_capsules)
select(sheet)
ours.fit_capsules()
assert ours.clear_capsules() == {"FINISHED"} and not settings.capsules
ours.fit_capsules()
assert ours.remove() == {"FINISHED"} and not settings.capsules
refused("has not been set up", ours.fit_capsules)
refused("has not been set up", ours.add_capsule)
"""
    )


def test_each_button_is_undone(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
def names():
    return bpy.data.objects["Sheet"].neural_physics.capsules.keys()

select(sheet)
bpy.ops.ed.undo_push(message="before")
ours.fit_capsules()
bpy.ops.ed.undo_push(message="fitted")
for change in (ours.remove_capsule, ours.clear_capsules, ours.add_capsule):
    change()
    assert len(names()) != 3
    bpy.ops.ed.undo_push(message="changed")
    bpy.ops.ed.undo()
    assert names() == ["lower", "upper", "Ball"], (change, names())
    assert "Capsule" not in bpy.data.objects
bpy.ops.ed.undo()
assert names() == []
assert all("UNDO" in getattr(part("operators.capsules"), "NEURALPHYSICS_OT_" + name).bl_options
           for name in ("fit_capsules", "add_capsule", "remove_capsule", "clear_capsules"))
"""
    )


def test_a_linked_or_overridden_object_is_refused(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
select(sheet)
ours.fit_capsules()
bpy.data.libraries.write(str(HERE / "sheet.blend"), {sheet, rig, ball})
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
with bpy.data.libraries.load(str(HERE / "sheet.blend"), link=True) as (_, here):
    here.objects = ["Sheet"]
linked = here.objects[0]
bpy.context.scene.collection.objects.link(linked)
for obj, reason in ((linked, "linked from another file"), (linked.override_create(), "library override")):
    if obj.name not in bpy.context.scene.collection.objects or obj.library is None:
        bpy.context.scene.collection.objects.link(obj)
    select(obj)
    for operator in (ours.fit_capsules, ours.add_capsule, ours.remove_capsule, ours.clear_capsules):
        refused(reason, operator)
    assert len(obj.neural_physics.capsules) == 3
"""
    )


def test_the_settings_of_a_capsule_are_set_by_hand_and_pushing_follows(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
sampling = part("neural_physics.blender.scene.capsule_sampling")
select(sheet, rig)
ours.add_capsule()
item = settings.capsules[0]
item.source, item.bone = rig, "lower"
item.start, item.end, item.start_radius, item.end_radius = (0, 0.25, 0), (0, 0.75, 0), 0.3, 0.2
bpy.context.view_layer.update()

def placed():
    return sampling.CapsuleSampler(sheet).sample(bpy.context.evaluated_depsgraph_get())

capsules, limit = placed()
assert abs(limit - 0.05) < 1e-6
assert abs(capsules.starts[0][2] - 0.25) < 1e-6 and abs(capsules.lengths[0] - 0.5) < 1e-6
assert abs(capsules.radii[0] - 0.3) < 1e-6
settings.projection.depth_limit = 0.5
assert placed()[1] == 0.5
item.enabled = False
assert len(placed()[0]) == 0
item.enabled, settings.projection.enabled = True, False
assert len(placed()[0]) == 0
settings.projection.enabled = True
item.start_radius = -1.0
assert item.start_radius == 0.0
settings.projection.share = 0.5
select(sheet)
ours.fit_capsules()
tight = settings.capsules[0].start_radius
settings.projection.share = 0.95
ours.fit_capsules()
assert settings.capsules[0].start_radius > tight
"""
    )


def test_the_panel_draws_with_capsules_without_and_with_one_that_lost_its_bone(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + DRAWN
        + """
select(sheet)
texts, shown = drawn()
assert any("Sheet has no capsules: fit them" in text for text in texts), texts
assert {"enabled", "depth_limit", "share", "show"} <= shown and "start_radius" not in shown, shown
ours.fit_capsules()
settings.active_capsule = 1
texts, shown = drawn()
assert not any("has no capsules" in text for text in texts), texts
assert {"source", "bone", "start", "end", "start_radius", "end_radius", "name"} <= shown, shown
assert "Nothing" not in texts, texts
settings.active_capsule = 2
assert "bone" not in drawn()[1], "a ball has no bones"
settings.active_capsule = 1
rig.data.bones["upper"].name = "forearm"
assert any("capsule upper of Sheet has lost the object or bone" in text for text in drawn()[0])
bpy.data.objects.remove(rig)
texts, shown = drawn()
assert any("capsule upper of Sheet has lost the object or bone" in text for text in texts)
assert "bone" not in shown and "Nothing" in texts, (texts, shown)
settings.active_capsule = 9
drawn()
assert ours.remove_capsule() == {"FINISHED"}
panel = part("panels.capsules").NEURALPHYSICS_PT_capsules
settings.enabled = False
assert not panel.poll(bpy.context)
"""
    )


def test_capsules_are_fitted_by_a_command_and_saved(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
main = part("neural_physics.blender.commands").main
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))

def run(*words):
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        status = main(words)
    return status, out.getvalue() + error.getvalue()

def kept():
    bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))
    return bpy.data.objects["Sheet"].neural_physics.capsules.keys()

status, said = run("fit_capsules", "--to", "Limb")
assert status == 0 and "Sheet has 2 capsules fitted to Rig" in said, said
assert kept() == ["lower", "upper"]
status, said = run("fit_capsules")
assert status == 0 and "fitted to Rig, Ball" in said, said
assert kept() == ["lower", "upper", "Ball"]
status, said = run("fit_capsules", "--to", "Nobody")
assert status == 1 and "no object “Nobody”" in said, said
status, said = run("fit_capsules", "--object", "Limb")
assert status == 1 and "has not been set up" in said, said
assert kept() == ["lower", "upper", "Ball"]
"""
    )

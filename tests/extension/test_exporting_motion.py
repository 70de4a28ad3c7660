"""The buttons and the command that write Alembic and USD, in the installed extension."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

SCENE = f"""
import importlib
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}, {str(ROOT / "tests" / "play")!r}]
from inside_blender import ours
import numpy as np

HERE = Path.cwd()
commands = importlib.import_module(MODULE + ".neural_physics.blender.commands")
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
assert ours.try_it(name="BALL_AND_SHEET") == {{"FINISHED"}}
scene = bpy.context.scene
sheet = next(obj for obj in scene.objects if obj.neural_physics.playing)
bpy.context.view_layer.objects.active = sheet
scene.frame_start, scene.frame_end = 1, 12
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))

def shown(obj, frame, subframe=0.0):
    bpy.context.scene.frame_set(frame, subframe=subframe)
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = np.empty((len(mesh.data.vertices), 3), np.float32)
    mesh.data.vertices.foreach_get("co", places.reshape(-1))
    world = np.array(mesh.matrix_world)
    return places @ world[:3, :3].T + world[:3, 3]

played = [shown(sheet, frame) for frame in range(1, 13)]

def same(obj):
    for frame, places in enumerate(played, 1):
        assert np.abs(shown(obj, frame) - places).max() < 1e-5, frame
"""


@pytest.mark.parametrize("suffix", ["abc", "usdc"])
def test_baked_playback_is_shown_and_stopped(in_blender: Callable[..., str], suffix: str) -> None:
    in_blender(
        SCENE
        + f"""
assert ours.bake_playback(filepath="//cache.{suffix}") == {{"FINISHED"}}
assert not sheet.neural_physics.playing
same(sheet)
assert ours.stop_playing() == {{"FINISHED"}}
assert not bpy.data.cache_files, [(file.name, file.users) for file in bpy.data.cache_files]
assert sheet.modifiers["Cloth"].show_viewport, [(each.name, each.show_viewport) for each in sheet.modifiers]
"""
    )


def test_exported_motion_is_a_file_beside_what_plays_on(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
assert ours.export_motion(filepath="//motion.usdc", samples=2, all_objects=True) == {"FINISHED"}
assert sheet.neural_physics.playing and not bpy.data.cache_files
same(sheet)
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.usd_import(filepath=str(HERE / "motion.usdc"))
there, = (obj for obj in bpy.data.objects if obj.type == "MESH")
played = [played[0]]
assert np.abs(shown(there, 2) - played[0]).max() < 1e-5
"""
    )


def test_the_command_plays_and_writes_and_leaves_the_scene_as_it_is(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
assert ours.stop_playing() == {"FINISHED"}
bpy.ops.wm.save_mainfile()
before = (HERE / "scene.blend").read_bytes()
words = ["export", str(HERE / "motion.abc"), "--first", "1", "--last", "12", "--samples", "2"]
import contextlib, io
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    assert commands.main([*words, "--object", sheet.name]) == 0
lines = printed.getvalue().splitlines()
assert any(line.lstrip().startswith("50% Writing motion.abc") for line in lines), lines
assert "other programs need no setting" in lines[-1], lines
assert (HERE / "scene.blend").read_bytes() == before
assert commands.main(["export", str(HERE / "motion.obj")]) == 1
assert commands.main(["export", str(HERE / "motion.abc"), "--samples", "99"]) == 2
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.alembic_import(filepath=str(HERE / "motion.abc"), as_background_job=False)
there, = (obj for obj in bpy.data.objects if obj.type == "MESH")
same(there)
"""
    )


def test_a_texture_is_exported_by_the_button_and_by_the_command(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import json
assert ours.export_motion(filepath="//sheet_vat.png", overlap=4, show=True) == {"FINISHED"}
assert sheet.neural_physics.playing
names = ["sheet_vat.fbx", "sheet_vat.glb", "sheet_vat.json", "sheet_vat.png"]
assert sorted(each.name for each in HERE.glob("sheet_vat*")) == names
data = json.loads((HERE / "sheet_vat.json").read_text())
assert data["os-remap"]["Frames"] == 12 and data["animations"]["Sheet"]["looping"]
there = bpy.data.objects["sheet_vat"]
aside = np.array(there.location) - data["neural_physics"]["origin"]
off = [np.abs(shown(there, frame) - aside - played[frame - 1]).max() for frame in range(5, 13)]
assert max(off) <= data["neural_physics"]["error"] + 1e-6, (off, data)
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "shown.blend"))
bpy.ops.wm.open_mainfile(filepath=str(HERE / "shown.blend"))
assert np.abs(shown(bpy.data.objects["sheet_vat"], 9) - aside - played[8]).max() < 1e-4

bpy.ops.wm.open_mainfile(filepath=str(HERE / "scene.blend"))
words = ["export", str(HERE / "again_vat.exr"), "--first", "1", "--last", "12", "--overlap", "4"]
assert commands.main([*words, "--object", "Sheet"]) == 0
again = json.loads((HERE / "again_vat.json").read_text())
assert again["os-remap"] == data["os-remap"], (again, data)
assert commands.main([*words, "--overlap", "-1"]) == 2
assert commands.main([*words, "--overlap", "13"]) == 1
"""
    )

"""The bundled solver by real clicks: a solid is set up, baked from the panel, and its take shown."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest
from blender_window import OUT, REGION, Window

from neural_physics.datasets.takes import Dataset

pytestmark = [pytest.mark.window, pytest.mark.slow]

FRAMES = 60
JELLY = "jelly = bpy.data.objects['Jelly']; settings = jelly.neural_physics\n"
STATE = (
    JELLY
    + """
from bl_ext.user_default.neural_physics.neural_physics.blender.jobs import host
from bl_ext.user_default.neural_physics.neural_physics.blender.settings import paths
state = host.state_of(paths.jobs_folder(jelly), "bake")
result = state.phase, state.share, state.message
"""
)
IN_VIEW = REGION + "with bpy.context.temp_override(window=window, area=area):\n    "


def state(window: Window) -> Any:
    return window.ask(STATE)


def test_a_solid_is_baked_from_the_panel_and_shown(window: Window) -> None:
    folder = OUT / "solid"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    window.ask(
        IN_VIEW
        + "bpy.ops.wm.read_homefile(use_empty=True)\n"
        + f"bpy.ops.wm.save_as_mainfile(filepath={str(folder / 'jelly.blend')!r})"
    )
    window.open_tab()
    window.ask(IN_VIEW + "bpy.ops.mesh.primitive_uv_sphere_add(location=(3, 0, 0))")
    window.shot("solid_1_not_set_up")
    window.press("neural_physics.set_up_solver", across=0.2)
    assert window.ask("result = bpy.context.object.neural_physics.simulation.kind") == "SOLID"

    window.ask(
        "bpy.data.objects.remove(bpy.context.object)\n"
        + IN_VIEW
        + "bpy.ops.neural_physics.add_example(name='JELLY')\n"
        + "area.spaces.active.region_3d.view_perspective = 'CAMERA'\n"
        + JELLY
        + f"settings.take_count, settings.take_frames = 2, {FRAMES}\n"
        + "settings.simulation.tetrahedra = 800"
    )
    window.shot("solid_2_set_up")
    window.press("neural_physics.bake")
    window.wait(lambda: state(window)[1] > 0.4 or state(window)[0] != "running", 300)
    window.shot("solid_3_bake")
    window.wait(lambda: state(window)[0] != "running", 600)
    assert state(window)[0] == "finished", state(window)

    window.open_step("bake")
    window.press("neural_physics.show_take")
    window.ask("bpy.context.scene.frame_set(31)")
    shown = window.ask(
        """
depsgraph = bpy.context.evaluated_depsgraph_get()
copy = bpy.data.collections["Take of Jelly"].objects[0]
caches = [m.type for m in copy.modifiers]
mesh = copy.evaluated_get(depsgraph).data
result = caches, [list(v.co) for v in mesh.vertices]
"""
    )
    assert shown[0] == ["MESH_CACHE"]
    dataset = Dataset.open(next(folder.rglob("dataset.json")).parent)
    take = dataset.take("take_000")
    assert len(take.positions) == FRAMES and take.usable_frames == FRAMES
    np.testing.assert_allclose(shown[1], take.positions[30], atol=1e-6)
    assert np.abs(take.positions[30] - dataset.mesh.rest_positions).max() > 0.01, "it wobbles"
    window.shot("solid_4_take")


def test_an_open_mesh_is_reported_and_its_hole_shown(window: Window) -> None:
    folder = OUT / "open"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    window.ask(
        IN_VIEW
        + "bpy.ops.wm.read_homefile(use_empty=True)\n"
        + f"bpy.ops.wm.save_as_mainfile(filepath={str(folder / 'open.blend')!r})"
    )
    window.open_tab()
    window.ask(
        IN_VIEW
        + """bpy.ops.mesh.primitive_ico_sphere_add(location=(0, -2, 0), radius=0.3)
    bpy.context.object.modifiers.new("Collision", "COLLISION")
    bpy.ops.mesh.primitive_cube_add()
import bmesh
cube = bpy.context.object
cube.name = "Jelly"
shape = bmesh.new()
shape.from_mesh(cube.data)
bmesh.ops.delete(shape, geom=[max(shape.faces, key=lambda face: face.normal.z)], context="FACES_ONLY")
shape.to_mesh(cube.data)
"""
    )
    window.press("neural_physics.set_up_solver", across=0.2)
    window.ask(JELLY + "settings.take_count, settings.take_frames = 1, 10")
    window.press("neural_physics.bake")
    window.wait(lambda: state(window)[0] not in ("idle", "running"), 300)
    assert state(window)[0] == "failed" and "open" in state(window)[2], state(window)
    window.press("neural_physics.show_places")
    selected = window.ask(
        """
import bmesh
shape = bmesh.from_edit_mesh(bpy.context.object.data)
result = bpy.context.mode, [[list(v.co) for v in e.verts] for e in shape.edges if e.select]
"""
    )
    assert selected[0] == "EDIT_MESH" and len(selected[1]) == 4
    assert {tuple(place)[2] for edge in selected[1] for place in edge} == {1.0}, "the rim of the missing top"
    window.shot("solid_5_where_it_is_open")
    window.ask(IN_VIEW + "bpy.ops.object.mode_set(mode='OBJECT')")

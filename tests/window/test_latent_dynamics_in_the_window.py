"""Latent dynamics in the window: a pinned cloth is baked by the bundled solver, trained, and played."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest
from blender_window import OUT, REGION, Window
from lengths import AT_FULL_LENGTH

pytestmark = [pytest.mark.window, pytest.mark.slow, AT_FULL_LENGTH]

CLOTH = "cloth = bpy.data.objects['Cloth']; settings = cloth.neural_physics\n"
STATE = (
    CLOTH
    + """
from bl_ext.user_default.neural_physics.neural_physics.blender.jobs import host
from bl_ext.user_default.neural_physics.neural_physics.blender.settings import paths
state = host.state_of(paths.jobs_folder(cloth), {kind!r})
result = state.phase, state.share, state.message, len(state.history)
"""
)
SHAPES = (
    CLOTH
    + """
depsgraph = bpy.context.evaluated_depsgraph_get()
shape = cloth.evaluated_get(depsgraph)
bar = bpy.data.objects["Bar"].evaluated_get(depsgraph).matrix_world
result = (
    [list(shape.matrix_world @ v.co) for v in shape.data.vertices],
    [list(v.co) for v in cloth.data.vertices],
    [list(row) for row in bar],
)
"""
)


def state(window: Window, kind: str) -> Any:
    return window.ask(STATE.format(kind=kind))


def finish(window: Window, kind: str) -> None:
    window.wait(lambda: state(window, kind)[0] != "running", 900)
    assert state(window, kind)[0] == "finished", state(window, kind)


def test_a_pinned_cloth_is_learned_from_its_energies(window: Window) -> None:
    folder = OUT / "latent"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    in_view = REGION + "with bpy.context.temp_override(window=window, area=area):\n    "
    window.ask(
        in_view
        + "bpy.ops.wm.read_homefile(use_empty=True)\n"
        + f"bpy.ops.wm.save_as_mainfile(filepath={str(folder / 'cloth.blend')!r})"
    )
    window.open_tab()
    window.ask(
        in_view
        + "bpy.ops.neural_physics.add_example(name='PINNED_CLOTH')\n"
        + "area.spaces.active.region_3d.view_perspective = 'CAMERA'\n"
        + CLOTH
        + "settings.take_count, settings.take_frames = 2, 120\n"
        + "settings.preset, settings.basis_count = 'preview', 32"
    )
    assert window.ask(CLOTH + "result = settings.method") == "latent_dynamics"
    window.call("neural_physics.bake")
    finish(window, "bake")
    window.train_quickly("coder_steps=500", "imagined=150", "steps=700", "validate_every=50")
    window.call("neural_physics.train")
    window.wait(lambda: state(window, "train")[3] > 8 or state(window, "train")[0] != "running", 300)
    window.shot("latent_1_train")
    finish(window, "train")
    window.wait(lambda: window.ask(CLOTH + "result = settings.model is not None"), 20)
    window.call("neural_physics.play")
    window.pause()
    window.ask("bpy.context.scene.frame_set(1)")
    assert window.ask(CLOTH + "result = settings.playing")

    rest, bar = (np.array(each) for each in window.ask(SHAPES)[1:])
    hung = rest @ np.linalg.inv(bar)[:3, :3].T + np.linalg.inv(bar)[:3, 3]  # as the bar sees it
    corners = np.argsort(-hung[:, 2] - np.abs(hung[:, 0]))[:2]
    for frame in range(2, 46):
        window.ask(f"bpy.context.scene.frame_set({frame})")
    shown, _, bar = (np.array(each) for each in window.ask(SHAPES))
    held = hung @ bar[:3, :3].T + bar[:3, 3]
    assert shown[corners] == pytest.approx(held[corners], abs=1e-4), "the bar holds two corners"
    assert np.abs(shown - held).max() > 0.02, "it does not just go along"
    reach = np.linalg.norm(rest[:, None] - rest[corners], axis=2)
    assert (np.linalg.norm(shown[:, None] - shown[corners], axis=2) < 1.15 * reach + 0.02).all()
    window.shot("latent_2_play")

"""Subspace physics is trained and evaluated in Blender's own Python, with nothing installed beside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = [pytest.mark.blender]

WAY = """
import importlib
from pathlib import Path
HERE = Path.cwd()
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))
ours = bpy.ops.neural_physics
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
settings.take_count, settings.take_frames = 3, 60
settings.preset, settings.basis_count = "preview", 8
environment = importlib.import_module(MODULE + ".neural_physics.blender.jobs.training_environment")
tasks = importlib.import_module(MODULE + ".neural_physics.blender.tasks.object_tasks")
environment._brings_torch = lambda: False  # as in every Blender but that of the tests
assert environment.python_path() is None
"""


def test_subspace_physics_is_trained_evaluated_and_played(in_blender: Callable[..., str]) -> None:
    in_blender(
        WAY
        + """
assert ours.bake() == {"FINISHED"}
assert ours.train.poll() and ours.train() == {"FINISHED"}
assert settings.model is not None, "a trained model is packed"
assert ours.evaluate.poll() and ours.evaluate() == {"FINISHED"}
page = (HERE / "neural_physics" / "scene" / "Sheet" / "report.html").read_text(encoding="utf-8")
assert "<polyline" in page and "data:image/png" in page
assert ours.play() == {"FINISHED"}
bpy.context.scene.frame_set(20)
shown = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices
assert max((a.co - b.co).length for a, b in zip(shown, sheet.data.vertices)) > 1e-3
"""
    )


def test_methods_that_need_more_ask_for_a_python_of_their_own(in_blender: Callable[..., str]) -> None:
    in_blender(
        WAY
        + """
asked = []
for name in ("subspace_physics", "linear_dynamics", "latent_dynamics", "quasistatic_springs"):
    settings.method = name
    try:
        tasks.require_trainer(sheet)
    except Exception as problem:
        asked.append((name, problem.code))
assert asked == [(name, "training_python_unset") for name in ("latent_dynamics", "quasistatic_springs")]
"""
    )

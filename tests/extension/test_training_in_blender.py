"""Subspace physics is trained and evaluated in Blender's own Python, with nothing installed beside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = [pytest.mark.blender]

WAY = """
from inside_blender import add_example, ours, part, saved_scene
HERE = saved_scene()
sheet = add_example(take_count=3, take_frames=60, preset="preview", basis_count=8)
settings = sheet.neural_physics
environment = part("neural_physics.blender.jobs.training_environment")
tasks = part("neural_physics.blender.tasks.object_tasks")
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

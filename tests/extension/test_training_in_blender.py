"""Which methods train in Blender's own Python: `test_make_it_play` trains and evaluates one of them so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = [pytest.mark.blender]

WAY = """
from inside_blender import add_example, ours, part, saved_scene
saved_scene()
sheet = add_example(take_count=3, take_frames=60)
settings = sheet.neural_physics
environment = part("neural_physics.blender.jobs.training_environment")
tasks = part("neural_physics.blender.tasks.object_tasks")
environment._brings_torch = lambda: False  # as in every Blender but that of the tests
assert environment.python_path() is None
"""


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

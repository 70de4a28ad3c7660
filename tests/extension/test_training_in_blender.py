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
needing = "latent_dynamics", "quasistatic_springs"
assert asked == [(name, "training_python_or_method") for name in needing]
"""
    )


def test_another_method_is_only_advised_where_it_needs_no_python_and_a_button_leads_to_one(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        WAY
        + """
from drawn_panels import Layout, Window, drawn, stand_in, Drawn
advice = "or train Subspace Physics, which needs none"
settings.method = "latent_dynamics"

def lacking():
    try:
        tasks.require_trainer(sheet)
    except Exception as problem:
        return problem.message

assert lacking().startswith("Training Latent Dynamics needs a Python") and advice in lacking()
settings.simulation.kind = "SHELL"
assert lacking().startswith("This needs a Python with PyTorch") and advice not in lacking()
panel = drawn("bake", sheet)
assert "needs a Python with PyTorch" in panel.words and advice not in panel.words, panel.words
assert ("preferences.addon_show", "Open Preferences") in panel.buttons

layout = Layout([])
kind = part("panels.preferences").NEURALPHYSICS_AP_preferences
stand_in(kind, layout).draw(Window())
said = Drawn(layout.calls).words
assert "choose one above, or create one below" in said and "Preferences > Add-ons" not in said, said
"""
    )

"""Choosing what is learned how: what it sets, and what it refuses before hours are spent on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
import importlib
from pathlib import Path
HERE = Path.cwd()
ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))

def refused(part, operator, **options):
    try:
        operator(**options)
    except RuntimeError as error:
        assert part in str(error), error
    else:
        raise AssertionError("it was not refused")
"""


def test_latent_dynamics_bakes_one_step_a_frame_or_says_what_to_change(
    installed: Callable[..., str],
) -> None:
    installed(
        SCENE
        + """
ours.add_example(name="JELLY")
settings = bpy.context.active_object.neural_physics
assert settings.simulation.steps == 2
settings.method = "latent_dynamics"
assert settings.simulation.steps == 1
settings.simulation.steps = 4
refused("set its Steps per Frame to 1", ours.bake)
settings.method = "subspace_physics"
assert settings.simulation.steps == 4, "what was chosen stays"
"""
    )


def test_latent_dynamics_of_blender_s_cloth_is_refused_with_the_button_to_press(
    installed: Callable[..., str],
) -> None:
    installed(
        SCENE
        + """
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
settings.method = "latent_dynamics"
refused("set Simulated By to Solid, Shell or Rods and click Bake", ours.bake)
settings.method = "subspace_physics"
settings.take_count, settings.take_frames = 1, 5
assert ours.bake() == {"FINISHED"}
settings.method = "latent_dynamics"
refused("set Simulated By to Solid, Shell or Rods and click Bake", ours.train)
settings.simulation.kind = "SHELL"
refused("does not simulate " + sheet.name, ours.train)
"""
    )


def test_latents_are_told_to_the_training_where_they_are_chosen(installed: Callable[..., str]) -> None:
    installed(
        SCENE
        + """
ours.add_example(name="CANTILEVER")
tasks = importlib.import_module(MODULE + ".neural_physics.blender.tasks")
beam = bpy.context.active_object
settings = beam.neural_physics
settings.latent_count = 12
assert "latents=12" not in tasks._train_words(beam), "of another method"
settings.method = "latent_dynamics"
assert "latents=12" in tasks._train_words(beam)
settings.latent_count = 0
assert "--set" not in tasks._train_words(beam)
"""
    )

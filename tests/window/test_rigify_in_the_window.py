"""Rigify's human in the window: its skirt and its own flesh are baked, trained and played."""

from __future__ import annotations

import numpy as np
import pytest
from blender_window import ROOT, Window
from three_buttons import Example

pytestmark = [pytest.mark.window, pytest.mark.slow]

FRAMES = range(1, 41)
CHARACTER = f"""import sys
sys.path.insert(0, {str(ROOT / "tests")!r})
import rigify_character
rig, body = rigify_character.add_character()
dances = rigify_character.add_dances(rig, 4, 80)
def choose(obj):
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
"""
SKIRT = (
    CHARACTER
    + """body.modifiers.new("Collision", "COLLISION")
choose(rigify_character.add_skirt(rig))
bpy.ops.neural_physics.set_up()
"""
)
FLESH = (
    CHARACTER
    + """choose(body)
bpy.ops.neural_physics.set_up_solver(kind="SOLID", method="quasistatic_springs")
"""
)
DANCE = 'rig = bpy.data.objects["rig"]\nrig.animation_data.action = bpy.data.actions["dance0"]\n'


def shapes(figure: Example) -> np.ndarray:
    return np.array([figure.shown(frame) for frame in FRAMES])


def distances(ones: np.ndarray, others: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.sum((ones - others) ** 2, axis=2))))


def test_a_skirt_of_rigifys_human(window: Window) -> None:
    quick = 'settings.take_count, settings.take_frames, settings.preset = 4, 150, "preview"'
    figure = Example(window, "RIGIFY_SKIRT", "Skirt", quick, SKIRT)
    assert figure.ask('result = settings.interactions["rig"].motion') == "ACTIONS"
    figure.bake_and_train("steps=600")
    figure.ask(DANCE)
    figure.play()
    played = shapes(figure)
    window.shot("rigify_1_skirt")
    assert np.array_equal(figure.shown(17), played[16]), "scrubbed as played"
    figure.shown(1)  # from where Blender simulates cloth that has no cache
    window.call("neural_physics.stop_playing")
    cloth = shapes(figure)
    still = np.broadcast_to(cloth[10:].mean(axis=0), cloth[10:].shape)
    assert distances(played[10:], cloth[10:]) < 0.5 * distances(still, cloth[10:])


def test_the_flesh_of_rigifys_human(window: Window) -> None:
    quick = """
settings.simulation.tetrahedra, settings.simulation.steps = 2000, 1
settings.take_count, settings.take_frames, settings.pose_count = 2, 80, 20
settings.preset = "preview"
"""
    figure = Example(window, "RIGIFY_FLESH", "Body", quick, FLESH)
    figure.bake_and_train("frames=60", "generations=1", "poses=60", "steps=200")
    figure.ask(DANCE)
    figure.play()
    played = shapes(figure)
    window.shot("rigify_2_flesh")
    assert np.array_equal(figure.shown(17), played[16]), "scrubbed as played"
    window.call("neural_physics.stop_playing")
    skinned = shapes(figure)
    assert 0.0005 < distances(played, skinned) < 0.05, "flesh that swings a little around its bones"

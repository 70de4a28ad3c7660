"""Rigify's human and wolf in the window: a garment and their own flesh are baked, trained and played."""

from __future__ import annotations

import numpy as np
import pytest
from blender_window import ROOT, Window
from lengths import AT_FULL_LENGTH
from three_buttons import Example

pytestmark = [pytest.mark.window, pytest.mark.slow, AT_FULL_LENGTH]  # minutes each

FRAMES = range(1, 41)
CHARACTER = f"""import sys
sys.path.insert(0, {str(ROOT / "tests")!r})
import rigify_character
kind = rigify_character.KIND
rig, body = rigify_character.add_character(kind)
dances = rigify_character.add_dances(rig, 4, 80, kind)
def choose(obj):
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
"""
GARMENT = (
    CHARACTER
    + """body.modifiers.new("Collision", "COLLISION")
body.collision.thickness_outer = 0.01
choose(rigify_character.ADD(rig))
bpy.ops.neural_physics.set_up()
"""
)
FLESH = (
    CHARACTER
    + """choose(body)
bpy.ops.neural_physics.set_up_solver(kind="SOLID", method="quasistatic_springs")
"""
)
CHARACTERS = [("HUMAN", "add_skirt", "Skirt"), ("WOLF", "add_blanket", "Blanket")]
DANCE = 'rig = bpy.data.objects["rig"]\nrig.animation_data.action = bpy.data.actions["dance0"]\n'


def shapes(figure: Example) -> np.ndarray:
    return np.array([figure.shown(frame) for frame in FRAMES])


def distances(ones: np.ndarray, others: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.sum((ones - others) ** 2, axis=2))))


@pytest.mark.parametrize(("kind", "add", "name"), CHARACTERS)
def test_a_garment(window: Window, kind: str, add: str, name: str) -> None:
    quick = 'settings.take_count, settings.take_frames, settings.preset = 4, 150, "preview"'
    build = GARMENT.replace("KIND", kind).replace("ADD", add)
    figure = Example(window, f"RIGIFY_{name}", name, quick, build)
    assert figure.ask('result = settings.interactions["rig"].motion') == "ACTIONS"
    figure.bake_and_train("steps=1500")
    figure.ask(DANCE)
    figure.play()
    played = shapes(figure)
    window.shot(f"rigify_1_{name.lower()}")
    assert np.array_equal(figure.shown(17), played[16]), "scrubbed as played"
    figure.shown(1)  # from where Blender simulates cloth that has no cache
    window.call("neural_physics.stop_playing")
    cloth = shapes(figure)
    still = np.broadcast_to(cloth[10:].mean(axis=0), cloth[10:].shape)
    assert distances(played[10:], cloth[10:]) < 0.5 * distances(still, cloth[10:])


@pytest.mark.parametrize("kind", [kind for kind, _, _ in CHARACTERS])
def test_flesh(window: Window, kind: str) -> None:
    quick = """
settings.simulation.tetrahedra, settings.simulation.steps = 2000, 1
settings.take_count, settings.take_frames, settings.pose_count = 2, 80, 20
settings.preset = "preview"
"""
    figure = Example(window, f"RIGIFY_{kind}", "Body", quick, FLESH.replace("KIND", kind))
    figure.bake_and_train("frames=60", "generations=1", "poses=60", "steps=200")
    figure.ask(DANCE)
    figure.play()
    played = shapes(figure)
    window.shot(f"rigify_2_{kind.lower()}")
    assert np.array_equal(figure.shown(17), played[16]), "scrubbed as played"
    window.call("neural_physics.stop_playing")
    skinned = shapes(figure)
    assert 0.0005 < distances(played, skinned) < 0.05, "flesh that swings a little around its bones"

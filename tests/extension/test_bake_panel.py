"""What the Bake panel announces: how much is baked, whether some is left, and what has changed since."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
from pathlib import Path
from unittest.mock import MagicMock
import drawn_panels
from inside_blender import add_example, ours, part, refused, saved_scene
saved_scene()
sheet = add_example(take_count=2, take_frames=12)
settings, cloth = sheet.neural_physics, sheet.modifiers["Cloth"].settings

def drawn():
    '''The Bake panel, a second after the last look.'''
    part("neural_physics.blender.tasks.facts").forget_facts()
    return drawn_panels.drawn("bake", sheet)

def takes():
    return part("neural_physics.datasets.takes").Dataset.open(Path(bpy.path.abspath(settings.dataset_folder)))
"""


@pytest.mark.slow
def test_a_change_is_said_and_the_takes_are_baked_anew(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
assert ours.bake() == {"FINISHED"}
assert "neural_physics.bake" in drawn().operators
assert "neural_physics.bake_anew" not in drawn().operators
before = takes().take("take_000").positions.copy()
cloth.tension_stiffness = cloth.compression_stiffness = 2.0
panel = drawn()
assert "neural_physics.bake_anew" in panel.operators and "neural_physics.bake" not in panel.operators
words = "Cloth settings (tension stiffness, compression stiffness) changed since Sheet"
assert words in panel.words, panel.words
refused("Bake Anew", ours.bake)  # two fabrics are in no dataset
assert (takes().take("take_000").positions == before).all()

assert ours.bake_anew() == {"FINISHED"}
after = takes().take("take_000").positions
assert len(after) == len(before) and not (after == before).all()
assert "neural_physics.bake_anew" not in drawn().operators

# It asks in a window, and deletes nothing that it could not bake again.
asking = part("operators.tasks.bake").NEURALPHYSICS_OT_bake_anew
window = drawn_panels.Window()
window.window_manager = MagicMock()
asking.invoke(MagicMock(), window, None)
said = window.window_manager.invoke_confirm.call_args.kwargs
assert "2 takes" in said["message"] and settings.dataset_folder.lstrip("/") in said["message"], said
settings.take_frames = 3
sheet.modifiers["Cloth"].show_viewport = False
assert not ours.bake_anew.poll() and takes().take_names()
"""
    )


@pytest.mark.once
def test_a_bake_of_all_that_keeps_its_animation_is_one_take_and_complete(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
settings.take_count, settings.take_frames = 8, 20
settings.interactions[0].motion = "WANDER"
seconds = part("neural_physics.blender.tasks.estimates").bake_seconds
eight = seconds(sheet)
assert "Bake alone: about" in drawn().words and "One take" not in drawn().words
settings.interactions[0].motion = "KEEP"
assert seconds(sheet) < eight
assert "One take only: everything that Sheet reacts to keeps its animation" in drawn().words
assert ours.bake() == {"FINISHED"}
assert takes().take_names() == ["take_000"]
assert ("neural_physics.bake", "Bake") in drawn().buttons
assert ours.bake() == {"FINISHED"}
host = part("neural_physics.blender.jobs.host")
paths = part("neural_physics.blender.settings.paths")
notes = host.state_of(paths.jobs_folder(sheet), "bake").result["notes"]
assert any("let something wander" in note for note in notes) and not any("raise Takes" in n for n in notes)
settings.interactions[0].motion = "WANDER"
assert ("neural_physics.bake", "Resume Bake") in drawn().buttons, "seven are left now"
"""
    )


@pytest.mark.once
def test_the_command_bakes_anew(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import contextlib, io
main = part("neural_physics.blender.commands").main
settings.take_count = 1
bpy.ops.wm.save_mainfile()
assert main(["bake"]) == 0
cloth.mass = 3.0
bpy.ops.wm.save_mainfile()
said = io.StringIO()
with contextlib.redirect_stderr(said):
    assert main(["bake"]) == 1
assert "Cloth settings (mass) changed" in said.getvalue()
assert main(["bake", "--anew"]) == 0
assert takes().take_names() == ["take_000"]
"""
    )

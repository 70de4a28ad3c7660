"""What the Bake panel announces: how much is baked, whether some is left, and what has changed since."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
import importlib
from pathlib import Path
from unittest.mock import MagicMock

HERE = Path.cwd()
ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings, cloth = sheet.neural_physics, sheet.modifiers["Cloth"].settings
settings.take_count, settings.take_frames = 2, 12

def part(name):
    return importlib.import_module(MODULE + "." + name)

class Window:
    region = MagicMock(width=300)
    preferences = MagicMock()
    preferences.system.ui_scale = 1.0
    window_manager = MagicMock()

    def __getattr__(self, name):
        return getattr(bpy.context, name)

def drawn():
    '''The operators and the words in the Bake panel, a second after the last look.'''
    part("neural_physics.blender.tasks.facts").forget_facts()
    layout = MagicMock()
    for name in ("column", "row"):
        getattr(layout, name).return_value = layout
    kind = bpy.types.NEURALPHYSICS_PT_bake
    helpers = {name: value for name, value in vars(kind).items() if name.startswith("_draw_")}
    kind.draw_for(type("Drawn", (), helpers)(), layout, Window(), sheet)
    buttons = [call.args[0] for call in layout.operator.call_args_list]
    names = [call.kwargs.get("text") for call in layout.operator.call_args_list]
    return buttons, " ".join(call.kwargs["text"] for call in layout.label.call_args_list), names

def takes():
    return part("neural_physics.datasets.takes").Dataset.open(Path(bpy.path.abspath(settings.dataset_folder)))
"""


def test_a_change_is_said_and_the_takes_are_baked_anew(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
assert ours.bake() == {"FINISHED"}
assert "neural_physics.bake" in drawn()[0] and "neural_physics.bake_anew" not in drawn()[0]
before = takes().take("take_000").positions.copy()
cloth.tension_stiffness = cloth.compression_stiffness = 2.0
buttons, words, _ = drawn()
assert "neural_physics.bake_anew" in buttons and "neural_physics.bake" not in buttons
assert "Cloth settings (tension stiffness, compression stiffness) changed since Sheet" in words, words
try:
    ours.bake()
except RuntimeError as error:
    assert "Bake Anew" in str(error)
else:
    raise AssertionError("two fabrics are in one dataset")
assert (takes().take("take_000").positions == before).all()

assert ours.bake_anew() == {"FINISHED"}
after = takes().take("take_000").positions
assert len(after) == len(before) and not (after == before).all()
assert "neural_physics.bake_anew" not in drawn()[0]

# It asks in a window, and deletes nothing that it could not bake again.
asking = part("operators.jobs").NEURALPHYSICS_OT_bake_anew
asking.invoke(MagicMock(), Window(), None)
said = Window.window_manager.invoke_confirm.call_args.kwargs
assert "2 takes" in said["message"] and settings.dataset_folder.lstrip("/") in said["message"], said
settings.take_frames = 3
sheet.modifiers["Cloth"].show_viewport = False
assert not ours.bake_anew.poll() and takes().take_names()
"""
    )


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
assert "Will take about" in drawn()[1] and "One take" not in drawn()[1]
settings.interactions[0].motion = "KEEP"
assert seconds(sheet) < eight
assert "One take only: everything that Sheet reacts to keeps its animation" in drawn()[1]
assert ours.bake() == {"FINISHED"}
assert takes().take_names() == ["take_000"]
assert "Bake" in drawn()[2] and "Resume Bake" not in drawn()[2]
assert ours.bake() == {"FINISHED"}
host = part("neural_physics.blender.jobs.host")
paths = part("neural_physics.blender.settings.paths")
notes = host.state_of(paths.jobs_folder(sheet), "bake").result["notes"]
assert any("let something wander" in note for note in notes) and not any("raise Takes" in n for n in notes)
settings.interactions[0].motion = "WANDER"
assert "Resume Bake" in drawn()[2], "seven are left now"
"""
    )


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

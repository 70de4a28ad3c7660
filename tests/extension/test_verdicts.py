"""What the panel says of a model in words, and the button where more takes would help."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
import importlib, json
from dataclasses import replace
from pathlib import Path
from types import MethodType
from unittest.mock import MagicMock
HERE = Path.cwd()
ours = bpy.ops.neural_physics
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=str(HERE / "scene.blend"))
packing = importlib.import_module(MODULE + ".neural_physics.blender.playing.packing")
model_file = importlib.import_module(MODULE + ".neural_physics.models.model_file")
tensor_file = importlib.import_module(MODULE + ".neural_physics.files.tensor_file")

def drawn(panel, obj):
    '''The sentences that a panel shows, with their icons, and its buttons.'''
    kind, layout = getattr(bpy.types, "NEURALPHYSICS_PT_" + panel), MagicMock()
    for part in ("column", "row"):
        getattr(layout, part).return_value = layout
    class Window:
        region = MagicMock(width=4000)
        preferences = MagicMock()
        def __getattr__(self, name):
            return getattr(bpy.context, name)
    Window.preferences.system.ui_scale = 1.0
    me = MagicMock(layout=layout)
    for name in dir(kind):
        if name.startswith("_draw_"):
            setattr(me, name, MethodType(getattr(kind, name), me))
    kind.draw_for(me, layout, Window(), obj)
    said = {call.kwargs.get("text"): call.kwargs.get("icon") for call in layout.label.call_args_list}
    buttons = [(call.args[0], call.kwargs.get("text")) for call in layout.operator.call_args_list]
    return said, buttons

def pack(obj, **training):
    '''The object's model with another summary.'''
    model = packing.model_of(obj)
    info = replace(model.info, training=training)
    about = {model_file.METADATA_KEY: model_file.info_to_json(info)}
    packing.pack(obj, bytes(tensor_file.format_tensors(dict(model.tensors), about)))
"""


def test_the_panel_judges_a_model_and_bakes_more_takes_at_a_click(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
settings.method, settings.basis_count = "linear_dynamics", 8
settings.take_count, settings.take_frames = 3, 60
assert ours.bake() == {"FINISHED"} and ours.train() == {"FINISHED"}
told = packing.model_of(sheet).info.training
assert told["takes"] == 3 and 0 < told["validation_metres"] <= told["validation_metres_90"] < 1, told

said, buttons = drawn("train", sheet)
assert any("off on motion it has not seen" in s or "no better than" in s for s in said), said

pack(sheet, validation_error=0.25, validation_metres=0.02, takes=3)
said, buttons = drawn("train", sheet)
assert said["Good: about 2 cm off on motion it has not seen"] == "SOLO_ON", said
assert "neural_physics.bake_more" not in [name for name, _ in buttons]

pack(sheet, validation_error=1.1, validation_metres=0.08, takes=3)
said, buttons = drawn("train", sheet)
assert said["Poor, no better than a shape that stands still: bake 3 more takes"] == "ERROR", said
assert "SOLO_ON" not in said.values()
assert ("neural_physics.bake_more", "Bake 3 More Takes") in buttons, buttons
assert not any("stands still" in s for s in drawn("play", sheet)[0]), "no sentence twice"

settings.take_count = 1  # the takes there are count, not those asked for now
assert ours.bake_more(takes=1) == {"FINISHED"}
assert settings.take_count == 4
said, buttons = drawn("train", sheet)
assert "1 take baked since then: train again" in said, said
assert "neural_physics.bake_more" not in [name for name, _ in buttons]
"""
    )


def test_whoever_opens_a_file_of_others_sees_how_good_its_model_is(in_blender: Callable[..., str]) -> None:
    in_blender(
        SCENE
        + """
import shutil
ours.add_example(name="BALL_AND_SHEET")
sheet = bpy.context.active_object
settings = sheet.neural_physics
settings.method, settings.basis_count = "linear_dynamics", 8
settings.take_count, settings.take_frames = 3, 60
assert ours.bake() == {"FINISHED"} and ours.train() == {"FINISHED"}
pack(sheet, validation_error=0.25, validation_metres=0.02, takes=3)
bpy.ops.wm.save_mainfile()
away = HERE / "elsewhere" / "scene.blend"
away.parent.mkdir()
shutil.copy(bpy.data.filepath, away)
bpy.ops.wm.open_mainfile(filepath=str(away))
sheet = bpy.context.active_object
sheet.neural_physics.dataset_folder = sheet.neural_physics.model_path = ""
assert drawn("play", sheet)[0]["Good: about 2 cm off on motion it has not seen"] == "SOLO_ON"
assert not any("off on motion" in str(s) for s in drawn("train", sheet)[0]), "no sentence twice"

# One of an earlier version has no metres.
pack(sheet, validation_error=0.44)
assert "Fair: about 44 % off on motion it has not seen" in drawn("play", sheet)[0]
pack(sheet)
assert not any("off on motion" in str(s) for s in drawn("play", sheet)[0])
"""
    )

"""What the panel says of a model in words, and the button where more takes would help."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

SCENE = """
import shutil
from dataclasses import replace
from drawn_panels import drawn
from inside_blender import add_example, few_vertices, ours, part, saved_scene
HERE = saved_scene()
few_vertices()
packing = part("neural_physics.blender.playing.packing")
model_file = part("neural_physics.models.model_file")
tensor_file = part("neural_physics.files.tensor_file")
sheet = add_example(method="linear_dynamics", basis_count=8, take_count=3, take_frames=60)
settings = sheet.neural_physics
assert ours.bake() == {"FINISHED"} and ours.train() == {"FINISHED"}

def pack(obj, **training):
    '''The object's model with another summary.'''
    model = packing.model_of(obj)
    info = replace(model.info, training=training)
    about = {model_file.METADATA_KEY: model_file.info_to_json(info)}
    packing.pack(obj, bytes(tensor_file.format_tensors(dict(model.tensors), about)))
"""


@pytest.mark.slow
def test_the_panel_judges_a_model_here_and_elsewhere_and_bakes_more_takes_at_a_click(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        SCENE
        + """
told = packing.model_of(sheet).info.training
assert told["takes"] == 3 and 0 < told["validation_metres"] <= told["validation_metres_90"] < 1, told

train = drawn("train", sheet)
assert "off on motion it has not seen" in train.words or "no better than" in train.words, train.words

pack(sheet, validation_error=0.25, validation_metres=0.02, takes=3)
train = drawn("train", sheet)
assert train.icons["Good: about 2 cm off on motion it has not seen"] == "SOLO_ON", train.icons
assert "neural_physics.bake_more" not in train.operators

pack(sheet, validation_error=1.1, validation_metres=0.08, takes=3)
train = drawn("train", sheet)
poor = "Poor, no better than a shape that stands still: bake 3 more takes"
assert train.icons[poor] == "ERROR", train.words
assert "SOLO_ON" not in train.icons.values()
assert ("neural_physics.bake_more", "Bake 3 More Takes") in train.buttons, train.buttons
assert "stands still" not in drawn("play", sheet).words, "no sentence twice"

settings.take_count = 1  # the takes there are count, not those asked for now
assert ours.bake_more(takes=1) == {"FINISHED"}
assert settings.take_count == 4
train = drawn("train", sheet)
assert "1 take baked since then: train again" in train.icons, train.icons
assert "neural_physics.bake_more" not in train.operators

# Whoever opens the file elsewhere sees it as well.
pack(sheet, validation_error=0.25, validation_metres=0.02, takes=3)
bpy.ops.wm.save_mainfile()
away = HERE / "elsewhere" / "scene.blend"
away.parent.mkdir()
shutil.copy(bpy.data.filepath, away)
bpy.ops.wm.open_mainfile(filepath=str(away))
sheet = bpy.context.active_object
sheet.neural_physics.dataset_folder = sheet.neural_physics.model_path = ""
assert drawn("play", sheet).icons["Good: about 2 cm off on motion it has not seen"] == "SOLO_ON"
assert "off on motion" not in drawn("train", sheet).words, "no sentence twice"

# One of an earlier version has no metres.
pack(sheet, validation_error=0.44)
assert "Fair: about 44 % off on motion it has not seen" in drawn("play", sheet).icons
pack(sheet)
assert "off on motion" not in drawn("play", sheet).words
"""
    )


def test_the_chart_is_titled_by_what_is_drawn(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
import json
from drawn_panels import drawn
from inside_blender import add_example, part, saved_scene
saved_scene()
sheet = add_example()
host, paths = part("neural_physics.blender.jobs.host"), part("neural_physics.blender.settings.paths")
part("panels.train").chart_icon = lambda *_: 1  # no pictures without a window

def train(**more):
    about = dict(event="progress", stage="Training", total=9, **more)
    said = [dict(about, done=k, step=k, loss=1 / k) for k in (1, 2)]
    lines = "\\n".join(map(json.dumps, said))
    host.run_blocking(paths.jobs_folder(sheet), "train", [sys.executable, "-c", f"print({lines!r})"])
    return drawn("train", sheet).words

before = train()
assert "Error on motion it has not seen" not in before and "%" not in before, before
assert "Loss on the motion it learns from" in before
after = train(validation=0.5, best=0.5, best_step=1, metres=0.2)
assert "Error on motion it has not seen" in after and " cm" in after, after
"""
    )

"""Models that say they react to thousands of things: nothing is packed, and nothing is added to any list."""

from __future__ import annotations

import json

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic

from neural_physics.blender.scene import setting_up
from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks.object_tasks import use_model_bytes
from neural_physics.errors import Problem
from neural_physics.files.tensor_file import format_tensors
from neural_physics.interaction.channels import HANDLE_PREFIX, SIZES, Channel, ChannelLayout
from neural_physics.models.model_file import METADATA_KEY, ModelInfo

pytestmark = pytest.mark.blender


def model_of_many(mesh, count, kind):
    """A model of linear dynamics that reacts to so many things, all of which are one object of the scene."""
    prefix = HANDLE_PREFIX if kind == "handle" else ""
    channels = [Channel(f"{prefix}{number}", kind, SIZES[kind], "C") for number in range(count)]
    info = ModelInfo(
        "linear_dynamics", 1 / 24, "x", mesh.topology(), mesh.vertex_count, ChannelLayout(tuple(channels))
    )
    one, none, square = np.ones(1, np.float32), np.zeros(1, np.float32), np.zeros((1, 1), np.float32)
    tensors = {
        "mean": mesh.rest_positions.astype(np.float32),
        "basis": np.zeros((1, mesh.vertex_count, 3), np.float32),
        "start": none,
        "now": square,
        "before": square,
        "interaction": square,
        "constant": none,
        "z_low": -one,
        "z_high": one,
        "y_mean": np.zeros(SIZES[kind] * count, np.float32),
        "interaction_basis": np.zeros((1, SIZES[kind] * count), np.float32),
        "w_low": -one,
        "w_high": one,
    }
    listed = [{"name": each.name, "kind": kind, "size": SIZES[kind], "source": "C"} for each in channels]
    header = {**info.__dict__, "channels": listed}
    return format_tensors(tensors, {METADATA_KEY: json.dumps(header)})


def sheet_and_target():
    play_scenes.open_scene()
    sheet = play_scenes.add_object("Sheet", synthetic.sheet_mesh())
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("C", None))
    return sheet


@pytest.mark.parametrize(("kind", "count"), [("position", 201), ("handle", 1001)])
def test_a_model_that_reacts_to_more_than_can_be_listed_is_refused_before_it_is_packed(kind, count):
    sheet = sheet_and_target()
    with pytest.raises(Problem) as caught:
        use_model_bytes(sheet, model_of_many(synthetic.sheet_mesh(), count, kind), "m.safetensors")
    assert caught.value.code == "model_reacts_to_too_much"
    settings = settings_of(sheet)
    assert settings.model is None and not settings.enabled
    assert not len(settings.interactions) and not len(settings.handles)


def test_lines_that_are_there_count_and_those_of_the_model_are_no_more():
    sheet, data = sheet_and_target(), model_of_many(synthetic.sheet_mesh(), 150, "position")
    for _ in range(51):
        settings_of(sheet).interactions.add()
    with pytest.raises(Problem) as caught:
        use_model_bytes(sheet, data, "m.safetensors")
    assert caught.value.code == "model_reacts_to_too_much"
    settings_of(sheet).interactions.clear()
    for _ in range(2):
        use_model_bytes(sheet, data, "m.safetensors")
        assert len(settings_of(sheet).interactions) == 150


def test_an_objects_size_is_read_once_for_all_that_a_model_reacts_to(monkeypatch):
    sheet, data, asked = sheet_and_target(), model_of_many(synthetic.sheet_mesh(), 150, "position"), []
    of_object = setting_up._bounds
    monkeypatch.setattr(setting_up, "_bounds", lambda obj: asked.append(obj) or of_object(obj))
    use_model_bytes(sheet, data, "m.safetensors")
    assert len(asked) == 1

"""Models that say they react to thousands of things: nothing is packed, and nothing is added to any list."""

from __future__ import annotations

import json

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic

from neural_physics.blender.playing import binding, packing, playback, unanimated_channels
from neural_physics.blender.playing.handlers import PLAYED
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


@pytest.mark.parametrize(("kind", "count"), [("position", 201), ("handle", 1001), ("ground", 201)])
def test_a_model_in_a_file_that_reacts_to_more_than_can_be_listed_does_not_play(kind, count, monkeypatch):
    sheet, bound = sheet_and_target(), []
    monkeypatch.setattr(binding, "ChannelSampler", lambda *args, **more: bound.append(args))
    packing.pack(sheet, model_of_many(synthetic.sheet_mesh(), count, kind))
    settings_of(sheet).enabled = settings_of(sheet).playing = True
    playback.attach(sheet)
    bpy.context.scene.frame_set(2)
    problem = playback.status_of(sheet).problem
    assert problem is not None and problem.code == "model_reacts_to_too_much" and not bound


def test_a_model_in_a_file_may_have_as_many_shape_keys_as_can_be_carried_in_one_channel():
    sheet = sheet_and_target()
    names = tuple(map(str, range(1001)))

    def check(*channels):
        binding.check_channels(sheet, ChannelLayout(channels), "m")

    check(Channel("Keys", "shape_keys", 1000, parts=names[:1000]))
    check(*(Channel(name, "value", 1) for name in names))
    for channels in (
        [Channel("Keys", "shape_keys", 1001, parts=names)],
        [Channel(name, "shape_keys", 1, parts=names[:1]) for name in names[:2]],
    ):
        with pytest.raises(Problem) as caught:
            check(*channels)
        assert caught.value.code == "model_reacts_to_too_much"


def test_what_moves_many_channels_is_looked_at_once_with_all_that_it_hangs_on(monkeypatch):
    sheet, data, asked = sheet_and_target(), model_of_many(synthetic.sheet_mesh(), 150, "position"), []
    target = bpy.data.objects["C"]
    target.parent = bpy.data.objects.new("Above", None)
    bpy.context.scene.collection.objects.link(target.parent)
    use_model_bytes(sheet, data, "m.safetensors")
    playback.attach(sheet)
    found = PLAYED.session_of(sheet).reader.binding.unanimated
    for name in ("is_animated", "_places"):
        of_object = getattr(unanimated_channels, name)
        monkeypatch.setattr(
            unanimated_channels, name, lambda obj, ask=of_object: asked.append(obj.name) or ask(obj)
        )
    depsgraph = bpy.context.evaluated_depsgraph_get()
    asked.clear()  # updating the scene has Play look, too
    assert not found.differ(sheet) and asked == ["C"] and len(found.names) == 150
    places = found.places()
    assert asked == ["C"] * 2
    assert not found.moved_since(places, depsgraph).any() and asked == ["C"] * 3
    target.parent.location.x = 1.0
    depsgraph.update()
    asked.clear()
    assert found.moved_since(places, depsgraph).all() and asked == ["C"]

"""What is outside the trained range is named, with its distance."""

from __future__ import annotations

import bpy
import play_scenes
import pytest
import synthetic
from play_models import model_file

from neural_physics.blender.display.trained_range import shown_places
from neural_physics.blender.playing import packing, playback
from neural_physics.blender.settings.properties import settings_of

pytestmark = pytest.mark.blender
LOW, HIGH = [-0.5, -0.5, -0.3], [0.5, 0.5, 0.3]


@pytest.fixture
def sheet():
    """Plays a model that saw the hand in a box."""
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand("Ball", seed=None))
    packing.pack(sheet, model_file(synthetic.sheet_mesh(), trained=(LOW, HIGH)))
    playback.attach(sheet)
    return sheet


def put(name, *place):
    bpy.data.objects[name].location = place
    bpy.context.view_layer.update()


def test_an_object_outside_is_named_with_its_metres_and_no_other(sheet):
    assert playback.status_of(sheet).beyond == {}
    put("Ball", 0.5, 0.0, 1.6)
    (name, beyond), *others = playback.status_of(sheet).beyond.items()
    assert name == "Ball" and not others
    assert beyond.distance == pytest.approx(1.3) and beyond.unit == "m" and beyond.far
    put("Ball", 0.0, 0.0, 0.0)
    assert playback.status_of(sheet).beyond == {}


def test_the_box_goes_with_the_object_that_the_ball_is_seen_from(sheet):
    sheet.scale = (2.0, 2.0, 2.0)
    put("Sheet", 10.0, 0.0, 0.0)
    put("Ball", 10.9, 0.0, 0.0)
    assert playback.status_of(sheet).beyond == {}
    put("Ball", 12.0, 0.0, 0.0)
    assert playback.status_of(sheet).beyond["Ball"].distance == pytest.approx(1.0)


def test_a_model_that_does_not_know_its_range_says_what_share_was_clipped(sheet):
    packing.pack(sheet, model_file(synthetic.sheet_mesh()))
    playback.attach(sheet)
    put("Ball", 0.0, 0.0, 50.0)
    status = playback.status_of(sheet)
    assert status.beyond == {} and status.outside > 0


def test_the_box_is_shown_while_it_plays_unless_it_is_not_wanted(sheet):
    put("Ball", 0.1, 0.2, 0.3)
    (place,) = shown_places(sheet)
    assert place.low.tolist() == pytest.approx(LOW) and place.at.tolist() == pytest.approx([0.1, 0.2, 0.3])
    settings_of(sheet).show_trained_range = False
    assert shown_places(sheet) == []
    settings_of(sheet).show_trained_range = True
    playback.detach(sheet)
    assert shown_places(sheet) == []

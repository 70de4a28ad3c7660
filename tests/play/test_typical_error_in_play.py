"""Which objects are coloured by their typical error while they play, and what the colours then mean."""

from __future__ import annotations

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic
from play_models import model_file

from neural_physics.blender.display import legend, typical_error
from neural_physics.blender.gpu.context import NoGPU
from neural_physics.blender.playing import handlers, packing, playback, played_objects
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.settings.properties import settings_of

pytestmark = pytest.mark.blender
MESH = synthetic.sheet_mesh()
ERROR = np.linspace(0.0, 0.04, MESH.vertex_count, dtype=np.float32)


def plays(name="Sheet", error=ERROR, second=None):
    """A sheet that plays a model which says this of its errors."""
    hand = bpy.data.objects.get("Hand") or play_scenes.add_hand()
    sheet = play_scenes.add_sheet(hand, name)
    packing.pack(sheet, model_file(MESH, error=error, second=second))
    playback.attach(sheet)
    return sheet


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    return plays()


def coloured():
    return [obj.name for obj, _ in typical_error.coloured(bpy.context.scene)]


def meaning():
    return legend.shown_errors(bpy.context.scene)


def test_colours_and_legend_are_there_while_it_plays_and_they_are_wanted(sheet):
    assert playback.status_of(sheet).has_error
    assert coloured() == [] and meaning() == {}
    settings_of(sheet).show_typical_error = True
    assert coloured() == ["Sheet"]
    assert meaning() == {legend.TYPICAL: pytest.approx(0.04)}
    playback.detach(sheet)
    assert coloured() == [] and meaning() == {}


def test_one_scale_serves_all_objects(sheet):
    other = plays("Other", 3 * ERROR)
    for obj in (sheet, other):
        settings_of(obj).show_typical_error = True
    assert meaning() == {legend.TYPICAL: pytest.approx(0.12)}


@pytest.mark.parametrize(
    "error",
    [None, np.full(MESH.vertex_count, np.nan, np.float32), ERROR[:-1].copy(), ERROR - np.float32(1.0)],
    ids=["earlier", "nan", "short", "negative"],
)
def test_a_model_that_does_not_say_it_or_cannot_mean_it_plays_without(error):
    play_scenes.open_scene()
    sheet = plays(error=error)
    settings_of(sheet).show_typical_error = True
    bpy.context.scene.frame_set(10)
    status = playback.status_of(sheet)
    assert status.problem is None and not status.has_error
    assert coloured() == [] and meaning() == {}


def test_a_model_that_is_never_off_has_one_colour_and_no_legend(sheet):
    packing.pack(sheet, model_file(MESH, error=0 * ERROR))
    playback.attach(sheet)
    settings_of(sheet).show_typical_error = True
    assert coloured() == ["Sheet"] and meaning() == {}


def test_the_preview_makes_way_with_the_reason_and_comes_back(sheet, monkeypatch):
    for module in (handlers, played_objects):  # as if the animation played in a window
        monkeypatch.setattr(module, "animation_plays", lambda: True)
    settings = settings_of(sheet)
    settings.use_preview = True
    handlers.on_playback(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    bpy.context.scene.frame_set(5)
    assert PLAYED.session_of(sheet).output.preview.on
    settings.show_typical_error = True
    assert coloured() == [], "of the mesh, which rests"
    assert PLAYED.previews_unsettled()
    handlers.settle_previews()
    assert coloured() == ["Sheet"]
    assert playback.status_of(sheet).warning.code == "preview_typical_error"
    settings.show_typical_error = False
    handlers.settle_previews()
    assert PLAYED.session_of(sheet).output.preview.on and playback.status_of(sheet).warning is None
    handlers.on_pause()


def test_a_card_that_cannot_draw_it_is_reported_and_asked_again_when_the_artist_does(sheet, monkeypatch):
    def refused(*_):
        raise NoGPU("gpu_shader_refused", shader="coloured")

    settings, tries = settings_of(sheet), []
    settings.show_typical_error = True
    monkeypatch.setattr(typical_error, "draw_error", lambda *args: tries.append(1) or refused())
    for _ in range(2):
        typical_error.draw_all(bpy.context.scene, None)
    assert len(tries) == 1 and coloured() == [] and meaning() == {}
    assert playback.status_of(sheet).warning.code == "typical_error_not_drawn"
    settings.show_typical_error = False
    assert coloured() == [] and playback.status_of(sheet).warning is None
    settings.show_typical_error = True
    assert coloured() == ["Sheet"]


def test_without_a_window_nothing_is_registered():
    typical_error.register()
    assert typical_error._HANDLER.handle is None
    typical_error.unregister()


def test_a_model_with_a_second_opinion_says_how_far_off_it_may_be_at_each_frame():
    play_scenes.open_scene()
    sheet, scene = plays(second=(0.01, 2.0)), bpy.context.scene
    settings_of(sheet).show_typical_error = True
    scene.frame_set(scene.frame_start)
    at_first = playback.status_of(sheet).expected_error
    assert at_first == pytest.approx(0.01)
    scene.frame_set(scene.frame_start + 20)
    session, later = PLAYED.session_of(sheet), playback.status_of(sheet).expected_error
    state = session.timeline.at_hand(scene.frame_start + 20).state
    one, other = (session.method.decoder.decode(z).copy() for z in (state.z, state.second))
    apart = np.linalg.norm(one - other, axis=1)
    assert apart.max() > 1e-4
    assert later == pytest.approx(0.01 + 2.0 * np.sqrt(np.square(apart).mean()), rel=1e-3)
    shares = ERROR / np.sqrt(np.square(ERROR).mean())
    assert session.error_now() == pytest.approx(0.01 * shares + 2.0 * apart, rel=1e-3, abs=1e-6)
    assert meaning() == {legend.EXPECTED: pytest.approx(0.08)}
    scene.frame_set(scene.frame_start)
    assert playback.status_of(sheet).expected_error == at_first, "after scrubbing back, too"


def test_the_expected_error_is_in_metres_of_the_world():
    play_scenes.open_scene()
    sheet = plays(second=(0.01, 0.0))
    sheet.scale = (2.0, 2.0, 2.0)
    bpy.context.scene.frame_set(3)
    assert playback.status_of(sheet).expected_error == pytest.approx(0.02)


def test_a_model_that_expects_nothing_says_nothing():
    play_scenes.open_scene()
    sheet = plays()
    bpy.context.scene.frame_set(10)
    status = playback.status_of(sheet)
    assert status.expected_error is None and status.problem is None
    assert np.array_equal(PLAYED.session_of(sheet).error_now(), ERROR)


def test_fast_plays_the_second_opinion_alone_from_the_first_frame_on():
    play_scenes.open_scene()
    sheet, scene = plays(second=(0.01, 2.0)), bpy.context.scene
    scene.frame_set(scene.frame_start + 15)
    session = PLAYED.session_of(sheet)
    second = session.timeline.at_hand(scene.frame_current).state.second
    assert playback.status_of(sheet).unused == frozenset()
    settings_of(sheet).fast = True
    for frame in range(scene.frame_start, scene.frame_start + 16):
        scene.frame_set(frame)
    state = session.timeline.at_hand(scene.frame_current).state
    assert np.array_equal(state.z, second)
    assert playback.status_of(sheet).expected_error is None
    packing.pack(sheet, model_file(MESH, error=ERROR))
    playback.attach(sheet)
    scene.frame_set(scene.frame_current + 1)
    assert playback.status_of(sheet).unused == {"fast"}

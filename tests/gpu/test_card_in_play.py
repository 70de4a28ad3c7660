"""Play with the graphics card: what is read back is what the processor makes, or the processor makes it."""

from __future__ import annotations

import threading

import bpy
import numpy as np
import play_scenes
import pytest

from neural_physics.blender.gpu import decoder, shaders, uploaded_models
from neural_physics.blender.gpu.context import NoGPU
from neural_physics.blender.gpu.decoder import GpuDecoder
from neural_physics.blender.playing import playback
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.settings.properties import settings_of

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("graphics")]

FRAMES = range(1, 31)
SIZE = 1.5  # of the sheet, metres


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    ball = play_scenes.add_hand("Ball", seed=None)
    ball.location = (0.0, -0.05, -0.5)
    settings = settings_of(sheet)
    item = settings.capsules.add()
    item.name, item.source = "Ball", ball
    item.start_radius = item.end_radius = 0.3
    settings.projection.depth_limit = 0.12
    playback.attach(sheet)
    yield sheet
    uploaded_models.forget_models()


def count_decoding(monkeypatch):
    calls = []
    decode = GpuDecoder.decode
    monkeypatch.setattr(GpuDecoder, "decode", lambda *args: calls.append(args) or decode(*args))
    return calls


def test_what_the_card_makes_is_what_the_processor_makes(sheet, monkeypatch):
    calls = count_decoding(monkeypatch)
    expected = play_scenes.played(sheet, FRAMES)
    left = playback.status_of(sheet).deep
    assert not calls
    settings_of(sheet).decode_with = "CARD"
    made = play_scenes.played(sheet, FRAMES)
    assert len(calls) >= len(FRAMES)
    for frame, pose in expected.items():
        assert np.abs(made[frame] - pose).max() < 1e-5 * SIZE
    status = playback.status_of(sheet)
    assert status.warning is None
    assert status.deep == left > 0


def test_between_frames_and_with_fewer_bases_too(sheet):
    poses = {}
    for decode_with in ("PROCESSOR", "CARD"):
        settings_of(sheet).decode_with = decode_with
        settings_of(sheet).bases_shown = 2
        bpy.context.scene.frame_set(17, subframe=0.25)
        poses[decode_with] = play_scenes.shown(sheet)
    assert np.abs(poses["CARD"] - poses["PROCESSOR"]).max() < 1e-5 * SIZE


def too_small(monkeypatch):
    monkeypatch.setattr(decoder, "largest_texture", lambda: 3)


def refused(monkeypatch):
    shaders.forget_shaders()
    monkeypatch.setattr(shaders, "source", lambda _: "nonsense {")


def lost(monkeypatch):
    def fail(*_):
        raise NoGPU("gpu_failed", reason="the driver was restarted")

    monkeypatch.setattr(decoder.Decoded, "_read", fail)


@pytest.mark.parametrize(
    ("fail", "code"),
    [
        (too_small, "gpu_too_large"),
        (refused, "gpu_shader_refused"),
        (lost, "gpu_failed"),
    ],
)
def test_where_the_card_fails_the_processor_takes_over_with_a_warning(sheet, monkeypatch, fail, code):
    expected = play_scenes.played(sheet, FRAMES)
    fail(monkeypatch)
    settings_of(sheet).decode_with = "CARD"
    made = play_scenes.played(sheet, FRAMES)
    status = playback.status_of(sheet)
    monkeypatch.undo()
    shaders.forget_shaders()
    assert status.problem is None
    assert status.warning.code == code
    assert all(np.array_equal(made[frame], pose) for frame, pose in expected.items())


def test_another_thread_never_touches_the_card_and_shows_the_same_without_a_word(sheet, monkeypatch):
    settings_of(sheet).decode_with = "CARD"
    bpy.context.scene.frame_set(9)
    near = play_scenes.shown(sheet)
    calls = count_decoding(monkeypatch)
    PLAYED.session_of(sheet).stale = True
    work = threading.Thread(
        target=PLAYED.visit, args=(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    )
    work.start()
    work.join()
    bpy.context.view_layer.update()
    assert not calls
    assert np.abs(play_scenes.shown(sheet) - near).max() < 1e-5 * SIZE
    assert playback.status_of(sheet).warning is None


def test_what_failed_is_tried_again_once_the_artist_changes_a_setting(sheet, monkeypatch):
    lost(monkeypatch)
    settings_of(sheet).decode_with = "CARD"
    bpy.context.scene.frame_set(5)
    assert playback.status_of(sheet).warning.code == "gpu_failed"
    monkeypatch.undo()
    bpy.context.scene.frame_set(6)
    assert playback.status_of(sheet).warning.code == "gpu_failed"
    settings_of(sheet).bases_shown = 2
    bpy.context.scene.frame_set(7)
    assert playback.status_of(sheet).warning is None

"""Baked playing is what was played, without the extension too, and can be taken away again."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import play_scenes
import pytest
from test_packing import STRANGER

from neural_physics.blender.playing import mesh_cache, playback
from neural_physics.blender.scene.modifiers import cache_modifier
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.point_caches import read_pc2
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender

FIRST, LAST = 11, 90


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    sheet.modifiers.new("Subdivision", "SUBSURF")
    playback.attach(sheet)
    return sheet


def test_baked_playing_is_exact_at_whole_frames_and_close_between(sheet, tmp_path):
    scene = bpy.context.scene
    played = play_scenes.played(sheet, range(FIRST, LAST + 1))
    scene.frame_set(40, subframe=0.3)
    between, where = play_scenes.shown(sheet), (scene.frame_current, scene.frame_subframe)
    seen = []
    mesh_cache.bake_playback(
        scene,
        sheet,
        tmp_path / "a.pc2",
        FIRST,
        last=LAST,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (LAST - FIRST + 1, LAST - FIRST + 1)
    assert (scene.frame_current, scene.frame_subframe) == where
    assert not settings_of(sheet).playing
    assert [m.type for m in sheet.modifiers] == ["MESH_CACHE", "CLOTH", "SUBSURF"]
    assert not sheet.modifiers["Cloth"].show_render
    assert np.allclose(play_scenes.shown(sheet), between, atol=1e-6)
    baked = play_scenes.played(sheet, range(FIRST, LAST + 1))
    assert all(np.array_equal(baked[frame], played[frame]) for frame in played)
    assert not list(tmp_path.glob("*.new"))


def test_it_plays_without_the_extension(sheet, tmp_path):
    sheet.modifiers.remove(sheet.modifiers["Subdivision"])
    played = play_scenes.played(sheet, range(90, 91))
    path = tmp_path / "baked.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    mesh_cache.bake_playback(bpy.context.scene, sheet, tmp_path / "caches" / "a.pc2", FIRST, last=LAST)
    assert sheet.modifiers[0].filepath == "//caches/a.pc2"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    command = [sys.executable, "-c", STRANGER, str(path), str(tmp_path / "seen")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(tmp_path / "seen_90.npy"), played[90])


def test_it_can_be_removed_and_played_again(sheet, tmp_path):
    pose = play_scenes.played(sheet, range(50, 51))[50]
    mesh_cache.bake_playback(bpy.context.scene, sheet, tmp_path / "a.pc2", FIRST, last=LAST)
    cache_modifier.remove_cache(sheet)
    assert [m.type for m in sheet.modifiers] == ["CLOTH", "SUBSURF"]
    assert sheet.modifiers["Cloth"].show_viewport
    assert cache_modifier.find_cache(sheet) is None
    cache_modifier.show_cache(sheet, tmp_path / "a.pc2", FIRST)
    playback.attach(sheet)  # takes the cache's place
    bpy.context.scene.frame_set(50)
    assert [m.type for m in sheet.modifiers] == ["NODES", "CLOTH", "SUBSURF"]
    assert np.array_equal(play_scenes.shown(sheet), pose)
    playback.detach(sheet)
    assert sheet.modifiers["Cloth"].show_viewport


def test_a_cancelled_bake_leaves_all_as_it_was(sheet, tmp_path):
    steps = mesh_cache.bake_steps(bpy.context.scene, sheet, tmp_path / "a.pc2", FIRST, last=LAST)
    for _ in range(5):
        next(steps)
    steps.close()
    assert bpy.context.scene.frame_current == 1
    assert not list(tmp_path.iterdir())
    assert settings_of(sheet).playing
    assert [m.type for m in sheet.modifiers] == ["NODES", "CLOTH", "SUBSURF"]


def test_the_bake_catches_up_first_and_stands_in_its_own_start(sheet, tmp_path):
    mesh_cache.bake_playback(bpy.context.scene, sheet, tmp_path / "late.pc2", 60, last=70)
    playback.attach(sheet)
    sheet.modifiers.remove(sheet.modifiers["Subdivision"])
    played = play_scenes.played(sheet, range(60, 71))
    assert np.array_equal(read_pc2(tmp_path / "late.pc2"), np.stack(list(played.values())))


def test_a_range_that_ends_before_it_begins_is_refused(sheet, tmp_path):
    with pytest.raises(Problem) as caught:
        mesh_cache.bake_playback(bpy.context.scene, sheet, tmp_path / "a.pc2", 20, last=10)
    assert caught.value.code == "frames_reversed"
    assert settings_of(sheet).playing and not list(tmp_path.iterdir())


def test_what_does_not_play_cannot_be_baked(sheet, tmp_path):
    playback.detach(sheet)
    with pytest.raises(Problem) as caught:
        mesh_cache.bake_playback(bpy.context.scene, sheet, tmp_path / "a.pc2", FIRST, last=LAST)
    assert caught.value.code == "not_playing"


def test_a_folder_that_cannot_be_written_is_reported(sheet, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Problem) as caught:
        mesh_cache.bake_playback(bpy.context.scene, sheet, tmp_path / "file" / "a.pc2", FIRST, last=LAST)
    assert caught.value.code == "folder_not_writable"
    assert settings_of(sheet).playing


def test_a_folder_that_becomes_read_only_meanwhile_is_reported_and_the_frame_is_as_before(
    sheet, tmp_path, monkeypatch
):
    def refuse(self, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    steps = mesh_cache.bake_steps(bpy.context.scene, sheet, tmp_path / "a.pc2", FIRST, last=LAST)
    next(steps)
    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(Problem) as caught:
        list(steps)
    assert caught.value.code == "folder_not_writable"
    assert bpy.context.scene.frame_current == 1 and settings_of(sheet).playing

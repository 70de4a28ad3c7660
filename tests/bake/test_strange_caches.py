"""Blender keeps a cache beside each scene that is opened: it is written into no file of somebody else's."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("bpy")
import bpy
from bakes import cloth_and_ball, command_for
from scenes import add_cloth, add_empty, add_grid, empty_scene, react_to, settings_of
from workplaces import place_of, planned, silent

from neural_physics.baking.plan import BakePlan
from neural_physics.blender.baking import preparing
from neural_physics.blender.baking.seals import Trust
from neural_physics.blender.baking.take_scenes import open_with_motion, write_take_scene
from neural_physics.blender.baking.track_recording import record_tracks
from neural_physics.blender.jobs import programs
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest

pytestmark = [pytest.mark.blender]


def cached_scene(scene: Path, name: str) -> Path:
    """Open a scene, and let the cloth of this name keep its cache on disk; the folder, with frames in it."""
    bpy.ops.wm.open_mainfile(filepath=str(scene))
    cache = bpy.data.objects[name].modifiers["Cloth"].point_cache
    cache.name, cache.use_disk_cache, cache.frame_end = "other", True, 200
    bpy.ops.wm.save_mainfile()
    for frame in (1, 2, 3):
        bpy.context.scene.frame_set(frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.wm.save_mainfile()
    for left in scene.parent.glob("*.blend1"):
        left.unlink()
    return scene.with_name(f"blendcache_{scene.stem}")


def exchange(cache: Path, elsewhere: Path, kind: str) -> None:
    """Put what leads elsewhere in the place of the frames from the third on, or of all."""
    elsewhere.mkdir()
    if kind == "folder":
        shutil.rmtree(cache)
        cache.symlink_to(elsewhere)
        return
    for number in range(3, 10):
        frame = cache / f"other_{number:06d}_00.bphys"
        frame.unlink(missing_ok=True)
        if kind == "pipes":
            os.mkfifo(frame)
        else:
            frame.symlink_to(elsewhere / frame.name)


def solved_with_a_cloth_beside(tmp_path, monkeypatch):
    """The plan of a bake by the solver of a scene that has a cloth of Blender's, too."""
    monkeypatch.setattr(programs, "require_ml_backend", lambda _task: Path(sys.executable))
    empty_scene()
    sheet = add_grid("Sheet")
    settings_of(sheet).simulation.kind, settings_of(sheet).simulation.pins = "SHELL", "Pins"
    react_to(sheet, add_empty("Hand"), motion="KEEP")
    add_cloth("Other").location.x = 5.0
    settings_of(sheet).dataset_folder = str(tmp_path / "d")
    settings_of(sheet).take_count, settings_of(sheet).take_frames = 1, 6
    return planned(preparing.prepare_bake(bpy.context.scene, sheet))


@pytest.mark.parametrize("kind", ["frames", "folder", "pipes"])
def test_recording_what_a_begun_take_reacts_to_writes_no_frame_elsewhere(kind, tmp_path, monkeypatch):
    plan, elsewhere = solved_with_a_cloth_beside(tmp_path, monkeypatch), tmp_path / "elsewhere"
    place = place_of(plan)
    write_take_scene(place.scene, plan, plan.take("take_000"), Trust())
    exchange(cached_scene(place.scene, "Other"), elsewhere, kind)
    if kind == "folder":
        with pytest.raises(Problem) as caught:
            record_tracks(plan, place, Trust(), emit=silent, stop=StopRequest())
        assert caught.value.code == "place_is_link"
    else:
        record_tracks(plan, place, Trust(), emit=silent, stop=StopRequest())
        assert place.tracks.is_file()
    assert list(elsewhere.iterdir()) == []


def test_the_copy_that_takes_are_made_from_writes_no_frame_elsewhere(tmp_path):
    cloth = cloth_and_ball()
    add_cloth("Other").location.x = 5.0
    command_for(cloth, tmp_path / "d", 1, 6)
    plan, elsewhere = BakePlan.of_dataset(tmp_path / "d"), tmp_path / "elsewhere"
    exchange(cached_scene(plan.scene_copy, "Other"), elsewhere, "folder")
    with pytest.raises(Problem) as caught:
        open_with_motion(plan, plan.take("take_000"), Trust())
    assert caught.value.code == "place_is_link"
    assert list(elsewhere.iterdir()) == []

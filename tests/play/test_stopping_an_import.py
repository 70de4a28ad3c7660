"""Import Take of files, step by step: Esc is heard, and two imports do not wait for each other for ever."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import play_scenes
import pytest
import synthetic

from neural_physics.blender.settings.properties import settings_of
from neural_physics.blender.tasks import fewer_steps, object_tasks
from neural_physics.datasets.point_caches import write_pc2
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender

FRAMES = 30


@pytest.fixture
def sheet(tmp_path, monkeypatch):
    """A sheet, and a cache of it with what it reacts to beside it; it is stopped at after each frame."""
    monkeypatch.setattr(fewer_steps, "EVERY", 0.0)
    play_scenes.open_scene()
    mesh = synthetic.sheet_mesh(3)
    sheet = play_scenes.add_sheet(play_scenes.add_hand(), "Sheet", mesh)
    settings_of(sheet).dataset_folder = str(tmp_path / "dataset")
    write_pc2(tmp_path / "walk.pc2", np.repeat(mesh.rest_positions[None], FRAMES, 0))
    np.savetxt(tmp_path / "walk.csv", np.zeros((FRAMES, 3)), delimiter=",", header="H.x,H.y,H.z", comments="")
    return sheet


def steps_of(sheet, folder: Path):
    cache, beside = folder / "walk.pc2", folder / "walk.csv"
    return object_tasks.import_steps(bpy.context.scene, sheet, cache, beside, role="training")


def test_an_import_of_files_is_stopped_between_two_frames_and_leaves_no_take(sheet, tmp_path):
    steps = steps_of(sheet, tmp_path)
    assert [next(steps) for _ in range(3)] == [(1, FRAMES), (2, FRAMES), (3, FRAMES)]
    steps.close()
    assert Dataset.open(tmp_path / "dataset").take_names() == []
    assert not (tmp_path / "dataset" / "import.new").exists()
    assert len(list(steps_of(sheet, tmp_path))) > FRAMES
    assert Dataset.open(tmp_path / "dataset").take_names() == ["take_000"]


def test_a_second_import_into_the_same_dataset_is_refused_while_one_is_under_way(sheet, tmp_path):
    """Clicked in another window, it waited for the first one, which could not go on meanwhile."""
    first = steps_of(sheet, tmp_path)
    next(first)
    with pytest.raises(Problem, match="busy with its import") as raised:
        next(steps_of(sheet, tmp_path))
    assert raised.value.code == "object_busy"
    assert len(list(first)) > FRAMES - 2
    next(steps_of(sheet, tmp_path))


def test_small_steps_are_taken_together(sheet, tmp_path, monkeypatch):
    monkeypatch.setattr(fewer_steps, "EVERY", 3600.0)
    assert list(steps_of(sheet, tmp_path)) == []
    assert Dataset.open(tmp_path / "dataset").take_names() == ["take_000"]

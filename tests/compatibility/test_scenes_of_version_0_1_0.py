"""Scenes that version 0.1.0 saved: one plays its packed model, of the other a bake goes on."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")

from bakes import run
from play_scenes import handlers, properties, shown
from test_version_0_1_0 import FIXTURES

from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.blender.playing.output.geometry_nodes import GROUP, add_modifier
from neural_physics.blender.settings.named_places import agree
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender


def opened(path):
    if not hasattr(bpy.types.Object, "neural_physics"):
        properties.register()
    if handlers.on_frame_change not in bpy.app.handlers.frame_change_post:
        handlers.register()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.context.scene, bpy.data.objects["Sheet"]


def test_a_packed_scene_plays_as_it_did_with_no_further_step(tmp_path):
    shutil.copy(FIXTURES / "packed.blend", tmp_path)
    scene, sheet = opened(tmp_path / "packed.blend")
    assert settings_of(sheet).playing and settings_of(sheet).method == "subspace_physics"
    with np.load(FIXTURES / "packed.npz") as then:
        for frame in (30, 10):
            scene.frame_set(frame)
            assert shown(sheet) == pytest.approx(then[str(frame)], abs=2e-5)
    other = bpy.data.objects.new("Other", sheet.data)
    assert add_modifier(other, 0).node_group == add_modifier(sheet, 0).node_group
    assert [group.name for group in bpy.data.node_groups] == [GROUP], "one for all objects, as it was then"


def test_a_bake_that_was_cut_short_goes_on_and_keeps_its_frames(tmp_path):
    shutil.copy(FIXTURES / "baking.blend", tmp_path)
    shutil.copytree(FIXTURES / "dataset", tmp_path / "dataset")
    before = Dataset.open(tmp_path / "dataset").take("take_001").positions.copy()
    scene, sheet = opened(tmp_path / "baking.blend")
    with pytest.raises(Problem) as asked:  # in 0.1.0 a scene could name any place
        prepare_bake(scene, sheet)
    assert asked.value.code == "place_elsewhere"
    agree(tmp_path / "dataset")
    result = run(prepare_bake(scene, sheet))
    assert result["frames"] == 200, result
    dataset = Dataset.open(tmp_path / "dataset")
    positions = dataset.take("take_001").positions
    assert np.array_equal(positions[: len(before)], before), "nothing that was finished is lost"
    with np.load(FIXTURES / "baked_whole.npz") as whole:
        truth = whole["take_001"].reshape(-1, dataset.info.vertex_count, 3)
    # What a bake in one go had; another Blender, or another processor, rounds otherwise.
    further = slice(len(before), None)
    assert np.abs(np.diff(truth[further], axis=0)).max() > 0.01
    print("furthest", np.abs(positions[further] - truth[further]).max())
    assert positions[further] == pytest.approx(truth[further], abs=5e-3)

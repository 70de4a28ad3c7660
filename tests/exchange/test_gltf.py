"""Playing objects as shape keys in glTF: read again, they are as near as was asked for in every frame."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import bpy
import numpy as np
import play_scenes
import pytest
from test_alembic_and_usd import in_the_world, sheet, written

from neural_physics.blender.exchange.exporters import import_scene
from neural_physics.blender.exchange.recording import Sampling
from neural_physics.blender.exchange.writing import write_steps
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender
__all__ = ["sheet"]

FIRST, LAST = 5, 40
NODE_MODULES = Path(__file__).resolve().parents[2] / "build" / "node_modules"


def keys_of(path):
    """How many shapes the file blends."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(path)
    (there,) = (obj for obj in bpy.data.objects if obj.type == "MESH")
    return there, len(there.data.shape_keys.key_blocks) - 1


@pytest.mark.parametrize("error", [0.1, 0.01, 1e-4])
def test_the_error_that_is_asked_for_is_kept_in_every_frame(sheet, tmp_path, error):
    path, sampling = tmp_path / "sheet.glb", Sampling(FIRST, LAST, error=error)
    stretch = float(np.abs(sheet.matrix_world.to_scale()).max())
    played = [in_the_world(sheet, time) for time in sampling.times]
    steps = write_steps(bpy.context.scene, [sheet], path, sampling, show=False)
    said = None
    while said is None:
        try:
            next(steps)
        except StopIteration as end:
            said = end.value
    assert settings_of(sheet).playing and list(tmp_path.iterdir()) == [path]
    there, count = keys_of(path)
    assert said.startswith(f"{count} shape keys, at most ") and 0 < count < LAST - FIRST
    # glTF keeps each corner of a face apart where normals or UVs differ: the nearest place is the vertex.
    for time, places in zip(sampling.times, played, strict=True):
        found = in_the_world(there, time)
        nearest = np.linalg.norm(found[:, None] - places[None], axis=2).min(axis=0)
        assert nearest.max() <= stretch * error + 1e-5


def test_less_error_takes_more_shapes(sheet, tmp_path):
    counts = []
    for number, error in enumerate((0.1, 1e-3)):
        path = tmp_path / f"{number}.glb"
        written([sheet], path, Sampling(FIRST, LAST, error=error))
        counts.append(path)
    few, many = (keys_of(path)[1] for path in counts)
    assert few < many


def test_what_cannot_be_is_a_sentence(sheet, tmp_path):
    with pytest.raises(Problem) as caught:
        written([sheet], tmp_path / "sheet.glb", Sampling(FIRST, LAST), show=True)
    assert caught.value.code == "export_not_shown"
    with pytest.raises(Problem) as caught:
        written([sheet], tmp_path / "sheet.glb", Sampling(FIRST, LAST, error=0.0))
    assert caught.value.code == "shape_keys_too_many"
    assert not list(tmp_path.iterdir())
    assert play_scenes.shown(sheet).any()


@pytest.mark.once
@pytest.mark.skipif(
    not (NODE_MODULES / "gltf-validator").is_dir(), reason="npm install --prefix build gltf-validator"
)
def test_khronos_validator_finds_no_error(sheet, tmp_path):
    path = tmp_path / "sheet.glb"
    written([sheet], path, Sampling(FIRST, LAST, error=0.01))
    command = ["node", Path(__file__).with_name("validate_gltf.js"), path]
    said = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "NODE_PATH": str(NODE_MODULES)},
    )
    issues = json.loads(said.stdout)
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"]

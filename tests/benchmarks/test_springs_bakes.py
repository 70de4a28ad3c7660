"""What the springs' benchmark is baked from: one action after standing, and no pose of the unseen one."""

from __future__ import annotations

import sys

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")
pytest.importorskip("rich")
pytest.importorskip("scipy")
pytestmark = pytest.mark.blender

from benchmarks.quasistatic_springs import bakes, scenes, soft_body
from benchmarks.quasistatic_springs.regions import REGIONS, regions_of
from benchmarks.quasistatic_springs.scenes import (
    AFTER,
    CHARACTERS,
    FINE,
    FITTED,
    JUDGED,
    MOST,
    STANDING,
    UNSEEN,
    Character,
)
from neural_physics.blender.baking.motion.pose_motion import _posing_actions
from neural_physics.blender.examples import build
from neural_physics.blender.scene.rigs.skins import simulated_mesh
from neural_physics.blender.scene.sources import read_positions
from neural_physics.blender.settings.properties import settings_of
from tools import workshop

FIRST = 1  # frame


def carried(body: bpy.types.Object, frame: int) -> np.ndarray:
    """(V, 3) metres: where bones carry the body."""
    bpy.context.scene.frame_set(frame)
    return read_positions(body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)


@pytest.fixture(params=JUDGED, ids=lambda character: character.name)
def character(request) -> Character:
    return request.param


@pytest.mark.parametrize("use", [FITTED, UNSEEN])
def test_a_character_stands_and_then_does_one_action(character, use):
    body, frames = bakes.staged(character, use)
    still = read_positions(body.data)
    assert STANDING + AFTER < frames <= STANDING + MOST < STANDING + 100
    first = FIRST + STANDING
    for frame in (FIRST, first - 1, first):
        assert np.abs(carried(body, frame) - still).max() < 1e-4
    moved = [np.abs(carried(body, frame) - still).max() for frame in range(first, FIRST + frames, 4)]
    assert max(moved) > 0.1
    assert np.abs(carried(body, FIRST + frames - 1) - still).max() < 1e-3


def test_no_pose_is_of_the_unseen_action(character):
    body, _ = bakes.staged(character, FITTED)
    (item,) = settings_of(body).interactions
    actions = {action.name for action in _posing_actions(body, item.object)}
    assert character.fitted in actions and character.unseen not in actions


def test_regions_are_as_much_on_the_left_as_on_the_right(character):
    body, _ = bakes.staged(character, FITTED)
    bpy.context.view_layer.update()
    mesh = simulated_mesh(body)
    found = regions_of(character.example, mesh)
    assert list(found)[1:] == list(REGIONS[character.example])
    for inside in found.values():
        x = mesh.rest_positions[inside, 0]
        assert inside.sum() > 50
        assert (x > 0.01).sum() == pytest.approx((x < -0.01).sum(), rel=0.05)


def test_the_fine_character_has_as_many_vertices_as_the_paper_s():
    body, _ = bakes.staged(FINE, FITTED)
    assert 13_575 <= len(body.data.vertices) < 14_000


@pytest.mark.parametrize("character", CHARACTERS, ids=lambda character: character.name)
def test_a_soft_body_with_a_stiff_goal_goes_where_bones_carry_it(character):
    body, _ = bakes.staged(character, FITTED)
    frames = STANDING + 6
    bones = np.stack([carried(body, FIRST + t) for t in range(frames)])
    goal = soft_body.Goal(spring=0.99, friction=5.0, edges=0.0)
    shown = soft_body.simulated(body, goal, frames)
    assert np.isfinite(shown).all()
    assert 1e-6 < np.abs(shown - bones).max() < 0.05


@pytest.mark.slow
def test_what_is_baked_is_what_the_benchmark_takes(tmp_path, monkeypatch):
    """The coarsest character there can be, a few poses and frames."""
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(workshop.ROOT))
    for module in (bakes, scenes):
        monkeypatch.setattr(module, "SCENES", tmp_path / "scenes")
        monkeypatch.setattr(module, "STANDING", 3)
        monkeypatch.setattr(module, "MOST", 6)
    monkeypatch.setattr(bakes, "build", coarse)
    few = Character("Few", "SOFT_CHARACTER", "Hop", "Walk", poses=10)
    bakes.bake(few)
    dataset = scenes.baked(few)
    assert dataset is not None
    roles = {take.name: take.info.role for take in dataset.takes()}
    assert roles == {"hop": "training", "walk": "test"}
    assert sum(len(take.positions) for take in dataset.takes(kind="quasistatic")) == 10
    for take in dataset.takes():
        assert take.segments() == [(3, 9)]
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "scenes").rglob("*.pc2")}
    bakes.bake(few)
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "scenes").rglob("*.pc2")}


def coarse(example, scene):
    body = build(example, scene)
    simulation = settings_of(body).simulation
    simulation.filling, simulation.tetrahedra, simulation.steps = "cage", 300, 1
    return body

"""What the measurements of hierarchical cloth stand on: metres, trainings that go on, angles, pictures."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("scipy")
pytest.importorskip("matplotlib")
pytestmark = pytest.mark.torch

from benchmarks.hierarchical_cloth import curves, pictures, tables
from benchmarks.hierarchical_cloth.conjugate_gradients import ConjugateGradients
from benchmarks.hierarchical_cloth.curves import equation_7, learned, linear_subdivision_error
from benchmarks.hierarchical_cloth.scenes import scenes_of
from benchmarks.hierarchical_cloth.stretched import compared, roughness
from benchmarks.hierarchical_cloth.structures import DEPTHS, WIDTHS
from benchmarks.hierarchical_cloth.times import random_networks
from benchmarks.hierarchical_cloth.training_table import as_lists
from learning.training.loop import Schedule
from ml_backend.methods.hierarchical_cloth.errors import linear_subdivision
from ml_backend.methods.hierarchical_cloth.pairs import Shapes, pairs_of
from ml_backend.methods.hierarchical_cloth.presets import PRESETS
from ml_backend.methods.hierarchical_cloth.scenes import (
    ClothScene,
    Fabric,
    grid_triangles,
    random_scenes,
    simulated,
)
from neural_physics.methods.hierarchical_cloth.batched_perceptron import Layers
from neural_physics.projective_dynamics.cloth import GRAVITY, Cloth, Load
from neural_physics.subdivision.coarsening import found_hierarchy
from neural_physics.subdivision.levels import level_of

ALL = 10**6
SMALL = replace(PRESETS["paper"], epochs=40.0, batch=50)


@pytest.fixture(scope="module")
def scene():
    return random_scenes(1, 1, frames=20, columns=9, rows=13, spacing=1 / 8)[0]


@pytest.fixture(scope="module")
def shapes(scene):
    mesh = scene.mesh()
    frames = simulated(scene)[4::5].astype(np.float32)
    return Shapes(found_hierarchy(mesh, 2, "Sheet"), mesh.rest_positions, frames)


def test_equation_7_is_in_metres_whatever_form_the_pairs_have(shapes):
    """Linear subdivision three times: said by a network of the paper's form, missing in ours, and by hand."""
    level = shapes.hierarchy.levels[0]
    squares = []
    for frame in shapes.frames:
        x = shapes.hierarchy.sorted(frame)
        for triangle, sides in zip(level.triangles, level.sides, strict=True):
            for corner, side in enumerate(sides):
                a, b = np.delete(triangle, corner)
                squares.append(((0.5 * (x[a] + x[b]) - x[level.vertex_count + side]) ** 2).sum())
    by_hand = np.sqrt(np.sum(squares) / (len(squares) / 3))
    weight = np.zeros((3, 3, 3, 3), np.float32)  # axis and side said, axis and corner seen
    for axis in range(3):
        weight[axis, :, axis] = 0.5 * (1.0 - np.eye(3))
    halfway = Layers([(weight.reshape(9, 9), np.zeros(9, np.float32))])
    assert equation_7(halfway, pairs_of([shapes], 1, "paper", ALL, seed=0)) == pytest.approx(
        by_hand, rel=1e-4
    )
    assert linear_subdivision_error(pairs_of([shapes], 1, "local", ALL, seed=0)) == pytest.approx(
        by_hand, rel=1e-4
    )


def test_a_training_that_was_killed_ends_as_if_it_had_not_been(shapes, tmp_path, monkeypatch):
    pairs = pairs_of([shapes], 2, "paper", ALL, seed=0)
    seen, unseen = pairs.some(100, np.random.default_rng(0)), pairs.some(100, np.random.default_rng(1))
    whole, _ = learned(seen, unseen, SMALL, 8, checkpoint=tmp_path / "whole.safetensors", identity="pairs")
    monkeypatch.setattr(curves, "Schedule", partial(Schedule, checkpoint_every=0.0))
    with monkeypatch.context() as killing:
        step = curves._Learner.step

        def killed(self, number, share):
            if number == 33:
                raise KeyboardInterrupt
            return step(self, number, share)

        killing.setattr(curves._Learner, "step", killed)
        with pytest.raises(KeyboardInterrupt):
            learned(seen, unseen, SMALL, 8, checkpoint=tmp_path / "parts.safetensors", identity="pairs")
    gone_on, _ = learned(seen, unseen, SMALL, 8, checkpoint=tmp_path / "parts.safetensors", identity="pairs")
    assert as_lists(gone_on) == as_lists(whole)
    assert gone_on.epochs == pytest.approx(5.0 * np.arange(1, 9)) and gone_on.at(16.0) == gone_on.at(15.0)
    assert gone_on.seen[-1] < gone_on.seen[0]


def test_structures_are_those_of_the_figure(shapes):
    assert [layers for layers, width in DEPTHS if width == 32] == [2, 3, 4, 5]
    assert [width for layers, width in WIDTHS if layers == 3] == [16, 32, 64, 128]
    hierarchy, rest = shapes.hierarchy, shapes.hierarchy.sorted(shapes.rest)
    found = random_networks(hierarchy, rest, "local", 5, width=16)
    fine = found(rest[: hierarchy.levels[0].vertex_count]).T
    assert fine == pytest.approx(rest, abs=1e-6)


def test_what_is_measured_was_not_learned_from():
    seeds = {part: {(s.kind, s.seed) for s in scenes_of(part)} for part in ("training", "validation")}
    known = seeds["training"] | seeds["validation"]
    assert len(known) == 21
    for part in ("motion", "stiffness", "colliders", "stretched"):
        assert not known & {(s.kind, s.seed) for s in scenes_of(part)}
    with pytest.raises(ValueError, match="nothing"):
        scenes_of("nothing")


@pytest.mark.parametrize("degrees", [0.0, 25.0, 90.0])
def test_two_triangles_folded_by_an_angle_are_that_rough(degrees):
    folded = np.radians(degrees)
    x = np.array([[0, 0, 0], [0, 1, 0], [-1, 0, 0], [np.cos(folded), 0, np.sin(folded)]])
    level = level_of(np.array([[0, 1, 2], [1, 0, 3]]), 4)
    assert roughness(level, x) == pytest.approx(degrees, abs=1e-6)


def test_noisy_vertices_are_measured_and_drawn_as_rougher(scene, shapes):
    plain = linear_subdivision(shapes.hierarchy)
    rng = np.random.default_rng(0)

    def noisy(x):
        fine = np.array(plain(x))
        fine[:, len(x) :] += 0.02 * rng.normal(size=fine[:, len(x) :].shape)
        return fine

    ways = {"linear": plain, "noisy": noisy}
    row = compared(scene, shapes, ways)
    assert row["errors"]["noisy"] > row["errors"]["linear"] > 0.0
    assert row["degrees"]["noisy"] > row["degrees"]["linear"] + 5.0
    assert 0.9 < row["times"] < 2.0
    text = tables.stretched({"rows": [row]})
    assert "| simulated |" in text and f"{1e3 * row['errors']['noisy']:.1f}" in text
    figure = pictures.draw_shapes([(scene, shapes, 2, ways)], coarse=True)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[:2] == ["level 0", "simulated"] and titles[2].startswith("linear: ")
    linear, rough = (np.asarray(axes.images[0].get_array(), float) for axes in figure.axes[2:4])
    uneven = [np.abs(np.diff(pixels[..., :3], axis=1)).mean() for pixels in (linear, rough)]
    assert uneven[1] > 1.5 * uneven[0], "light and shadow side by side"


def test_conjugate_gradients_step_as_admm_does_once_both_have_converged():
    # In so short a step nothing moves so far that it matters that CG solves a linear system.
    scene = ClothScene(0, "flag", Fabric(), 9, rows=9, spacing=1 / 8, dt=1 / 600)
    mesh, triangles = scene.mesh(), grid_triangles(9, 9)
    slow = ConjugateGradients(scene, triangles)
    cloth = Cloth(mesh.rest_positions, triangles, np.flatnonzero(mesh.pins), scene.dt)
    x, v, wind = slow.rest, np.zeros_like(slow.rest), np.array([1.0, 2.0, 0.0])
    by_cg, _ = slow.step(x, v, wind)
    by_admm, _ = cloth.step(x, v, scene.fabric, Load(wind, GRAVITY), iterations=300)
    moved = np.abs(by_admm - x).max()
    assert moved > 1e-5 and np.abs(by_cg - by_admm).max() < 0.02 * moved


def test_the_papers_figures_stand_at_their_epochs():
    curve = {"epochs": [100.0 * k for k in range(1, 51)], "seen": [0.02] * 50, "unseen": [0.03] * 50}
    rows = [
        {"level": level, "linear": [0.01, 0.011], "curves": {"paper": curve, "local": curve}}
        for level in (1, 2)
    ]
    lines = tables.epochs({"pairs": 10, "rows": rows}).splitlines()
    assert "| 1 | 5,000 | 20.00 | 30.00 | 20.00 | 30.00 | 1.63e-06 |" in lines
    assert "| 2 | 1,500 | 20.00 | 30.00 | 20.00 | 30.00 | 1.45e-06 |" in lines
    assert "| 2 | 500 | 20.00 | 30.00 | 20.00 | 30.00 |  |" in lines

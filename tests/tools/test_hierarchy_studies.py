"""What the studies of Fig. 10 and 11 of Oh 2018 stand on: angles told right, and every structure trained."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("scipy")
pytestmark = pytest.mark.torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from hierarchy_studies import DEPTHS, WIDTHS, roughness, stretched, structures, study  # noqa: E402

from ml_backend.cloth_scenes import random_scenes, simulated  # noqa: E402
from ml_backend.level_errors import linear_subdivision  # noqa: E402
from ml_backend.level_pairs import Shapes  # noqa: E402
from ml_backend.methods.level_presets import PRESETS  # noqa: E402
from neural_physics.hierarchy.coarsening import found_hierarchy  # noqa: E402
from neural_physics.hierarchy.levels import level_of  # noqa: E402


@pytest.fixture(scope="module")
def shapes():
    scene = random_scenes(1, 1, frames=20, columns=9, rows=13, spacing=1 / 8)[0]
    mesh = scene.mesh()
    frames = simulated(scene)[4::5].astype(np.float32)
    return Shapes(found_hierarchy(mesh, 2, "Sheet"), mesh.rest_positions, frames)


@pytest.mark.parametrize("degrees", [0.0, 25.0, 90.0])
def test_two_triangles_folded_by_an_angle_are_that_rough(degrees):
    folded = np.radians(degrees)
    x = np.array([[0, 0, 0], [0, 1, 0], [-1, 0, 0], [np.cos(folded), 0, np.sin(folded)]])
    level = level_of(np.array([[0, 1, 2], [1, 0, 3]]), 4)
    assert roughness(level, x) == pytest.approx(degrees, abs=1e-6)


def test_structures_are_those_of_the_figure_and_each_is_trained(shapes, tmp_path):
    preset = replace(PRESETS["preview"], pairs=200, steps=6, validate_every=3, batch=32)
    hidden = {name: made.hidden for name, made in structures(preset).items()}
    assert len(hidden) == len(DEPTHS) + len(WIDTHS) - 1  # three of 32 are in both
    assert hidden["5 layers of 32"] == [32] * 4 and hidden["3 layers of 128"] == [128] * 2
    results = study(preset, [shapes], [shapes], 1.0, tmp_path)
    assert set(results) == set(hidden)
    assert all(0.0 < error < 10.0 and steps == 6 for error, steps in results.values())


def test_what_is_inferred_with_noise_is_told_and_shown_to_be_rougher(shapes, tmp_path, capsys):
    plain = linear_subdivision(shapes.hierarchy)
    rng = np.random.default_rng(0)

    def noisy(x):
        fine = np.array(plain(x))
        fine[:, len(x) :] += 0.02 * rng.normal(size=fine[:, len(x) :].shape)
        return fine

    picture = tmp_path / "stretched.png"
    results = stretched(shapes, {"linear": plain, "noisy": noisy}, picture)
    assert results["noisy"][0] > results["linear"][0] > 0.0 == results["simulated"][0]
    assert results["noisy"][1] > results["linear"][1] + 5.0
    assert picture.read_bytes().startswith(b"\x89PNG") and "noisy" in capsys.readouterr().out

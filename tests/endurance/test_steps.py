"""A short `make endurance`: every method steps through bursts of what no scene gives, and comes back."""

from __future__ import annotations

import random

import numpy as np
import pytest

pytest.importorskip("torch")  # the fuzzer's models are made with the trainers

from lengths import at_length

from tools.endurance.interactions import BURSTS, LONGEST_BURST, bursts, ordinary
from tools.endurance.models import CHOSEN, tiny_models
from tools.endurance.stepping import endure

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return tiny_models(tmp_path_factory.mktemp("endurance"))


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOSEN)
def test_a_method_comes_back_from_whatever_it_reacts_to(models, name):
    endured = endure(name, models[name], at_length(1200, 2500), seed=8)
    assert endured.sound, endured.line()
    assert set(endured.bursts) == set(BURSTS)


def test_cloth_is_not_said_to_endure_where_it_is_lost(models, monkeypatch):
    name = "hierarchical_cloth"
    monkeypatch.setattr("tools.endurance.stepping.FAR", 0.01)
    monkeypatch.setattr("tools.endurance.stepping.LOST_AFTER", 20)
    endured = endure(name, models[name], 230, seed=8)
    assert endured.lost and not endured.sound


def test_a_shape_that_is_no_number_is_counted(models, monkeypatch):
    name = "latent_dynamics"
    from neural_physics.methods.latent_dynamics.method import LatentDynamics

    shapes = LatentDynamics.positions
    monkeypatch.setattr(
        LatentDynamics,
        "positions",
        lambda method, state, y: shapes(method, state, y) * (np.nan if np.isnan(y).any() else 1.0),
    )
    endured = endure(name, models[name], 1500, seed=8)
    assert set(endured.not_finite) == {"NaN"} and not endured.sound


def test_the_same_seed_brings_the_same_bursts(models):
    model = models["contact_corrections, sized ball"]
    one, other = ([next(found) for _ in BURSTS] for found in [bursts(model, random.Random(3)) for _ in "12"])
    assert {kind for kind, _ in one} == set(BURSTS)
    for (kind, ys), (same, again) in zip(one, other, strict=True):
        assert kind == same and 1 <= len(ys) <= LONGEST_BURST
        assert np.array_equal(ys, again, equal_nan=True)


def test_an_ordinary_scene_has_the_fabric_that_the_cloth_was_trained_with(models):
    model = models["hierarchical_cloth"]
    place = model.info.channels.slices()["stretch"]
    assert ordinary(model, 7)[place] == np.float32(model.info.settings["fabric"]["stretch"])

"""What a level's network learns, where the truth is known."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

if not find_spec("torch"):
    pytest.skip("training needs torch", allow_module_level=True)

from ml_backend.methods.hierarchical_cloth.learner import LevelLearner
from ml_backend.methods.hierarchical_cloth.pairs import Pairs
from ml_backend.methods.hierarchical_cloth.presets import LevelPreset
from neural_physics.methods.hierarchical_cloth.batched_perceptron import BatchedPerceptron

pytestmark = pytest.mark.torch


def said(learner, features):
    """What the network of the first level says, as Play asks it."""
    return BatchedPerceptron(learner.levels[0].layers(), len(features))(np.ascontiguousarray(features.T)).T


def pairs(function, rng, count=4000, size=0.02, inputs=36):
    x = (0.3 * rng.normal(size=(count, inputs))).astype(np.float32)
    return Pairs(x, function(x).astype(np.float32), np.full(count, size, np.float32))


def test_what_is_linear_is_known_before_the_first_step(rng):
    """Of a map that the mirror leaves alone: what is along the normal comes from what is along it."""
    a = rng.normal(size=(36, 9))
    a[:24, 6:], a[24:, :6] = 0.0, 0.0
    data = pairs(lambda x: x @ a, rng)
    learner = LevelLearner([data], [], LevelPreset(), 0)
    for p in learner.levels[0].parameters[-2:]:
        p.data.zero_()
    assert said(learner, data.features) == pytest.approx(data.targets, abs=2e-3)


@pytest.mark.parametrize("loss", ["square", "rmse"])
def test_a_network_learns_what_is_not_linear(loss, rng):
    def bent(x):
        return np.stack([np.abs(x[:, k % 2]) * 0.01 for k in range(9)], 1)

    data, unseen = pairs(bent, rng, inputs=9), pairs(bent, rng, inputs=9)
    preset = LevelPreset(loss=loss, mirror=False, linear=loss == "square", batch=512, epochs=60.0)
    learner = LevelLearner([data], [], preset, 0)
    losses = [learner.step(k, k / 400) for k in range(400)]
    assert np.mean(losses[-20:]) < 0.2 * losses[0]
    left = said(learner, unseen.features) - unseen.targets
    assert (left**2).mean() < 0.2 * unseen.targets.var()
    if loss == "rmse":  # equation 7, in metres: of all nine numbers of a triangle, a mean over triangles
        seen = said(learner, data.features) - data.targets
        assert losses[-1] == pytest.approx(0.02 * np.sqrt((seen**2).sum(1).mean()), rel=0.2)


def test_mirrored_pairs_teach_mirrored_answers(rng):
    """Pairs bent to one side only: the other side is answered as if seen in a mirror."""

    def along(x):
        out = np.zeros((len(x), 9))
        out[:, 6] = x[:, 24] * np.abs(x[:, 24])
        out[:, 0] = np.abs(x[:, 24])
        return out

    x = (0.3 * rng.normal(size=(4000, 36))).astype(np.float32)
    x[:, 24] = np.abs(x[:, 24])
    data = Pairs(x, along(x).astype(np.float32), np.ones(4000, np.float32))
    other = x[:500].copy()
    other[:, 24:] *= -1.0

    def wrong(mirror):
        learner = LevelLearner([data], [], LevelPreset(batch=512, mirror=mirror), 0)
        for k in range(200):
            learner.step(k, k / 200)
        left = said(learner, other) - along(other)
        return (left[:, [0, 6]] ** 2).mean() / (along(other)[:, [0, 6]] ** 2).mean()

    assert wrong(mirror=True) < 0.3
    assert wrong(mirror=False) > 1.0


def test_the_limits_are_those_of_the_pairs_and_their_mirror_images(rng):
    data = pairs(lambda x: x[:, :9], rng)
    limits = LevelLearner([data], [], LevelPreset(), 0).levels[0].layers().limits
    assert (limits[0] <= data.features.min(0)).all() and (limits[1] >= data.features.max(0)).all()
    assert (limits[0, 24:] == -limits[1, 24:]).all()
    assert LevelLearner([data], [], LevelPreset(limits=False), 0).levels[0].layers().limits is None


def test_epochs_are_over_the_most_pairs(rng):
    data = pairs(lambda x: x[:, :9], rng, count=1000)
    few = pairs(lambda x: x[:, :9], rng, count=100)
    assert LevelLearner([few, data], [], LevelPreset(epochs=7.0, batch=100), 0).steps == 70

"""A training that begins to diverge, and what becomes of it."""

from dataclasses import replace

import numpy as np
import pytest
from motion_data import make_dataset

from learning.methods.subspace_physics import going_back
from learning.methods.subspace_physics.going_back import EVERY, GoingBack
from learning.methods.subspace_physics.learner import SubspaceLearner
from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.presets import PRESETS
from learning.training.spans import split
from learning.training.subspace_data import prepare
from neural_physics.jobs.events import StopRequest

STEPS = 300


def told(guard, losses, first=0):
    """What comes of each loss, where a state is the number of the step it was made after."""
    return [
        guard.after(loss, lambda number=number: {"step": np.array([number])})
        for number, loss in enumerate(losses, first + 1)
    ]


@pytest.fixture
def guard():
    guard = GoingBack({"step": np.array([0])})
    assert not any(told(guard, np.random.default_rng(0).uniform(0.5, 1.5, STEPS)))
    return guard


def test_it_goes_back_to_before_losses_rose_and_halves_the_rate(guard):
    back = [state for state in told(guard, [20.0] * 10, STEPS) if state is not None]
    assert EVERY <= STEPS - int(back[0]["step"][0]) <= 2 * EVERY
    assert guard.rate == 0.5 ** len(back) and len(back) < 10
    assert 0.9 < guard.usual < 1.1, "what was lost is not usual"


def test_a_loss_that_rises_slowly_or_once_is_no_reason(guard):
    assert not any(told(guard, [1.0, 30.0, *[1.0] * 50, *np.linspace(1.0, 4.0, 400)], STEPS))


def test_what_is_no_number_is_a_reason_at_once_but_not_for_ever(guard):
    back = told(guard, [np.nan] * 20, STEPS)
    assert sum(state is not None for state in back) == going_back.MOST_TIMES
    assert back[-1] is None, "the training is told to diverge"


def test_what_was_saved_decides_the_same(guard):
    other = GoingBack({"step": np.array([-1])})
    other.restore(guard.state())
    losses = [*[1.0] * 60, *[20.0] * 30]
    mine, its = (told(each, losses, STEPS) for each in (guard, other))
    assert mine == its and any(mine)
    assert guard.rate == other.rate


def test_a_step_too_far_does_not_lose_a_training(tmp_path, monkeypatch):
    dataset = make_dataset(tmp_path / "dataset", 300)
    spans = split(dataset)
    data = prepare(*spans, dataset.info, 4, emit=lambda event: None, stop=StopRequest()).in_relative_scale()
    preset = replace(PRESETS["balanced"], batch=8)
    ends = {}
    for goes_back in (True, False):
        if not goes_back:
            monkeypatch.setattr(going_back, "MOST_TIMES", 0)
        network = SubspaceNetwork(data, preset, 0)
        learner = SubspaceLearner(data, preset, 24.0, 0, network=network, roller=network)
        losses = []
        for k in range(STEPS):
            losses.append(learner.step(k, k / STEPS))
            if k == STEPS // 2:
                learner.theta += (
                    np.random.default_rng(0).standard_normal(learner.theta.shape).astype(np.float32)
                )
        ends[goes_back] = np.mean(losses[-50:])
    before = np.mean(losses[: STEPS // 2][-50:])
    assert ends[True] < before < 0.2 * ends[False]

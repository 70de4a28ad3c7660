"""A training computes where its steps take less time: by NumPy, or on the graphics card."""

from __future__ import annotations

import time

import pytest

from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.presets import PRESETS
from learning.training.spans import split
from learning.training.subspace_data import prepare
from ml_backend.methods.subspace_physics.chosen_roller import NO_USE, quicker_roller
from neural_physics.jobs.events import StopRequest

PRESET = PRESETS["preview"]


class Card:
    """Rolls out in the given time, and nothing else."""

    device = "cuda"

    def __init__(self, seconds: float, error: str = "") -> None:
        self._seconds, self._error = seconds, error

    def rollout(self, theta, z0, z1, w):
        raise AssertionError("steps are timed, not rollouts")

    def with_pullback(self, theta, z0, z1, w):
        if self._error:
            raise RuntimeError(self._error)
        time.sleep(self._seconds)
        return z0, lambda slope: theta


@pytest.fixture
def network(dataset):
    data = prepare(*split(dataset), dataset.info, 6, emit=lambda event: None, stop=StopRequest())
    return SubspaceNetwork(data, PRESET, 0)


@pytest.mark.parametrize(("seconds", "chosen"), [(0.0, "cuda"), (0.5, "cpu")])
def test_the_sooner_one_is_chosen(network, seconds, chosen):
    said = []
    assert quicker_roller(network, PRESET, said.append, lambda _: Card(seconds)).device == chosen
    assert not said


def test_a_card_of_no_use_is_told_and_the_processor_trains(network):
    said = []
    card = Card(0.0, "CUDA error: no kernel image is available\nCompile with ...")
    assert quicker_roller(network, PRESET, said.append, lambda _: card) is network
    assert said == [{"event": "log", "text": NO_USE.format("CUDA error: no kernel image is available")}]

"""Windows that processes share: what comes of them, and when a process ends too soon."""

from dataclasses import replace

import numpy as np
import pytest
from motion_data import make_dataset
from test_subspace_training import silent

from learning.methods.subspace_physics.network_for_dataset import network_for
from learning.methods.subspace_physics.presets import PRESETS
from learning.methods.subspace_physics.rolling_helper import helper_words
from learning.methods.subspace_physics.shared_rolling import processes_for, shared
from learning.training.spans import split
from learning.training.subspace_data import prepare
from learning.training.tensor_files import write_tensors
from neural_physics.jobs.events import StopRequest

PRESET, SEED, WINDOWS = PRESETS["balanced"], 3, 50


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return make_dataset(tmp_path_factory.mktemp("takes") / "dataset", 200, ball=0.6)


@pytest.fixture(scope="module")
def kept(dataset, tmp_path_factory):
    """What a training leaves of its data, and the data."""
    data = prepare(*split(dataset), dataset.info, 4, emit=silent, stop=StopRequest())
    path = tmp_path_factory.mktemp("training") / "subspace.safetensors"
    write_tensors(path, data.to_tensors(), {})
    return path, data.in_relative_scale()


@pytest.fixture
def network(dataset, kept):
    return network_for(kept[1], dataset, PRESET, SEED)


@pytest.fixture
def three(dataset, kept, network):
    """The network in three processes."""
    with shared(network, helper_words(dataset.path, kept[0], PRESET, SEED), 3) as roller:
        yield roller


def windows(data):
    """z and w of each frame of some windows."""
    frames = np.arange(8)[:, None] + 3 * np.arange(WINDOWS)
    return data.training.z[frames], data.training.w[frames]


def rolled(roller, network, data, between=lambda: None):
    """States and gradient of windows; between: what happens after the states."""
    z, w = windows(data)
    states, pullback = roller.with_pullback(network.initial, z[0], z[1], w)
    between()
    return states, pullback((states - z[2:]) / states.size)


def test_shares_come_out_as_the_whole(three, network, kept):
    alone, together = rolled(network, network, kept[1]), rolled(three, network, kept[1])
    assert np.ptp(alone[0]) > 0.1
    assert together[0] == pytest.approx(alone[0], abs=1e-5)
    scale = np.abs(alone[1]).max()
    assert together[1] / scale == pytest.approx(alone[1] / scale, abs=1e-5)
    assert all(helper._process.poll() is None for helper in three._helpers), "the others did their shares"


def test_what_a_process_does_not_do_any_more_is_done_here_to_the_bit(three, network, kept):
    first, second = (helper._process for helper in three._helpers)
    whole = rolled(three, network, kept[1])

    def end(process):
        process.kill()
        process.wait()

    halfway = rolled(three, network, kept[1], between=lambda: end(first))
    end(second)
    without = rolled(three, network, kept[1])
    for found in (halfway, without):
        assert all(np.array_equal(a, b) for a, b in zip(found, whole, strict=True))


def test_processes_that_cannot_begin_are_done_without(dataset, tmp_path, network, kept):
    words = helper_words(dataset.path, tmp_path / "nothing.safetensors", PRESET, SEED)
    with shared(network, words, 2) as roller:
        states, _ = rolled(roller, network, kept[1])
    assert states == pytest.approx(rolled(network, network, kept[1])[0], abs=1e-5)


def test_no_process_is_left_when_training_is_over(dataset, kept, network):
    with shared(network, helper_words(dataset.path, kept[0], PRESET, SEED), 3) as roller:
        processes = [helper._process for helper in roller._helpers]
        rolled(roller, network, kept[1])
        assert [process.poll() for process in processes] == [None, None]
    assert None not in [process.poll() for process in processes]


def test_a_process_ends_with_whoever_started_it(dataset, kept, network):
    with shared(network, helper_words(dataset.path, kept[0], PRESET, SEED), 2) as roller:
        rolled(roller, network, kept[1])
        (helper,) = roller._helpers
        process, helper._process = helper._process, None
        process.stdin.close()  # as the system does when a process is killed
        assert process.wait(20.0) == 0


def test_small_networks_are_not_shared(dataset, kept):
    data = kept[1]
    assert processes_for(network_for(data, dataset, PRESET, SEED), 96, cores=8) == 1


def test_large_ones_are_shared_as_far_as_there_are_cores_and_windows(dataset, kept, monkeypatch):
    network = network_for(kept[1], dataset, PRESET, SEED)
    monkeypatch.setattr(network, "sizes", [*network.sizes[:-1], 64])
    asked = [(96, 1), (96, 2), (96, 8), (60, 8), (10, 8)]
    assert [processes_for(network, count, cores=cores) for count, cores in asked] == [1, 2, 4, 2, 1]
    without = network_for(kept[1], dataset, replace(PRESET, physics=False), SEED)
    monkeypatch.setattr(without, "sizes", [*without.sizes[:-1], 64])
    assert processes_for(without, 96, cores=8) == 1

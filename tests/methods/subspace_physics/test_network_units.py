"""What the first layer learns from, against the takes themselves."""

from dataclasses import replace

import numpy as np
import pytest
from motion_data import make_dataset

from learning.methods.subspace_physics.initial_model import EachBasisByItself
from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.network_units import input_mixing
from learning.methods.subspace_physics.presets import PRESETS
from learning.training.spans import split
from learning.training.subspace_data import prepare
from neural_physics.jobs.events import StopRequest

BASES = 4
EQUATION_1 = EachBasisByItself(np.ones(BASES, np.float32), np.ones(BASES, np.float32))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    dataset = make_dataset(tmp_path_factory.mktemp("takes") / "dataset", 300)
    spans = split(dataset)
    return prepare(
        *spans, dataset.info, BASES, emit=lambda event: None, stop=StopRequest()
    ).in_relative_scale()


def root_mean_square(x):
    return float(np.sqrt(np.square(x).mean()))


def frames_seen(data):
    """[z_bar, z, w, dw] at each training frame, where z_bar is the true next state."""
    rows = []
    for run in data.training.runs():
        z, w = data.training.z[run], data.training.w[run]
        rows.append(np.concatenate([z[1:], z[:-1], w[1:], np.diff(w, axis=0)], 1))
    return np.concatenate(rows)


def test_what_changes_is_learned_from_as_large_as_what_is(data):
    x, v = frames_seen(data), data.training.w.shape[1]
    learned_from = x @ input_mixing(data, 1.0, EQUATION_1, w=2 * v, unit_changes=True)
    change, z, w, w_change = np.split(learned_from, np.cumsum([BASES, BASES, v]), 1)
    assert root_mean_square(z) == pytest.approx(1.0, rel=0.05)
    assert root_mean_square(change) == pytest.approx(root_mean_square(z), rel=0.05)
    assert root_mean_square(w_change) == pytest.approx(0.5, rel=0.05)
    assert w == pytest.approx(x[:, 2 * BASES : 2 * BASES + v])
    raw_change = x[:, :BASES] - x[:, BASES : 2 * BASES]
    times = root_mean_square(change) / root_mean_square(raw_change)
    assert times > 5.0, "it was small"
    assert change == pytest.approx(times * raw_change, abs=1e-3)


def test_without_it_the_network_learns_from_its_inputs_themselves(data):
    mixing = input_mixing(data, 0.0, EQUATION_1, w=3, unit_changes=False)
    assert mixing == pytest.approx(np.eye(len(mixing)))


def test_what_never_changes_is_left_as_it_is(data):
    still = replace(
        data.training, z=data.training.z[:1].repeat(len(data.training.z), 0), w=0 * data.training.w
    )
    v = still.w.shape[1]
    mixing = input_mixing(replace(data, training=still), 1.0, EQUATION_1, w=2 * v, unit_changes=True)
    assert np.isfinite(mixing).all()


def test_play_is_given_weights_for_the_inputs_themselves(data):
    """The same network, told in either way what it learns from."""
    mixed = SubspaceNetwork(data, PRESETS["balanced"], 0)
    plain = SubspaceNetwork(data, replace(PRESETS["balanced"], unit_changes=False, emphasis=0.0), 0)
    theta = mixed.initial + 0.05 * np.random.default_rng(0).standard_normal(len(mixed.initial)).astype(
        np.float32
    )
    tensors = mixed.tensors(theta)
    told = theta.copy()
    names = [f"layers.{k}.weight" for k in range(len(mixed.sizes) - 1)] + ["layers.shortcut"]
    for (first, (rows, columns)), name in zip(plain.matrices, names, strict=True):
        told[first : first + rows * columns] = tensors[name].ravel()
        if name != "layers.shortcut":
            bias = slice(first + rows * columns, first + rows * columns + rows)
            told[bias] = tensors[name.replace("weight", "bias")]
    z, w = data.training.z[10:40, None], data.training.w[10:40, None]
    expected = mixed.rollout(theta, z[0], z[1], w)
    assert plain.rollout(told, z[0], z[1], w) == pytest.approx(expected, abs=1e-3)

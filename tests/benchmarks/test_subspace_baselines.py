"""The models that subspace physics is compared with: cells are torch's, rollouts steps, and fits exact."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("matplotlib")
pytestmark = pytest.mark.torch

from made_up_report import REPORT
from motion_data import make_dataset

from benchmarks.subspace_physics.baselines import training
from benchmarks.subspace_physics.baselines.cell_network import CellNetwork, Stepper
from benchmarks.subspace_physics.baselines.cells import width_for
from benchmarks.subspace_physics.baselines.contenders import BARE, CONTENDERS, bare, ours
from benchmarks.subspace_physics.baselines.diagonality import matrices, off_diagonal
from benchmarks.subspace_physics.baselines.errors import judged, measured
from benchmarks.subspace_physics.baselines.feed_forward import DropoutCell
from benchmarks.subspace_physics.baselines.linear_map import LinearNetwork
from benchmarks.subspace_physics.baselines.plots import draw
from benchmarks.subspace_physics.baselines.radial_basis import RbfCell, one_step
from benchmarks.subspace_physics.baselines.recurrent_cells import Gru, Lstm, Rnn
from benchmarks.subspace_physics.baselines.step_times import played, step_us
from benchmarks.subspace_physics.baselines.task import task_of
from benchmarks.subspace_physics.training_steps.on_a_card import data as made_up
from learning.methods.linear_dynamics.presets import LinearPreset
from learning.methods.subspace_physics.initial_model import fitted
from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.train import train
from learning.training.options import Options
from learning.training.presets import changed
from learning.training.spans import split
from learning.training.subspace_data import Sequences
from learning.training.subspace_validation import SubspaceValidation
from learning.training.validation_error import ValidationError
from learning.training.validation_rollouts import windows
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.models.model_file import read_model

BASES, UNITS = 4, 7
INPUTS = 2 * BASES + 2 * 3
MIXING = np.random.default_rng(7).standard_normal((INPUTS, INPUTS)).astype(np.float32) / 4
UNIT = np.array(0.5, np.float32)
KINDS = {"rnn": Rnn, "gru": Gru, "lstm": Lstm}
TORCH_CELLS = {"rnn": torch.nn.RNNCell, "gru": torch.nn.GRUCell, "lstm": torch.nn.LSTMCell}
TRAINED = [name for name, contender in CONTENDERS.items() if contender.trained]


def silent(event):
    pass


def new_task(dataset, folder, frames=None):
    return task_of(dataset, BASES, folder, frames=frames, emit=silent, stop=StopRequest())


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    roles = ("training", "training", "validation", "test")
    return make_dataset(tmp_path_factory.mktemp("takes") / "dataset", 200, roles)


@pytest.fixture(scope="module")
def task(dataset, tmp_path_factory):
    return new_task(dataset, tmp_path_factory.mktemp("models"))


def moved(network, size=0.3):
    """Parameters by which everything matters, the memory at the beginning too."""
    random = np.random.default_rng(1)
    return (network.initial + size * random.standard_normal(len(network.initial))).astype(np.float32)


def some_windows(data, frames, count=3):
    """z_0, z_1 (n, u) and w (frames, n, v) of windows of the training takes."""
    at = np.arange(frames)[:, None] + 30 * np.arange(1, count + 1)
    return data.training.z[at[0]], data.training.z[at[1]], data.training.w[at]


def cell_networks(task):
    data, one = task.data, np.ones((), np.float32)
    as_it_is = np.eye(INPUTS, dtype=np.float32)
    networks = {
        name: CellNetwork(data, kind(as_it_is, BASES, UNITS, 0, output_unit=one))
        for name, kind in KINDS.items()
    }
    networks["dropout"] = CellNetwork(data, DropoutCell(bare(task, 0)))
    networks["rbf"] = CellNetwork(data, RbfCell(data, 20, 0))
    return networks


@pytest.mark.parametrize("name", KINDS)
def test_a_cell_is_torch_s_own(name):
    cell, theirs = KINDS[name](MIXING, BASES, UNITS, 0, output_unit=UNIT), TORCH_CELLS[name](INPUTS, UNITS)
    random = np.random.default_rng(0)
    theta = random.standard_normal(cell.layout.count).astype(np.float32)
    p = cell.layout.views(theta) | cell.constants
    for own, name_of_theirs in (("input", "weight_ih"), ("hidden", "weight_hh")):
        getattr(theirs, name_of_theirs).data = torch.from_numpy(p[own])
        getattr(theirs, name_of_theirs.replace("weight", "bias")).data = torch.from_numpy(p[f"{own}_bias"])
    x = random.standard_normal((5, INPUTS)).astype(np.float32)
    mixed = torch.from_numpy(x @ MIXING)
    memory = tuple(random.standard_normal((5, width)).astype(np.float32) for width in cell.remembers)
    change, after = cell.change(p, x, memory, np)
    told = [torch.from_numpy(each) for each in memory]
    expected = theirs(mixed, tuple(told) if len(told) > 1 else told[0])
    expected = expected if isinstance(expected, tuple) else (expected,)
    for mine, its in zip(after, expected, strict=True):
        assert mine == pytest.approx(its.detach().numpy(), abs=1e-5)
    assert change == pytest.approx(UNIT * (after[0] @ p["output"].T + p["output_bias"]))


@pytest.mark.parametrize("name", ["rnn", "gru", "lstm", "dropout", "rbf"])
def test_a_rollout_is_what_single_steps_make(task, name):
    network = cell_networks(task)[name]
    theta = moved(network)
    z0, z1, w = some_windows(task.data, 40)
    rolled = network.rollout(theta, z0, z1, w)[:, :, :BASES]
    stepper = Stepper(network, theta)
    for k in range(len(z0)):
        stepper.begin(z0[k], z1[k], w[1, k])
        stepped = np.array([stepper.step(w[t, k]) for t in range(2, 40)])
        assert stepped == pytest.approx(rolled[:, k], abs=2e-3)
    assert np.ptp(rolled, axis=0).max() > 0.1, "it moves"


@pytest.mark.parametrize("name", KINDS)
def test_a_window_that_goes_on_goes_on_with_its_memory(task, name):
    network = cell_networks(task)[name]
    theta = moved(network)
    z0, z1, w = some_windows(task.data, 40)
    whole = network.rollout(theta, z0, z1, w)
    ahead = network.rollout(theta, whole[16], whole[17], w[18:])
    assert ahead == pytest.approx(whole[18:], abs=1e-4)
    forgotten = network.rollout(theta, whole[16, :, :BASES], whole[17, :, :BASES], w[18:])
    assert np.abs(forgotten - whole[18:]).max() > 0.01


@pytest.mark.parametrize("name", [*KINDS, "dropout"])
def test_the_gradient_through_a_window_is_that_of_finite_differences(task, name):
    network = cell_networks(task)[name]
    theta = moved(network, 0.05).astype(np.float64)
    z0, z1, w = (each.astype(np.float64) for each in some_windows(task.data, 8))
    rolled, pullback = network.with_pullback(theta, z0, z1, w)
    target = np.random.default_rng(2).standard_normal(rolled.shape)
    direction = np.random.default_rng(3).standard_normal(len(theta))
    values = [
        (network.with_pullback(theta + step * direction, z0, z1, w)[0] * target).sum()
        for step in (1e-6, -1e-6)
    ]
    assert pullback(target) @ direction == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-5)


def test_dropout_leaves_out_units_in_training_alone_and_is_else_the_paper_s_network(task):
    network, plain = CellNetwork(task.data, DropoutCell(bare(task, 0))), SubspaceNetwork(task.data, BARE, 0)
    theta = moved(plain, 0.05)
    given = some_windows(task.data, 20)
    expected = plain.rollout(theta, *given)
    assert network.rollout(theta, *given) == pytest.approx(expected, abs=1e-4)
    dropped = network.with_pullback(theta, *given)[0]
    assert np.abs(dropped - expected).max() > 0.01
    assert (dropped == network.with_pullback(theta, *given)[0]).all()
    kept = CellNetwork(task.data, DropoutCell(bare(task, 0), rate=0.0)).with_pullback(theta, *given)[0]
    assert kept == pytest.approx(expected, abs=1e-4)


def test_dropped_units_are_as_many_as_asked_for_and_the_rest_makes_up_for_them(task):
    cell = DropoutCell(bare(task, 0), rate=0.25)
    now = np.zeros((2000, BASES), np.float32)
    for mask in cell.begin({}, now, now, xp=np, random=np.random.default_rng(0)):
        assert (mask == 0.0).mean() == pytest.approx(0.25, abs=0.02)
        assert mask.mean() == pytest.approx(1.0, abs=0.02)


def test_linear_dynamics_recover_a_linear_system(task):
    """What the takes are: see `motion_data`."""
    network = LinearNetwork(task.data, LinearPreset(history=1, ridge=0.0, fastest=1.0))
    assert error_within_the_range(task, network) < 1e-3
    assert error_within_the_range(task, bare(task, 0)) > 0.1, "not everything is as good"


def error_within_the_range(task, network):
    """Of the takes that it was made from: what is beyond them would be clipped."""
    validation = SubspaceValidation(replace(task.data, validation=task.data.training))
    return validation.error(lambda *given: network.rollout(network.initial, *given)).relative


def test_the_matrices_of_appendix_a_are_those_of_the_motion():
    random = np.random.default_rng(0)
    a, b = np.diag([0.99, 0.97, 0.95]), np.diag([0.9, 0.8, 0.7])
    for turned in (False, True):
        turn = np.linalg.qr(random.standard_normal((3, 3)))[0] if turned else np.eye(3)
        true = [turn @ each @ turn.T for each in (a, b)]
        runs = []
        for _ in range(4):
            z = list(random.standard_normal((2, 3)))
            for _ in range(30):
                z.append(true[0] @ z[-1] + true[1] @ (z[-1] - z[-2]))
            runs.append(np.array(z))
        z = np.concatenate(runs)
        ends = np.cumsum([len(run) for run in runs])
        found = matrices(Sequences(z, np.zeros((len(z), 1)), np.ones(len(z)), ends))
        assert found[0] == pytest.approx(true[0], abs=1e-8) and found[1] == pytest.approx(true[1], abs=1e-8)
        assert (off_diagonal(found[1]) > 1e-3) is turned


def test_radial_basis_functions_go_through_their_centres(task):
    random = np.random.default_rng(0)

    def noise(count):
        z, w = (random.standard_normal((count, n)).astype(np.float32) for n in (BASES, 3))
        return Sequences(z, w, np.ones(count, np.float32), np.array([count]))

    data = replace(task.data, training=noise(42), validation=noise(10))
    cell = RbfCell(data, 1000, 0, held=0.0)
    x, targets = one_step(data.training, fitted(data.training))
    p = cell.layout.views(cell.initial) | cell.constants
    assert cell.change(p, x, (), np)[0] == pytest.approx(targets, abs=0.01)
    held = RbfCell(data, 1000, 0, held=1.0)
    p = held.layout.views(held.initial) | held.constants
    assert np.abs(held.change(p, x, (), np)[0] - targets).max() > 0.1


@pytest.mark.parametrize("name", ["rnn", "gru", "lstm", "rbf"])
def test_all_have_about_as_many_weights(task, name):
    large = replace(task, data=made_up(64, 2500))
    network = CONTENDERS[name].make(large, 0)
    assert training.weights(network) == pytest.approx(len(bare(large, 0).initial), rel=0.02)
    arrays = network.cell.layout.views(network.initial)
    assert training.weights(network) == sum(a.size for name, a in arrays.items() if "begin" not in name)


def test_of_two_widths_that_which_is_nearer_is_taken():
    assert [width_for(count, lambda width: width**2) for count in (9, 12, 13, 1)] == [3, 3, 4, 1]


def test_the_error_is_that_of_validation_for_the_same_rollouts(dataset, task):
    network = cell_networks(task)["gru"]
    theta = moved(network, 0.05)

    def rollout(*given):
        return network.rollout(theta, *given)

    mine = measured(task, rollout, windows(split(dataset)[1]))
    theirs = SubspaceValidation(task.data).error(lambda *given: rollout(*given)[:, :, :BASES])
    assert mine["error"] == pytest.approx(theirs.relative, rel=1e-3)
    assert mine["mean"] == pytest.approx(theirs.of_each, rel=1e-3)
    assert 0.0 < mine["median"] != mine["mean"]
    assert np.square(mine["course"]).mean() == pytest.approx(mine["error"] ** 2, rel=0.1)


def test_a_perfect_prediction_has_no_error_on_test_takes(dataset, task):
    take = dataset.takes("test")[0]
    z = task.data.basis.reshape(BASES, -1)
    true = (take.positions.reshape(200, -1) - task.data.mean.ravel()) @ np.linalg.pinv(z)
    assert judged(task, lambda z0, z1, w: true[2:, None])["error"] < 1e-3
    assert judged(task, lambda z0, z1, w: 0.0 * true[2:, None])["error"] == pytest.approx(1.0)


def test_the_extension_plays_what_was_trained(dataset, task):
    take = dataset.takes("validation")[0]
    data = task.data
    for network in (bare(task, 0), LinearNetwork(data, LinearPreset(history=1))):
        theta = moved(network, 0.05) if len(network.initial) else network.initial
        z, w = data.validation.z, data.validation.w
        w = np.clip(w, data.training.w.min(0), data.training.w.max(0))
        rolled = network.rollout(theta, z[50:51], z[51:52], w[50:90, None])[:, 0]
        method = played(task, network, theta)
        x, y = np.asarray(take.positions[50:52]), take.interaction
        state = method.state_from(x[1], x[0], y[51], y[50])
        for t in range(52, 90):
            state = method.step(state, y[t])
            assert state.z == pytest.approx(rolled[t - 52], abs=2e-3)
        assert step_us(task, network, theta) > 0.0


def trained(task, name, seed=0, stop=None):
    attempt = training.Attempt(task, name, CONTENDERS[name], seed, steps=12, rate=2e-3)
    return training.trained(attempt, silent, stop or StopRequest())


def test_ours_is_what_the_extension_trains(dataset, task, tmp_path):
    out = tmp_path / "model.safetensors"
    options = Options(
        "balanced", task.preset(12, 2e-3), BASES, 0, device="cpu", out=out, checkpoint_every=99.0
    )
    options.work.mkdir()
    train(dataset, options, silent, StopRequest())
    found, model = trained(task, "ours"), read_model(out)
    kept = found.network.tensors(found.theta)
    layers = [name for name in model.tensors if name.startswith("layers.")]
    assert len(layers) == 9 and all((model.tensors[name] == kept[name]).all() for name in layers)


class StopsAfter:
    """Asks to stop after so many steps."""

    def __init__(self, steps):
        self._left = steps

    def asked(self):
        self._left -= 1
        return self._left < 0

    def check(self):
        if self._left < 0:
            raise Problem("stopped")


@pytest.mark.parametrize("name", TRAINED)
def test_the_same_seed_gives_the_same_weights_stopped_or_not(dataset, tmp_path, name):
    once, again = (new_task(dataset, tmp_path / folder) for folder in "ab")
    first = trained(once, name)
    with pytest.raises(Problem):
        trained(again, name, stop=StopsAfter(5))
    second = trained(again, name)
    assert second.course.step == 12 and (first.theta == second.theta).all()
    assert (first.theta != first.network.initial).any()
    assert (trained(once, name, seed=1).theta != first.theta).any()


def test_of_a_training_that_diverges_the_best_is_taken(dataset, tmp_path, monkeypatch):
    task, whole = new_task(dataset, tmp_path), training.SubspaceLearner.step
    monkeypatch.setattr(training.SubspaceLearner, "step", lambda self, number, share: np.nan)
    lost = trained(task, "bare")
    assert (lost.theta == lost.network.initial).all() and lost.course.best.choice == np.inf

    def later(self, number, share):
        return np.nan if number > 8 else whole(self, number, share)

    monkeypatch.setattr(training.SubspaceLearner, "step", later)
    monkeypatch.setattr(type(task), "preset", lambda self, steps, rate: changed(BARE, ["validate_every=4"]))
    found = trained(task, "gru")
    assert found.course.best_step in (4, 8) and (found.theta != found.network.initial).any()


def test_rates_are_tried_with_a_quarter_of_the_steps(task, monkeypatch):
    errors = {5e-4: 0.3, 1e-3: 0.1, 2e-3: 0.2, 4e-3: 0.4, 8e-3: 0.5}
    asked = []

    def measured_at(attempt, emit, stop):
        asked.append((attempt.seed, attempt.steps))
        return training.Trained(None, None, training.Course(best=ValidationError(errors[attempt.rate])))

    monkeypatch.setattr(training, "trained", measured_at)
    found = training.errors_by_rate(task, "gru", CONTENDERS["gru"], steps=40, emit=silent, stop=StopRequest())
    assert {float(rate): error for rate, error in found.items()} == errors
    assert asked == [(0, 10)] * len(training.RATES)


def test_fewer_frames_are_the_first_of_the_takes(dataset, task, tmp_path):
    few = new_task(dataset, tmp_path, frames=250)
    assert few.frames == 250 and task.frames == 400
    assert list(few.data.training.ends) == [200, 250]
    assert few.data.mean != pytest.approx(task.data.mean)


def test_where_no_ball_is_known_ours_is_the_network_on_eq_1(task):
    assert len(ours(task, 0).initial) == len(bare(task, 0).initial)


def test_pictures_of_the_same_report_are_the_same_and_of_another_are_not(tmp_path):
    matrices, part = tmp_path / "matrices.npz", REPORT["baselines"]
    np.savez(matrices, a=np.eye(3), b=np.zeros((3, 3)))
    other = json.loads(json.dumps(part))
    other["sizes"][0]["errors"]["gru"] *= 2.0
    for row in other["boxes"][0]["rows"]:
        row["runs"][0]["course"][0] *= 2.0
        row["runs"][0]["history"] = [[step, 2.0 * error] for step, error in row["runs"][0]["history"]]
    for folder, shown in (("a", part), ("again", part), ("other", other)):
        (tmp_path / folder).mkdir()
        draw(shown, matrices, tmp_path / folder)
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == [f"baselines_{what}.svg" for what in ("course", "frames", "matrices", "time")]
    for name in names:
        first, again, other = ((tmp_path / folder / name).read_bytes() for folder in ("a", "again", "other"))
        assert first == again and (first == other) is (name == "baselines_matrices.svg")

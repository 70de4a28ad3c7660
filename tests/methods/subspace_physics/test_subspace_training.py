"""The trainer against what Play runs, and against definitions worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from motion_data import make_dataset

from ml_backend.methods.subspace_physics.learner import SubspaceLearner
from ml_backend.methods.subspace_physics.network import SubspaceNetwork, initial_model
from ml_backend.methods.subspace_physics.presets import PRESETS
from ml_backend.methods.subspace_physics.presets import SubspacePreset as Preset
from ml_backend.training.normal_regression import fit_normals
from ml_backend.training.presets import changed
from ml_backend.training.spans import split
from ml_backend.training.subspace_data import prepare
from ml_backend.training.tensor_files import write_model
from neural_physics.datasets.dataset_info import Exclusion
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import ModelInfo, read_model
from neural_physics.models.normals import normals_from_faces

pytestmark = pytest.mark.torch
CPU = torch.device("cpu")
NO_STOP = StopRequest()


def silent(event):
    pass


@pytest.fixture
def dataset(tmp_path):
    return make_dataset(tmp_path / "dataset", 300, excluded=(Exclusion(100, 104, "torn"),))


@pytest.fixture
def data(dataset):
    return prepare(*split(dataset), dataset.info, 6, device=CPU, emit=silent, stop=NO_STOP)


def played(path, dataset, data, preset, seed=3):
    """The model of an untrained, restless network as Play loads it."""
    network = SubspaceNetwork(data, preset, seed, CPU)
    z, w = data.training.z, data.training.w
    tensors = {
        "mean": data.mean,
        "basis": data.basis,
        "start": data.start,
        "z_low": z.min(0),
        "z_high": z.max(0),
        "y_mean": data.y_mean,
        "interaction_basis": data.interaction_basis,
        "w_low": w.min(0),
        "w_high": w.max(0),
        **network.tensors(network.theta),
    }
    names = ("activation", "initial_model", "residual", "interaction_velocity")
    settings = {name: getattr(preset, name) for name in names}
    info = dataset.info
    about = ModelInfo(
        "subspace_physics",
        info.dt,
        info.object,
        info.topology,
        vertex_count=info.vertex_count,
        channels=info.channels,
        reference_frame="",
        settings=settings,
    )
    write_model(path, about, tensors)
    return load_method(read_model(path))


def play(method, dataset, first, frames):
    """Positions of a rollout from the true states of two frames of the validation take."""
    take = dataset.takes("validation")[0]
    unit = method.decoder.basis / (method.decoder.basis**2).sum(1, keepdims=True)
    z = (take.positions[first : first + 2].reshape(2, -1) - method.decoder.mean.ravel()) @ unit.T
    low = method.start(take.interaction[first + 1])
    state = type(low)(z[1], z[0], low.w)
    positions = []
    for y in take.interaction[first + 2 : first + frames]:
        state = method.step(state, y)
        positions.append(method.positions(state, y).copy())
    return np.array(positions), take.positions[first + 2 : first + frames]


@pytest.mark.parametrize(
    "changes",
    [
        [],
        ["activation=relu", "interaction_velocity=false", "layers=10"],
        ["residual=false"],
        ["initial_model=false"],
    ],
)
def test_the_validation_error_is_that_of_what_play_shows(tmp_path, dataset, data, changes):
    preset = changed(PRESETS["balanced"], changes)
    method = played(tmp_path / "model.safetensors", dataset, data, preset)
    learner = SubspaceLearner(data, preset, dataset.info.fps, 3, device=CPU)
    wrong, moved = 0.0, 0.0
    for first, frames in ((0, 100), (105, 195)):
        shown, true = play(method, dataset, first, frames)
        wrong += float(((shown - true) ** 2).sum())
        moved += float(((true - data.mean) ** 2).sum())
    assert learner.validate() == pytest.approx((wrong / moved) ** 0.5, rel=1e-3)


def test_alpha_and_beta_are_the_least_squares_of_each_basis_within_each_run(data):
    alpha, beta = initial_model(data.training)
    for m in range(data.training.z.shape[1]):
        rows, targets = [], []
        for run in data.training.runs():
            z = data.training.z[run, m]
            rows += [[z[t - 1], z[t - 1] - z[t - 2]] for t in range(2, len(z))]
            targets += list(z[2:])
        solution = np.linalg.lstsq(np.array(rows), np.array(targets), rcond=None)[0]
        assert (alpha[m], beta[m]) == pytest.approx(tuple(solution), abs=2e-3)


def test_windows_never_cross_the_end_of_a_run(data):
    starts = data.training.starts(32)
    ends = data.training.ends
    run_of = np.searchsorted(ends, starts, side="right")
    assert np.array_equal(run_of, np.searchsorted(ends, starts + 31, side="right"))
    assert len(starts) == sum(run.stop - run.start - 31 for run in data.training.runs())


def test_z_has_unit_deviation_and_gives_the_positions_back(dataset, data):
    assert data.training.z.std(0) == pytest.approx(np.ones(len(data.basis)), abs=1e-2)
    shown = data.mean + np.tensordot(data.training.z[:100], data.basis, 1)
    assert shown == pytest.approx(np.asarray(dataset.take("take_000").positions[:100]), abs=1e-4)
    assert data.deviations == pytest.approx(np.sqrt((data.basis**2).sum((1, 2))), rel=1e-4)


def test_the_normals_are_the_least_squares_fit_of_section_6_3(dataset, data):
    spans = split(dataset)[0]
    mean, q = fit_normals(spans, data.training.z, dataset.mesh, silent, stop=NO_STOP)
    frames = np.concatenate([np.concatenate(list(span.chunks())) for span in spans]).reshape(-1, 36, 3)
    normals = normals_from_faces(frames, dataset.mesh.corners, dataset.mesh.face_sizes).reshape(
        len(frames), -1
    )
    inputs = np.concatenate([np.ones((len(frames), 1)), data.training.z], 1)
    best = normals - inputs @ np.linalg.lstsq(inputs, normals, rcond=None)[0]
    ours = normals - inputs @ np.concatenate([mean[None], q]).reshape(len(inputs[0]), -1)
    assert np.abs(ours).mean() == pytest.approx(np.abs(best).mean(), rel=0.02)


@pytest.mark.parametrize(
    "changes",
    [
        ["layers=4"],
        ["layers=5", "activation=relu", "interaction_velocity=false"],
        ["residual=false"],
        ["initial_model=false", "layers=2"],
    ],
)
def test_the_gradient_through_a_window_is_that_of_finite_differences(data, changes):
    preset = changed(PRESETS["balanced"], changes)
    network = SubspaceNetwork(data, preset, 0, CPU)
    r = network.recurrence
    open_ended = torch.tensor([[-1e9], [1e9]]).expand(2, len(r.alpha)).double()
    network.recurrence = replace(r, alpha=r.alpha.double(), beta=r.beta.double(), limits=open_ended)
    frames = slice(20, 26)
    z, w = (torch.from_numpy(a[frames, None]).double() for a in (data.training.z, data.training.w))
    z = 0.3 * z / z.abs().max()
    theta = (1.3 * network.theta.detach().double()).requires_grad_()
    directions = torch.randn(3, len(theta), generator=torch.Generator().manual_seed(0)).double()
    target = torch.linspace(-1, 1, z[2:].numel()).double().view_as(z[2:])

    def loss(parameters):
        return (network.rollout(parameters, z[0], z[1], w) * target).sum()

    # Limits that clip about half of the states.
    half = 1.01 * network.rollout(theta, z[0], z[1], w).abs().median().detach()
    limits = torch.stack([-half, half])[:, None].expand(2, len(r.alpha))
    network.recurrence = replace(network.recurrence, limits=limits)
    clipped = network.rollout(theta, z[0], z[1], w).abs() == half
    assert 0.2 < clipped.double().mean() < 0.9
    loss(theta).backward()
    for direction in directions:
        step = 1e-7 * direction
        with torch.no_grad():
            slope = float(loss(theta + step) - loss(theta - step)) / 2e-7
        assert float(theta.grad @ direction) == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_the_paper_s_loss_is_that_of_algorithm_1(data):
    learner = SubspaceLearner(data, PRESETS["paper"], 24.0, 0, device=CPU)
    true, wrong = np.random.default_rng(0).normal(size=(2, 5, 2, len(data.basis)))
    position = np.abs(wrong[2:] - true[2:]).mean()
    velocity = np.abs(np.diff(wrong[1:], axis=0) * 24.0 - np.diff(true[1:], axis=0) * 24.0).mean()
    loss = learner.loss(*map(torch.from_numpy, (wrong[2:], true, wrong[1])))
    assert float(loss) == pytest.approx(position + velocity)


def test_a_window_that_goes_on_starts_where_the_model_s_own_prediction_ended(data):
    """With every window going on, two steps without learning are one longer rollout."""
    changes = ["carry=1", "window=20", "first_window=20", "batch=6", "noise=0", "steps=10"]
    preset = replace(changed(PRESETS["balanced"], changes), learning_rate=0.0)
    learner = SubspaceLearner(data, preset, 24.0, 0, device=CPU)
    seen = []
    rollout = learner.network.rollout

    def watched(theta, z0, z1, w):
        rolled = rollout(theta, z0, z1, w)
        seen.append((z0, z1, w, rolled.detach()))
        return rolled

    learner.network.rollout = watched
    learner.step(8, 0.8)
    learner.step(9, 0.9)
    (z0, z1, w, first), (before, now, later, second) = seen
    goes_on = (before == first[-2]).all(1) & (now == first[-1]).all(1)
    assert goes_on.sum() >= 3
    whole = rollout(learner.network.theta, z0, z1, torch.cat([w, later[2:]]))[:, goes_on]
    assert torch.allclose(whole[len(first) :], second[:, goes_on], atol=1e-5)
    assert torch.equal(later[0, goes_on], w[-2, goes_on])


def test_a_setting_that_is_none_is_named(data):
    with pytest.raises(Problem) as caught:
        changed(Preset(), ["nois=0"])
    assert "“nois” is not a training setting" in caught.value.message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("steps=0", "whole number of at least 1"),
        ("window=2", "whole number of at least 3"),
        ("first_window=1", "at least 3"),
        ("window=abc", "window cannot be “abc”"),
        ("batch=0", "at least 1"),
        ("batch=1.5", "whole number"),
        ("layers=0", "at least 2 and at most"),
        ("width=0", "above 0"),
        ("learning_rate=-1", "above 0"),
        ("learning_rate=nan", "above 0"),
        ("noise=inf", "at least 0"),
        ("carry=2", "at most 1"),
        ("minutes=-1", "at least 0"),
        ("activation=foo", "relu or silu"),
        ("loss=foo", "paper or metres"),
        ("residual=perhaps", "true or false"),
    ],
)
def test_a_value_that_no_training_can_have_is_refused_with_what_is_allowed(change, said):
    with pytest.raises(Problem) as caught:
        changed(Preset(), [change])
    assert caught.value.code == "setting_unusable"
    assert said in caught.value.message and change.split("=")[0] in caught.value.message


def test_settings_are_changed_one_after_the_other_to_what_was_written():
    words = ["steps=5", "width=2", "residual=false", "activation=relu", "decay=0.5", "loss=Paper"]
    preset = changed(Preset(), words)
    assert (preset.steps, preset.width, preset.residual) == (5, 2.0, False)
    assert (preset.activation, preset.decay, preset.loss) == ("relu", 0.5, "paper")
    assert changed(Preset(), []) == Preset()
    assert set(Preset.ranges()) < set(vars(Preset()))

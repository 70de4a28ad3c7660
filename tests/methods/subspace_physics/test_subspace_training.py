"""The trainer against what Play runs, and against definitions worked out by hand."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from motion_data import make_dataset

from learning.methods.subspace_physics.initial_model import EachBasisByItself, fitted
from learning.methods.subspace_physics.learner import SubspaceLearner
from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.presets import PRESETS
from learning.methods.subspace_physics.presets import SubspacePreset as Preset
from learning.methods.subspace_physics.train import train
from learning.training.loop import Course
from learning.training.normal_regression import fit_normals
from learning.training.options import Options, identity
from learning.training.presets import changed
from learning.training.spans import split
from learning.training.subspace_data import prepare
from learning.training.tensor_files import write_model, write_tensors
from neural_physics.datasets.dataset_info import Exclusion
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import ModelInfo, read_model
from neural_physics.models.normals import normals_from_faces

NO_STOP = StopRequest()


def silent(event):
    pass


@pytest.fixture
def dataset(tmp_path):
    return make_dataset(tmp_path / "dataset", 300, excluded=(Exclusion(100, 104, "torn"),))


@pytest.fixture
def data(dataset):
    return prepare(*split(dataset), dataset.info, 6, emit=silent, stop=NO_STOP)


def restless_network(data, preset, seed=3):
    """Untrained, but with a shortcut that does something."""
    network = SubspaceNetwork(data, preset, seed)
    if preset.shortcut:
        first, (rows, columns) = network.matrices[-1]
        drawn = np.random.default_rng(seed).standard_normal(rows * columns).astype(np.float32)
        network.initial[first : first + rows * columns] = 0.01 * drawn
    return network


def played(path, dataset, data, preset, seed=3):
    """The model of an untrained, restless network as Play loads it."""
    network = restless_network(data, preset, seed)
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
        **network.tensors(network.initial),
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
        ["unit_changes=false", "shortcut=false"],
    ],
)
def test_the_validation_error_is_that_of_what_play_shows(tmp_path, dataset, data, changes):
    preset = changed(PRESETS["balanced"], changes)
    method = played(tmp_path / "model.safetensors", dataset, data, preset)
    network = restless_network(data, preset)
    learner = SubspaceLearner(data, preset, dataset.info.fps, 3, network=network, roller=network)
    wrong, moved = 0.0, 0.0
    squares = []
    for first, frames in ((0, 100), (105, 195)):
        shown, true = play(method, dataset, first, frames)
        wrong += float(((shown - true) ** 2).sum())
        moved += float(((true - data.mean) ** 2).sum())
        squares.append(((shown - true) ** 2).sum(-1).mean(1))
    measured, distances = learner.validate(), np.concatenate(squares) ** 0.5
    assert measured.relative == pytest.approx((wrong / moved) ** 0.5, rel=1e-3)
    assert measured.metres == pytest.approx(np.square(distances).mean() ** 0.5, rel=1e-3)
    assert measured.metres_90 == pytest.approx(np.quantile(distances, 0.9), rel=1e-2)


def test_alpha_and_beta_are_the_least_squares_of_each_basis_within_each_run(data):
    alpha, beta = fitted(data.training)
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


def test_in_relative_scale_the_basis_is_orthogonal_but_for_one_factor(dataset, data):
    """As U of section 5.1 is; what is shown, and where takes begin, stay the same."""
    scaled = data.in_relative_scale()
    flat = scaled.basis.reshape(len(scaled.basis), -1)
    products = flat @ flat.T
    assert products == pytest.approx(np.eye(len(flat)) * products[0, 0], rel=1e-3, abs=1e-3 * products[0, 0])
    assert np.sqrt(np.square(scaled.training.z).mean()) == pytest.approx(1.0, abs=1e-2)
    assert (np.diff(scaled.training.z.std(0)) <= 0.0).all(), "large shapes first"
    for before, after in ((data.training.z, scaled.training.z), (data.start[None], scaled.start[None])):
        shown = np.tensordot(after[:50], scaled.basis, 1)
        assert shown == pytest.approx(np.tensordot(before[:50], data.basis, 1), abs=1e-5)


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


def rolled_by_numpy(network):
    return network


def rolled_by_torch(network):
    import torch

    from ml_backend.methods.subspace_physics.torch_rollers import torch_roller

    return torch_roller(network, torch.device("cpu"))


def rolled_by_a_card(network):
    import torch

    from ml_backend.methods.subspace_physics.graphed_rollout import GraphedRoller
    from ml_backend.methods.subspace_physics.torch_rollers import torch_roller

    if not torch.cuda.is_available():
        pytest.skip("there is no graphics card that torch calls CUDA")
    return GraphedRoller(torch_roller(network, torch.device("cuda")))


BY_TORCH = [pytest.param(each, marks=pytest.mark.torch) for each in (rolled_by_torch, rolled_by_a_card)]
ROLLERS = [rolled_by_numpy, *BY_TORCH]


@pytest.mark.parametrize("roller", ROLLERS)
@pytest.mark.parametrize(
    "changes",
    [
        ["layers=4"],
        ["layers=5", "activation=relu", "interaction_velocity=false"],
        ["residual=false"],
        ["initial_model=false", "layers=2"],
    ],
)
def test_the_gradient_through_a_window_is_that_of_finite_differences(data, changes, roller):
    preset = changed(PRESETS["balanced"], changes)
    network = restless_network(data, preset, 0)
    r, own = network.recurrence, network.initial_model
    frames = slice(20, 26)
    z, w = (a[frames, None].astype(np.float64) for a in (data.training.z, data.training.w))
    z = 0.3 * z / np.abs(z).max()
    theta = 1.3 * network.initial.astype(np.float64)
    directions = np.random.default_rng(0).normal(size=(3, len(theta)))
    target = np.linspace(-1, 1, z[2:].size).reshape(z[2:].shape)

    def clipping_at(limit):
        network.recurrence = replace(r, limits=np.full((2, len(own.alpha)), limit) * [[-1.0], [1.0]])
        network.initial_model = EachBasisByItself(*(x.astype(np.float64) for x in (own.alpha, own.beta)))
        return roller(network)

    half = 1.01 * np.median(np.abs(clipping_at(1e9).rollout(theta, z[0], z[1], w)))
    rolls = clipping_at(half)  # about half of the states
    assert 0.2 < (np.abs(rolls.rollout(theta, z[0], z[1], w)) == half).mean() < 0.9
    rolled, pullback = rolls.with_pullback(theta, z[0], z[1], w)
    assert np.array_equal(rolled, rolls.rollout(theta, z[0], z[1], w))
    gradient = pullback(target)
    for direction in directions:
        ahead, behind = (
            (rolls.rollout(theta + step, z[0], z[1], w) * target).sum()
            for step in (1e-7 * direction, -1e-7 * direction)
        )
        assert gradient @ direction == pytest.approx((ahead - behind) / 2e-7, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("loss", ["distances", "metres", "paper"])
def test_the_slope_of_the_loss_is_that_of_finite_differences(data, loss):
    learner = learner_of(data, replace(PRESETS["balanced"], loss=loss))
    true, wrong = np.random.default_rng(0).normal(size=(2, 7, 3, len(data.basis)))
    direction = np.random.default_rng(1).normal(size=true[2:].shape)
    counts = np.random.default_rng(2).uniform(1.0, 9.0, direction.shape[:2])
    _, slope = learner.loss(wrong[2:], true, wrong[1], counts)
    ahead, behind = (
        learner.loss(wrong[2:] + e * direction, true, wrong[1], counts)[0] for e in (1e-6, -1e-6)
    )
    assert np.vdot(slope, direction) == pytest.approx((ahead - behind) / 2e-6, rel=1e-5)


def test_what_is_far_off_counts_by_its_distance_and_what_is_near_by_its_square(data):
    near_and_far, square = (
        learner_of(data, replace(PRESETS["balanced"], loss=loss)) for loss in ("distances", "metres")
    )
    true, off = np.random.default_rng(0).normal(size=(2, 7, 3, len(data.basis)))
    alike = np.ones((5, 3))
    near, far = (
        [near_and_far.loss((true + times * off)[2:], true, true[1], alike)[0] for times in (size, 2.0 * size)]
        for size in (1e-4, 1e4)
    )
    assert near[1] == pytest.approx(4.0 * near[0], rel=1e-3)
    assert far[1] == pytest.approx(2.0 * far[0], rel=1e-3)
    squares, _ = square.loss((true + 1e-4 * off)[2:], true, true[1], alike)
    assert near[0] == pytest.approx(squares, rel=1e-3)
    tripled, _ = square.loss((true + 1e-4 * off)[2:], true, true[1], 3.0 * alike)
    assert tripled == pytest.approx(3.0 * squares)


def test_the_first_frames_after_true_states_count_more_and_those_after_the_model_s_own_do_not(data):
    slopes = {weight: slopes_of_two_steps(data, weight) for weight in (0.0, 10.0)}
    (alike, carried), (more, carried_too) = slopes.values()
    by_frame = 1.0 + 10.0 * np.exp([0.0, -1.0, -2.0])
    np.testing.assert_allclose(more, alike * by_frame[:, None, None], rtol=1e-4)
    np.testing.assert_allclose(carried_too, carried, rtol=1e-4)


def slopes_of_two_steps(data, first_weight):
    """Of the loss by the states: of windows from true states, then of the same ones as they go on."""
    changes = ["carry=1", "carry_within=1e9", "window=5", "first_window=5", "batch=2", "learning_rate=1e-12"]
    preset = changed(PRESETS["balanced"], [*changes, "loss=metres", f"first_weight={first_weight}"])
    slopes = []

    class Noting(SubspaceNetwork):
        def with_pullback(self, *of):
            rolled, pullback = super().with_pullback(*of)
            return rolled, lambda slope: slopes.append(slope) or pullback(slope)

    network = Noting(data, preset, 0)
    learner = SubspaceLearner(data, preset, 24.0, 0, network=network, roller=network)
    learner.step(0, 0.0)
    learner.step(1, 1.0)
    return slopes


def test_the_paper_s_loss_is_that_of_algorithm_1(data):
    learner = learner_of(data, PRESETS["paper"])
    true, wrong = np.random.default_rng(0).normal(size=(2, 5, 2, len(data.basis)))
    position = np.abs(wrong[2:] - true[2:]).mean()
    velocity = np.abs(np.diff(wrong[1:], axis=0) * 24.0 - np.diff(true[1:], axis=0) * 24.0).mean()
    assert learner.loss(wrong[2:], true, wrong[1], np.ones((3, 2)))[0] == pytest.approx(position + velocity)


@pytest.mark.parametrize("roller", BY_TORCH)
def test_a_training_goes_as_one_by_torch_does(data, roller):
    """The same windows and noise: NumPy and torch differ by rounding alone, and so do their models."""
    preset = changed(PRESETS["balanced"], ["steps=20"])
    by_numpy, by_torch = learner_of(data, preset), learner_of(data, preset, roller)
    losses = [[learner.step(k, k / 20) for k in range(20)] for learner in (by_numpy, by_torch)]
    assert losses[0] == pytest.approx(losses[1], rel=2e-3)
    assert by_numpy.validate().relative == pytest.approx(by_torch.validate().relative, rel=2e-3)


def learner_of(data, preset, roller=rolled_by_numpy):
    network = SubspaceNetwork(data, preset, 0)
    return SubspaceLearner(data, preset, 24.0, 0, network=network, roller=roller(network))


def test_a_window_that_goes_on_starts_where_the_model_s_own_prediction_ended(data):
    """With every window going on, two steps without learning are one longer rollout."""
    learner, ((z0, z1, w, first), (before, now, later, second)) = two_windows_without_learning(data, [])
    goes_on = (before == first[-2]).all(1) & (now == first[-1]).all(1)
    assert goes_on.sum() >= 3
    whole = learner.roller.rollout(learner.theta, z0, z1, np.concatenate([w, later[2:]]))[:, goes_on]
    assert whole[len(first) :] == pytest.approx(second[:, goes_on], abs=1e-5)
    assert np.array_equal(later[0, goes_on], w[-2, goes_on])


def test_a_window_that_is_lost_starts_from_the_truth_again(data):
    training = data.training
    _, ((_, _, w, first), (before, now, _, _)) = two_windows_without_learning(data, [])
    ends = [int(np.flatnonzero((training.w == row).all(1))[0]) for row in w[-1]]
    weights = data.deviations**2 / np.square(data.deviations).sum()
    off = np.sqrt(np.square(first[-1] - training.z[ends]) @ weights)
    within = float(np.median(off))
    carried = (now == first[-1]).all(1)
    assert (off[carried] > within).any()
    _, (_, (before, now, _, _)) = two_windows_without_learning(data, [f"carry_within={within}"])
    goes_on = (before == first[-2]).all(1) & (now == first[-1]).all(1)
    assert np.array_equal(goes_on, carried & (off <= within))
    assert goes_on.any()
    for state in now[~goes_on]:
        assert (training.z == state).all(1).any()


def two_windows_without_learning(data, changes):
    """The learner, and what it rolled out: two states, w, and the rollout, of one step and the next."""
    changes = ["carry=1", "window=20", "first_window=20", "batch=6", "noise=0", "steps=10", *changes]
    changes = ["carry_within=1e9", *changes]
    learner = learner_of(data, replace(changed(PRESETS["balanced"], changes), learning_rate=0.0))
    seen = []
    with_pullback = learner.roller.with_pullback

    def watched(theta, z0, z1, w):
        rolled, pullback = with_pullback(theta, z0, z1, w)
        seen.append((z0, z1, w, rolled))
        return rolled, pullback

    learner.roller.with_pullback = watched
    learner.step(8, 0.8)
    learner.step(9, 0.9)
    return learner, seen


def test_a_training_that_version_0_1_stopped_starts_anew(tmp_path, dataset):
    """Its checkpoint is of the same dataset and settings, but has torch's numbers in it."""
    preset = changed(PRESETS["preview"], ["steps=4", "validate_every=2"])
    options = Options(
        "preview", preset, 4, 0, device="cpu", out=tmp_path / "m.safetensors", checkpoint_every=1e9
    )
    options.work.mkdir()
    old = {"state.theta": np.zeros(9, np.float32), "state.exp_avg": np.zeros(9, np.float32)}
    about = {"identity": identity(dataset, options), "course": json.dumps(asdict(Course(2))), "loss": "1.0"}
    write_tensors(options.work / "checkpoint.safetensors", old, about)
    result = train(dataset, options, silent, NO_STOP)
    assert result["steps"] == 4 and any("started from scratch" in note for note in result["notes"])


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
        ("loss=foo", "paper or metres or distances"),
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

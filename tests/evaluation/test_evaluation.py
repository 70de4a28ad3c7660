"""Rollouts and their errors, held against what can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import synthetic

from neural_physics.datasets.dataset_info import Exclusion
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.evaluation import baselines, rollouts
from neural_physics.evaluation.rollouts import ErrorSums, Window, rollout, rollout_errors, tile
from neural_physics.methods.registry import load_method
from neural_physics.models.decoding import LinearDecoder


def pca_decoder(dataset: Dataset, bases: int) -> LinearDecoder:
    """The principal shapes of the training takes, by NumPy's SVD, scaled to unit standard deviation."""
    shapes = np.concatenate([take.positions for take in dataset.takes("training")]).astype(float)
    mean = shapes.mean(0)
    _, s, v = np.linalg.svd((shapes - mean).reshape(len(shapes), -1), full_matrices=False)
    scaled = v[:bases] * s[:bases, None] / np.sqrt(len(shapes))
    return LinearDecoder(mean, scaled.reshape(bases, -1, 3))


def test_predicting_the_mean_shape_has_an_error_of_one_whatever_the_windows(dataset):
    mean = np.mean(dataset.take("take_000").positions, axis=0)
    for frames in (17, 60, 600):
        windows = tile(dataset.takes("test", "validation"), frames)
        errors = rollout_errors(baselines.mean_shape(mean), windows, mean)
        assert errors.error == pytest.approx(1.0, rel=1e-6)


def test_the_error_is_its_definition(dataset):
    take, mean = dataset.take("take_003"), dataset.mesh.rest_positions
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(len(take.positions), dataset.mesh.vertex_count, 3)).astype(np.float32)
    windows = tile([take], 50)
    errors = rollout_errors(lambda w: w.truth() + noise[w.predicted], windows, mean)
    used = np.concatenate([np.arange(w.first + 2, w.stop) for w in windows])
    off = (noise[used].astype(float) ** 2).sum(-1)
    spread = ((take.positions[used].astype(float) - mean) ** 2).sum(-1)
    assert errors.error == pytest.approx(np.sqrt(off.mean() / spread.mean()), rel=1e-5)
    assert errors.rms == pytest.approx(np.sqrt(off.mean()), rel=1e-5)
    frames = np.sqrt(off.mean(1) / spread.mean())
    assert errors.frame_mean == pytest.approx(frames.mean(), rel=1e-5)
    assert errors.frame_median == pytest.approx(np.median(frames), rel=1e-5)
    assert errors.rms_90 == pytest.approx(np.quantile(np.sqrt(off.mean(1)), 0.9), rel=1e-3)
    assert errors.per_vertex == pytest.approx(np.sqrt(off.mean(0)), rel=1e-5)
    assert errors.frames == len(used)
    at_seven = np.mean([off[list(used).index(w.first + 2 + 7)].mean() for w in windows])
    assert errors.curve[7] == pytest.approx(np.sqrt(at_seven / spread.mean()), rel=1e-5)


def test_adding_windows_one_by_one_is_adding_them_together(dataset):
    take, mean = dataset.take("take_000"), dataset.mesh.rest_positions
    wrong = np.asarray(take.positions[::-1])
    whole, parts = ErrorSums(mean), ErrorSums(mean)
    whole.add(wrong, np.asarray(take.positions))
    for first in (0, 40, 80):
        parts.add(wrong[first : first + 40], np.asarray(take.positions[first : first + 40]))
    assert parts.errors().error == pytest.approx(whole.errors().error, rel=1e-9)
    assert parts.errors().per_vertex == pytest.approx(whole.errors().per_vertex, rel=1e-6)


def test_windows_cover_usable_frames_once_and_never_cross_an_excluded_one(dataset):
    take = dataset.take("take_000")
    excluded = (Exclusion(30, 33, "torn"), Exclusion(100, 101, "torn"))
    take = replace(take, info=replace(take.info, excluded=excluded))
    windows = tile([take], 25)
    covered = np.zeros(len(take.positions), int)
    for window in windows:
        covered[window.first : window.stop] += 1
        assert window.stop - window.first <= 25
    assert not covered[30:34].any() and not covered[100:102].any()
    assert (np.delete(covered, [*range(30, 34), 100, 101]) == 1).sum() == 120 - 6
    assert covered.max() == 1


def test_a_rest_too_short_to_be_a_rollout_is_left_out(dataset):
    assert [(w.first, w.stop) for w in tile([dataset.take("take_000")], 59)] == [(0, 59), (59, 118)]


def test_a_rollout_starts_from_the_truth_and_then_sees_only_the_interaction(dataset, model):
    """Stepping by hand from the projected truth gives the same; changing later truth changes nothing."""
    method, take = load_method(model), dataset.take("take_001")
    window = Window(take, 20, 60)
    predicted = rollout(method)(window)
    assert predicted.shape == (38, dataset.mesh.vertex_count, 3)
    state = method.state_from(
        take.positions[21], take.positions[20], take.interaction[21], take.interaction[20]
    )
    for t in range(22, 60):
        state = method.step(state, take.interaction[t])
        assert np.array_equal(predicted[t - 22], method.positions(state, take.interaction[t]))
    late = np.array(take.positions)
    late[22:] += 1.0
    again = rollout(method)(Window(replace(take, positions=late), 20, 60))
    assert np.array_equal(again, predicted)


def test_state_from_gives_back_a_state_that_was_decoded(model, dataset):
    method = load_method(model)
    y = dataset.take("take_000").interaction
    state = method.start(y[0])
    for t in range(5):
        before, state = state, method.step(state, y[t])
    shapes = [method.positions(s, y[4]).copy() for s in (state, before)]
    found = method.state_from(shapes[0], shapes[1], y[4], y[3])
    assert found.z == pytest.approx(state.z, abs=1e-4)
    assert found.z_before == pytest.approx(before.z, abs=1e-4)
    assert np.array_equal(found.w, state.w)


def test_projection_is_least_squares_also_for_skewed_and_repeated_bases():
    rng = np.random.default_rng(0)
    basis = rng.normal(size=(4, 10, 3)).astype(np.float32)
    basis[3] = basis[2]
    decoder = LinearDecoder(rng.normal(size=(10, 3)), basis)
    shape = rng.normal(size=(10, 3)).astype(np.float32)
    expected = np.linalg.lstsq(
        basis.reshape(4, -1).T.astype(float), (shape - decoder.mean).ravel(), rcond=None
    )
    assert decoder.project(shape) == pytest.approx(expected[0], abs=1e-4)


def test_the_best_shape_in_a_basis_is_as_far_off_as_the_variance_left_out(dataset):
    decoder = pca_decoder(dataset, 6)
    shapes = np.concatenate([take.positions for take in dataset.takes("training")]).astype(float)
    s = np.linalg.svd((shapes - shapes.mean(0)).reshape(len(shapes), -1), compute_uv=False)
    whole = [Window(take, -2, len(take.positions)) for take in dataset.takes("training")]
    errors = rollout_errors(baselines.best_in_basis(decoder), whole, decoder.mean)
    assert errors.error == pytest.approx(np.sqrt((s[6:] ** 2).sum() / (s**2).sum()), rel=1e-3)


def test_ridge_regression_finds_a_linear_answer_to_the_recent_past(tmp_path):
    """Shapes that are by construction a linear function of the hand 7 and 31 frames ago."""
    mesh = synthetic.sheet_mesh(3)
    dataset = synthetic.make_dataset(tmp_path / "d", ("training", "training", "test"), 400, 3)
    rng = np.random.default_rng(5)
    shapes = rng.normal(size=(2, 3, mesh.vertex_count * 3))
    takes = []
    for take in dataset.takes():
        y = np.asarray(take.interaction, float)
        past = [np.concatenate([np.repeat(y[:1], lag, 0), y[:-lag]]) for lag in (7, 31)]
        offsets = sum(p @ m for p, m in zip(past, shapes, strict=True)).reshape(400, -1, 3)
        takes.append(replace(take, positions=(mesh.rest_positions + offsets).astype(np.float32)))
    basis = shapes.reshape(6, -1, 3).astype(np.float32)
    decoder = LinearDecoder(mesh.rest_positions, basis)
    predict = baselines.ridge(decoder, takes[:2])
    errors = rollout_errors(predict, tile(takes[2:]), mesh.rest_positions)
    assert errors.error < 0.05


def test_ridge_regression_beats_the_mean_on_a_swinging_sheet_but_not_the_basis(dataset):
    decoder, windows = pca_decoder(dataset, 6), tile(dataset.takes("test"))
    fitted = baselines.ridge(decoder, dataset.takes("training"))
    error = rollout_errors(fitted, windows, decoder.mean).error
    floor = rollout_errors(baselines.best_in_basis(decoder), windows, decoder.mean).error
    assert floor < error < 0.9


def test_the_takes_to_evaluate_on_are_those_for_testing_then_those_for_validation(dataset, tmp_path):
    assert [t.name for t in rollouts.held_out_takes(dataset)] == ["take_004"]
    other = synthetic.make_dataset(tmp_path / "a", ("training", "validation"))
    assert [t.name for t in rollouts.held_out_takes(other)] == ["take_001"]
    with pytest.raises(Problem) as raised:
        rollouts.held_out_takes(synthetic.make_dataset(tmp_path / "b", ("training",)))
    assert raised.value.code == "nothing_held_out"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dt": 1 / 30}, "30 frames per second"),
        ({"reference_frame": "Rig/neck"}, "axes of Rig/neck, the dataset those of the object itself"),
        ({"topology": "other"}, "its mesh differs"),
        (
            {"channels": synthetic.ChannelLayout((synthetic.Channel("Foot", "position", 3),))},
            "different objects",
        ),
    ],
)
def test_a_model_of_something_else_is_refused(dataset: Dataset, change: dict, said: str) -> None:
    info = synthetic.make_model_info(dataset.mesh)
    rollouts.check_belongs(info, Path("m"), dataset)
    with pytest.raises(Problem, match=said) as raised:
        rollouts.check_belongs(replace(info, **change), Path("m"), dataset)
    assert raised.value.code == "model_other_dataset"

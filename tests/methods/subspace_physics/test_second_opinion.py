"""The second opinion: it goes its own way, and its distance from the model becomes an expected error."""

from dataclasses import replace

import numpy as np
import pytest
from motion_data import make_dataset
from test_subspace_training import silent

from learning.methods.subspace_physics.presets import PRESETS
from learning.methods.subspace_physics.second_opinion import expectation
from learning.methods.subspace_physics.train import SECOND_TRAINING, train
from learning.training.options import Options
from learning.training.presets import changed
from neural_physics.errors import Problem
from neural_physics.evaluation.expected_errors import Expectation, expected_and_true
from neural_physics.evaluation.rollouts import tile
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.methods.subspace_physics.second_opinion import SECOND
from neural_physics.models.model_file import Model, read_model

PRESET = changed(PRESETS["balanced"], ["steps=24", "validate_every=4", "batch=8", "minutes=0", "layers=3"])


def options(path, preset=PRESET):
    return Options("balanced", preset, 4, 0, "cpu", path, checkpoint_every=0.0)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return make_dataset(tmp_path_factory.mktemp("takes") / "dataset", 200)


@pytest.fixture(scope="module")
def model(tmp_path_factory, dataset):
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    options(path).work.mkdir()
    train(dataset, options(path), silent, StopRequest())
    return read_model(path)


def rolled(method, dataset, frames=30):
    take = dataset.takes("validation")[0]
    x, y = take.positions, take.interaction
    state = method.state_from(*(np.asarray(each[t]) for each in (x, y) for t in (1, 0)))
    states = [state]
    for t in range(2, frames):
        states.append(method.step(states[-1], np.asarray(y[t])))
    return states


def test_it_goes_its_own_way_as_if_it_were_alone(dataset, model):
    others = {name for name in model.tensors if name.startswith(("layers.", "physics.", "alpha", "beta"))}
    tensors = {name: each for name, each in model.tensors.items() if name not in others}
    tensors |= {name.removeprefix(SECOND): each for name, each in tensors.items() if name.startswith(SECOND)}
    tensors = {name: each for name, each in tensors.items() if not name.startswith(SECOND)}
    settings = model.info.settings | {"physics": False}
    alone = load_method(Model(replace(model.info, settings=settings), tensors, "alone"))
    both, single = rolled(load_method(model), dataset), rolled(alone, dataset)
    assert np.abs(both[-1].z - both[-1].second).max() > 1e-3, "they are two models"
    for one, other in zip(both, single, strict=True):
        assert np.array_equal(one.second, other.z)


def test_it_plays_alone_where_the_artist_wants_it_fast(dataset, model):
    method, both = load_method(model), rolled(load_method(model), dataset)
    assert not method.unused
    method.adjust({"fast": 1.0})
    for fast, one in zip(rolled(method, dataset), both, strict=True):
        assert np.array_equal(fast.z, one.second)
        assert method.expected_error(fast) is None
    method.adjust({"fast": 0.0})
    assert np.array_equal(rolled(method, dataset)[-1].z, both[-1].z)


def test_the_expected_error_is_a_line_in_the_distance_of_the_two_shapes(dataset, model):
    method = load_method(model)
    agreed, apart = model.tensors[f"{SECOND}error"]
    usual = model.tensors["vertex_error"]
    shares = usual / np.sqrt(np.square(usual).mean())
    for state in rolled(method, dataset)[::7]:
        one, other = (method.decoder.decode(z).copy() for z in (state.z, state.second))
        distances = np.linalg.norm(one - other, axis=1)
        rms = np.sqrt(np.square(distances).mean())
        assert method.expected_error(state) == pytest.approx(agreed + apart * rms, rel=1e-3, abs=1e-6)
        assert method.expected_errors(state) == pytest.approx(agreed * shares + apart * distances, rel=1e-4)


def test_between_two_steps_the_expected_error_is_between_theirs(dataset, model):
    method = load_method(model)
    now, ahead = rolled(method, dataset)[-2:]
    halfway = method.expected_error(method.between(now, ahead, 0.0))
    assert halfway == pytest.approx(method.expected_error(now), rel=1e-4, abs=1e-6)


def test_over_the_takes_it_was_fitted_to_its_mean_is_the_true_one(dataset, model):
    expected, true = expected_and_true(load_method(model), tile(dataset.takes("validation")))
    assert 0.5 < Expectation.of(expected, true).ratio < 2.0


def test_a_model_without_one_expects_nothing(dataset, model):
    tensors = {name: each for name, each in model.tensors.items() if not name.startswith(SECOND)}
    method = load_method(Model(model.info, tensors, "without"))
    state = rolled(method, dataset, 4)[-1]
    assert method.expected_error(state) is None and method.expected_errors(state) is None
    assert expected_and_true(method, tile(dataset.takes("validation"))) is None
    assert np.array_equal(state.z, rolled(load_method(model), dataset, 4)[-1].z)
    assert method.unused == {"fast"}
    method.adjust({"fast": 1.0})
    assert np.array_equal(state.z, rolled(method, dataset, 4)[-1].z)


@pytest.mark.parametrize("name", ["error", "alpha", "layers.1.weight"])
def test_a_damaged_one_is_refused(model, name):
    tensors = model.tensors | {f"{SECOND}{name}": np.zeros(3, np.float32)}
    with pytest.raises(Problem) as refused:
        load_method(Model(model.info, tensors, "damaged"))
    assert refused.value.code == "model_damaged"


@pytest.mark.parametrize("said", [(3e38, 0.5), (0.1, -3e38)])
def test_one_that_expects_to_be_off_by_more_than_there_is_of_the_world_is_refused(model, said):
    """In 32 bits what it expected of vertices was no number any more."""
    tensors = model.tensors | {f"{SECOND}error": np.array(said, np.float32)}
    with pytest.raises(Problem) as refused:
        load_method(Model(model.info, tensors, "damaged"))
    assert refused.value.code == "model_damaged"


def test_what_is_expected_is_on_average_what_was_true_and_a_metre_apart_at_most_a_metre_more():
    apart = np.random.default_rng(0).uniform(0, 1, 400)
    for true in (0.2 + 1.5 * apart, 3.0 * apart**2, 1.0 - 0.5 * apart, 0.1 * apart, np.zeros(400)):
        a, b = expectation(apart, true)
        assert (a + b * apart).mean() == pytest.approx(true.mean(), rel=1e-5)
        assert a >= 0.0 and 0.0 <= b <= 1.0
    assert expectation(apart, 0.1 * apart) == pytest.approx([0.0, 0.1])
    assert expectation(apart, 0.2 + apart) == pytest.approx([0.2, 1.0], rel=1e-5)
    assert expectation(np.zeros(5), np.full(5, 0.3)) == pytest.approx([0.3, 1.0])


def test_a_few_lucky_frames_of_validation_do_not_make_it_expect_too_little_elsewhere():
    """Where the two models were farthest apart, the first happened to be right: one event of three."""
    apart, true = np.repeat([0.02, 0.1, 0.1], 100), np.repeat([0.02, 0.1, 0.0], 100)
    a, b = expectation(apart, true)
    assert a + b * 0.3 == pytest.approx(0.3, rel=0.5)


def test_ranks_and_means_are_compared():
    true = np.array([1.0, 2.0, 3.0, 4.0])
    assert Expectation.of(2.0 * np.exp(true), true).rank_correlation == pytest.approx(1.0)
    assert Expectation.of(-true, true).rank_correlation == pytest.approx(-1.0)
    assert Expectation.of(3.0 * true, true).ratio == pytest.approx(3.0)


def test_a_training_stopped_at_the_second_opinion_goes_on_to_the_same_model(tmp_path, dataset, model):
    chosen = options(tmp_path / "model.safetensors")
    chosen.work.mkdir()
    stop = StopRequest(tmp_path / "stop")

    def stop_there(event):
        if event.get("stage") == SECOND_TRAINING and event["done"]:
            (tmp_path / "stop").touch()

    with pytest.raises(Problem) as stopped:
        train(dataset, chosen, stop_there, stop)
    assert stopped.value.code == "stopped"
    assert load_method(read_model(chosen.partial)).expected_error(None) is None, (
        "the best main model is there"
    )
    train(dataset, chosen, silent, StopRequest())
    resumed = read_model(chosen.out)
    assert set(resumed.tensors) == set(model.tensors)
    for name, tensor in model.tensors.items():
        assert np.array_equal(tensor, resumed.tensors[name]), name

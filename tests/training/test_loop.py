"""The training loop with a learner whose errors are known in advance."""

import json
import math
import tracemalloc

import numpy as np
import pytest

from learning.training.loop import Schedule, Training
from learning.training.tensor_files import read_tensors, write_tensors
from learning.training.validation_error import ValidationError, of_frames
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.life_cycle import JobState, Reported, Start, advance


class Learner:
    """Its state is a running sum of the steps; `errors` are what its validations say."""

    def __init__(self, errors, losses=None):
        self.errors, self.losses = list(errors), losses or {}
        self.total = np.zeros(1)
        self.validations = 0
        self.shares = []

    def step(self, number, share):
        self.shares.append(share)
        self.total = self.total * 1.01 + number
        return self.losses.get(number, 1.0)

    def validate(self):
        self.validations += 1
        return ValidationError(self.errors[min(int(self.validations), len(self.errors)) - 1])

    def weights(self):
        return {"total": self.total.copy()}

    def state(self):
        return {"total": self.total.copy(), "validations": np.array([self.validations])}

    def restore(self, state):
        self.total, self.validations = state["total"].copy(), int(state["validations"][0])


class StopAfter(StopRequest):
    """Asks to stop from the n-th look on."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    def asked(self):
        self.looks -= 1
        return self.looks < 0


def train(path, learner, stop=None, identity="a", **schedule):
    schedule = {"steps": 100, "validate_every": 10, "patience": 100, "minutes": 0.0, **schedule}
    training = Training(learner, Schedule(**schedule), path, identity)
    events = []
    try:
        training.run(events.append, stop or StopRequest())
    finally:
        training.events = events
    return training


def test_the_best_model_is_kept_not_the_last(tmp_path):
    training = train(tmp_path / "c", Learner([0.9, 0.5, 0.3, 0.6, 0.7]))
    assert (training.course.best_error, training.course.best_step) == (0.3, 30)
    after_thirty = Learner([])
    for number in range(30):
        after_thirty.step(number, 0.0)
    assert training.best["total"] == after_thirty.total
    assert "100 steps" in training.course.reason


def test_one_lucky_measurement_does_not_choose_where_several_do_together(tmp_path):
    errors = [0.9, 0.2, 0.8, 0.7, 0.6, 0.7, 0.5, 0.6, 0.55, 0.6]
    assert train(tmp_path / "a", Learner(errors)).course.best_step == 20
    training = train(tmp_path / "b", Learner(errors), together=3)
    means = [sum(errors[k - 3 : k]) / 3 for k in range(3, 11)]
    assert training.course.best_step == 10 * (3 + means.index(min(means)))
    assert training.course.best_error == errors[training.course.best_step // 10 - 1], "its own error is told"
    # Before there are so many, single ones choose; and a training that gets worse keeps what it had.
    assert train(tmp_path / "c", Learner(errors), together=3, steps=20).course.best_step == 20
    worse = [0.3, 0.3, 0.3, *[0.9] * 7]
    assert train(tmp_path / "d", Learner(worse), together=3).course.best_step == 30


def test_when_the_error_stopped_falling_is_in_the_summary(tmp_path):
    flat = [0.9, 0.6, 0.5, 0.49, 0.5, 0.48, 0.49, 0.5, 0.48, 0.48]
    course = train(tmp_path / "a", Learner(flat), tolerance=0.1).course
    assert course.summary()["best_step"] == 100 and course.summary()["fell_until"] == 30
    falling = [0.9 * 0.9**k for k in range(10)]
    assert train(tmp_path / "b", Learner(falling), together=3).course.summary()["fell_until"] == 100


def test_a_later_model_is_kept_as_long_as_it_is_not_clearly_worse(tmp_path):
    errors = [0.9, 0.5, 0.54, 0.52, 0.56, 0.53, 0.56, 0.6, 0.7, 0.8]
    kept = train(tmp_path / "a", Learner(errors), tolerance=0.1).course
    assert kept.best_step == 60 and kept.best_error == 0.53
    # What is least stays what it was, so that a model cannot get worse by small steps.
    creeping = [0.5, 0.53, 0.56, 0.59, 0.62, 0.65, 0.68, 0.71, 0.74, 0.77]
    assert train(tmp_path / "b", Learner(creeping), tolerance=0.1).course.best_step == 20
    patient = train(tmp_path / "c", Learner(creeping), tolerance=0.1, patience=3).course
    assert patient.step == 50 and "last 3" in patient.reason


def test_a_few_frames_on_the_wrong_side_do_not_choose(tmp_path):
    """Of two models the one that is nearer in all frames but a few is kept, and its own error reported."""
    rough, fine = np.full(100, 0.04), np.full(100, 0.01)
    fine[:5] = 1.44
    errors = [of_frames(squares, 1.0) for squares in (rough, fine, rough)]
    assert errors[0].relative < errors[1].relative
    learner = Learner([])
    learner.validate = lambda: errors.pop(0)
    training = train(tmp_path / "c", learner, steps=30)
    assert training.course.best_step == 20
    assert training.course.best_error == pytest.approx(np.sqrt(fine.mean()))
    lowest = min(training.course.history, key=lambda point: point[2])
    assert lowest[0] == 20, "the curve that is drawn is lowest where the kept model is"
    said = [event for event in training.events if "best" in event][-1]
    assert said["best"] == pytest.approx(lowest[2])


def test_it_ends_early_with_the_reason_when_nothing_gets_better(tmp_path):
    training = train(tmp_path / "c", Learner([0.9, 0.5, 0.6]), patience=3)
    assert training.course.step == 50
    assert "last 3" in training.course.reason


def test_it_ends_in_time_with_a_validated_model(tmp_path):
    training = train(tmp_path / "c", Learner([0.9]), steps=10**9, validate_every=10**8, minutes=0.005)
    assert training.course.seconds == pytest.approx(0.3, abs=0.2)
    assert "minutes" in training.course.reason
    assert training.best


def test_a_training_cut_short_by_the_clock_still_runs_its_whole_course(tmp_path):
    """What the learning rate follows reaches its end, whether the steps or the minutes come first."""
    by_clock, by_steps = Learner([0.9]), Learner([0.9])
    train(tmp_path / "a", by_clock, steps=10**9, validate_every=10**8, minutes=0.005)
    train(tmp_path / "b", by_steps, steps=50, minutes=1000.0)
    assert by_steps.shares == pytest.approx(np.arange(50) / 50, abs=1e-3)
    assert by_clock.shares[0] < 0.1
    assert by_clock.shares[-1] > 0.9
    assert by_clock.shares == sorted(by_clock.shares)


def test_stopped_and_resumed_is_bit_equal_to_never_stopped(tmp_path):
    errors = [0.9, 0.8, 0.7, 0.75, 0.6, 0.9, 0.9, 0.9, 0.5, 0.9]
    whole = train(tmp_path / "whole", Learner(errors))
    for looks in (5, 17, 1, 30):
        with pytest.raises(Problem) as stopped:
            train(tmp_path / "parts", Learner(errors), StopAfter(looks))
        assert stopped.value.code == "stopped"
    parts = train(tmp_path / "parts", Learner(errors))
    assert np.array_equal(parts.best["total"], whole.best["total"])
    assert parts.course.history == whole.course.history


def test_a_checkpoint_of_other_settings_is_not_gone_on_from(tmp_path):
    with pytest.raises(Problem):
        train(tmp_path / "c", Learner([0.5]), StopAfter(30), identity="a")
    assert train(tmp_path / "c", Learner([0.5]), identity="b").course.history[0][0] == 10


def test_a_torn_checkpoint_starts_anew(tmp_path):
    with pytest.raises(Problem):
        train(tmp_path / "c", Learner([0.5]), StopAfter(30))
    data = (tmp_path / "c").read_bytes()
    (tmp_path / "c").write_bytes(data[: len(data) - 3])
    assert train(tmp_path / "c", Learner([0.5])).course.step == 100


def test_losses_that_are_no_numbers_end_it_in_one_sentence(tmp_path):
    with pytest.raises(Problem) as caught:
        train(tmp_path / "c", Learner([0.5], {41: float("nan")}))
    assert caught.value.code == "training_diverged"
    assert "42 steps" in caught.value.message


def test_the_best_step_that_is_shown_is_the_one_in_the_result(tmp_path):
    """However far the bar is by the clock, whatever the panel is told last, and after resuming."""
    errors = [0.9, 0.5, 0.3, 0.6, 0.7]
    with pytest.raises(Problem):
        train(tmp_path / "c", Learner(errors), StopAfter(35), steps=10**6, minutes=0.01)
    training = train(tmp_path / "c", Learner(errors), steps=10**6, minutes=0.01)
    state, _ = advance(JobState(), Start())
    for event in training.events:
        state, _ = advance(state, Reported(json.loads(json.dumps(event))))
    course = training.course
    assert (state.best, state.best_step) == (course.best_error, course.best_step) == (0.3, 30)
    assert course.summary()["best_step"] == 30
    assert state.history[-1][0] == course.step, "points are at steps, whatever the bar counts"


def test_progress_carries_the_curves(tmp_path):
    training = train(tmp_path / "c", Learner([0.5]))
    last = [event for event in training.events if "validation" in event][-1]
    assert (last["done"], last["validation"]) == (100, 0.5)
    assert last["loss"] == pytest.approx(1.0)
    assert json.dumps(training.events)


@pytest.mark.parametrize("lost", ["state.total", "state.validations", "course", "loss"])
def test_a_checkpoint_that_another_version_kept_otherwise_starts_anew(tmp_path, lost):
    """The learner is then as if nothing had been read, although `restore` had begun."""
    errors = [0.9, 0.8, 0.7, 0.75, 0.6]
    whole = train(tmp_path / "whole", Learner(errors))
    path = tmp_path / "parts"
    with pytest.raises(Problem):
        train(path, Learner(errors), StopAfter(30))
    tensors, about = read_tensors(path)
    write_tensors(
        path,
        {name: tensor for name, tensor in tensors.items() if name != lost},
        {name: text for name, text in about.items() if name != lost},
    )
    parts = train(path, Learner(errors))
    assert parts.anew
    assert np.array_equal(parts.best["total"], whole.best["total"])
    assert parts.course.history == whole.course.history


@pytest.mark.parametrize(
    "course",
    [
        {"step": -(10**15)},
        {"step": 1.5},
        {"step": "7"},
        {"step": True},
        {"best_step": -1},
        {"best_step": None},
        {"seconds": -1e300},
        {"seconds": math.nan},
        {"seconds": "0"},
        {"reason": ["ended"]},
        {"least": "little"},
        {"history": [[math.inf, 1.0, 1.0]]},
        {"history": [[1]]},
        {"best": {"relative": 0.0, "of": 1}},
        {"more": 1},
    ],
)
def test_a_checkpoint_of_a_training_that_never_was_starts_anew(tmp_path, course):
    """Somebody may have put it there: nothing goes on for ever, and nothing ends in a traceback."""
    with pytest.raises(Problem):
        train(tmp_path / "c", Learner([0.9]), StopAfter(30))
    tensors, about = read_tensors(tmp_path / "c")
    about["course"] = json.dumps(json.loads(about["course"]) | course)
    write_tensors(tmp_path / "c", tensors, about)
    training = train(tmp_path / "c", Learner([0.9]))
    assert training.anew and training.course.step == 100


def test_of_another_trainings_checkpoint_nothing_is_read_but_that_it_is_anothers(tmp_path):
    header = {
        "__metadata__": {"identity": "b"},
        "x": {"dtype": "U8", "shape": [1 << 27], "data_offsets": [0, 1 << 27]},
    }
    text = json.dumps(header).encode()
    with (tmp_path / "c").open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + (1 << 27))
    tracemalloc.start()
    training = Training(Learner([0.9]), Schedule(100, 10, 100), tmp_path / "c", "a")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert training.anew and peak < 1 << 24


def test_the_best_model_is_kept_for_others_at_checkpoints_and_only_when_it_is_another(tmp_path):
    learner, kept = Learner([0.9, 0.5, 0.6, 0.7, 0.8, 0.4, 0.9, 0.9, 0.9, 0.9]), []
    training = Training(learner, Schedule(100, 10, 100, checkpoint_every=0.0), tmp_path / "c", "a")
    training.run(lambda event: None, StopRequest(), lambda: kept.append(training.course.best_step))
    assert kept == [10, 20, 60]

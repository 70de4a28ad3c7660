"""`python -m ml_backend search` as processes of their own: what they come to, killed or not."""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lengths import at_length
from motion_data import make_dataset
from optuna.trial import TrialState

from learning.methods.linear_dynamics.presets import LinearPreset
from learning.training.tensor_files import read_tensors
from ml_backend.commands import search
from ml_backend.search.journal import Journal
from ml_backend.search.searching import Search
from ml_backend.search.varied import varied
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model

pytestmark = pytest.mark.torch
ROOT = Path(__file__).resolve().parents[2]
LINEAR = ("--method=linear_dynamics", "--over=bases=1,3", "--over=history=1,4")
ALL = {("1", "1"), ("1", "4"), ("3", "1"), ("3", "4")}
SHORT = (
    "--bases=4",
    "--over=learning_rate=0.0005..0.05",
    "--over=width=1..8",
    *(
        f"--set={each}"
        for each in ("minutes=0", "second=false", "steps=200", "validate_every=10", "batch=16")
    ),
)


def started(dataset: Path, *words: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "ml_backend", "search", str(dataset), *words, "--json"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


def said(process: subprocess.Popen) -> dict:
    """What it said last."""
    lines = process.communicate(timeout=300)[0].splitlines()
    return json.loads(lines[-1])


def trials_of(folder: Path) -> list:
    return Journal(folder / "best.safetensors.search" / "journal.jsonl", 0, prunes=False).trials()


def error_of(model: Path) -> float:
    return read_model(model).info.training["validation_error"]


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    search.add_arguments(parser)
    return parser


def in_this_process(dataset: Path, *words: str) -> dict:
    return search.run(arguments().parse_args([str(dataset), *words]), lambda event: None, StopRequest())


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Path:
    return make_dataset(tmp_path_factory.mktemp("dataset") / "dataset", 300).path


def test_every_combination_is_trained_once_and_the_best_model_kept(dataset):
    result = said(started(dataset, *LINEAR))
    trials = trials_of(dataset.parent)
    assert len(trials) == 4 and {(each.params["bases"], each.params["history"]) for each in trials} == ALL
    best = min(trials, key=lambda trial: trial.value)
    assert result["validation_error"] == best.value == error_of(dataset.parent / "best.safetensors")
    assert result["settings"] == f"bases {best.params['bases']}, history {best.params['history']}"
    method = load_method(read_model(dataset.parent / "best.safetensors"))
    assert method.basis_count == int(best.params["bases"])
    assert list((dataset.parent / "best.safetensors.search" / "trials").iterdir()) == []
    assert said(started(dataset, *LINEAR))["trials"] == 4  # and nothing is trained again
    assert len(trials_of(dataset.parent)) == 4


def test_a_combination_is_not_begun_twice_where_who_began_it_was_killed(dataset, tmp_path):
    killed = Journal(tmp_path / "best.safetensors.search" / "journal.jsonl", 0, prunes=False)
    killed.values(killed.begin({"bases": "1", "history": "1"}), varied(["bases=1,3"], LinearPreset()))
    words = [str(dataset), *LINEAR, f"--out={tmp_path / 'best.safetensors'}"]
    other = Search(search._asked(arguments().parse_args(words)), lambda event: None, StopRequest())
    assert [other._begun() for _ in range(4)] == [1, 2, 3, None]
    assert {(each.params["bases"], each.params["history"]) for each in trials_of(tmp_path)} == ALL


def test_its_models_are_those_that_train_makes_with_the_same_settings(dataset, tmp_path):
    out = tmp_path / "best.safetensors"
    said(started(dataset, "--method=linear_dynamics", "--over=bases=3", f"--out={out}"))
    alone = tmp_path / "alone.safetensors"
    words = ["train", str(dataset), "--method=linear_dynamics", "--bases=3", f"--out={alone}"]
    subprocess.run([sys.executable, "-m", "ml_backend", *words], cwd=ROOT, check=True, capture_output=True)
    assert error_of(out) == error_of(alone)


def test_a_search_of_something_else_is_not_mixed_with_this_one(dataset, tmp_path):
    out = f"--out={tmp_path / 'best.safetensors'}"
    said(started(dataset, "--method=linear_dynamics", "--over=bases=2", out))
    other = make_dataset(tmp_path / "other", 310).path
    for where, over in ((dataset, "bases=3"), (other, "bases=2")):
        refused = said(started(where, "--method=linear_dynamics", f"--over={over}", out))
        assert refused["code"] == "search_other"


def test_where_optuna_is_not_installed_the_way_to_it_is_said(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(search, "missing", lambda path: ["optuna 5.0.0"])
    with pytest.raises(Problem) as raised:
        in_this_process(dataset, f"--out={tmp_path / 'best.safetensors'}")
    assert raised.value.code == "searching_python_lacks"
    assert "optuna 5.0.0" in raised.value.message and sys.executable in raised.value.message


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--trials=-1",), "setting_unusable"),
        (("--over=nois=0..1",), "setting_unknown"),
        (("--bases=0",), "setting_unusable"),
        (("--out=/",), "file_is_folder"),
    ],
)
def test_bad_input_has_its_sentence(dataset, words, code):
    with pytest.raises(Problem) as raised:
        in_this_process(dataset, *words)
    assert raised.value.code == code


def test_a_dataset_that_nothing_can_be_trained_on_ends_the_search_at_once(tmp_path):
    dataset = make_dataset(tmp_path / "dataset", 20, ("training",)).path
    assert said(started(dataset, *LINEAR))["code"] == "dataset_too_short"


def test_trials_that_diverge_are_counted_and_where_all_do_there_is_a_sentence(tmp_path):
    dataset = make_dataset(tmp_path / "dataset", 200).path
    words = ("--method=subspace_physics", "--trials=2", "--over=learning_rate=100000..1000000")
    ended = said(started(dataset, *words, "--bases=4", "--set=minutes=0", "--set=optimiser=amsgrad"))
    assert ended["code"] == "search_without_model" and "diverged" in ended["message"]
    assert [trial.state for trial in trials_of(tmp_path)] == [TrialState.PRUNED] * 2


def first_step(log: Path) -> float:
    """The step that a training begins at, waited for until it is in its log."""
    until = time.monotonic() + 60.0
    while time.monotonic() < until:
        lines = log.read_text().splitlines() if log.exists() else []
        steps = [json.loads(line)["step"] for line in lines if '"step"' in line and line.endswith("}")]
        if steps:
            return steps[0]
        time.sleep(0.02)
    raise AssertionError("it did not begin")


@pytest.mark.slow
def test_a_search_that_was_stopped_goes_on_where_it_was(tmp_path):
    dataset = make_dataset(tmp_path / "dataset", 200).path
    words = ("--trials=3", *SHORT, "--set=steps=1000", "--checkpoint-every=0.1")
    first = started(dataset, *words)
    for line in first.stdout:
        event = json.loads(line)
        if event.get("stage") == "Trial 2 of 3" and event["done"] > 1.3:
            first.send_signal(signal.SIGINT)
            break
    assert json.loads(first.communicate()[0].splitlines()[-1])["code"] == "stopped"
    place = tmp_path / "best.safetensors.search" / "trials" / "000001"
    _, about = read_tensors(place / "1" / "model.safetensors.training" / "checkpoint.safetensors")
    begun = trials_of(tmp_path)[1].params
    (place / "1" / "training.jsonl").unlink()  # which the next one has in its folder until it writes its own
    second = started(dataset, *words)
    assert first_step(place / "2" / "training.jsonl") >= json.loads(about["course"])["step"] > 0
    assert said(second)["trials"] == 3
    assert trials_of(tmp_path)[1].params == begun


@pytest.mark.slow
def test_workers_that_are_killed_lose_no_trial_and_count_none_twice(tmp_path):
    dataset, chance = make_dataset(tmp_path / "dataset", 200).path, random.Random(5)
    words, count = ("--trials=8", *SHORT, "--set=steps=600", "--checkpoint-every=0.2"), 8
    workers, kills, best = [started(dataset, *words) for _ in range(3)], 0, []
    while working := [number for number, worker in enumerate(workers) if worker.poll() is None]:
        time.sleep(chance.uniform(0.3, 1.5))
        number = chance.choice(working)
        if workers[number].poll() is None and kills < at_length(7, 12):
            workers[number].kill()
            workers[number].communicate()
            workers[number] = started(dataset, *words)
            kills += 1
        if (tmp_path / "best.safetensors").exists():
            best.append(error_of(tmp_path / "best.safetensors"))  # whole at any time
    assert kills >= 5
    ended = [said(worker) for worker in workers]
    trials = trials_of(tmp_path)
    assert len(trials) == count and all(trial.state.is_finished() for trial in trials)
    values = [trial.value for trial in trials if trial.state == TrialState.COMPLETE]
    assert {each["validation_error"] for each in ended} == {min(values)}
    assert error_of(tmp_path / "best.safetensors") == min(values)
    assert best == sorted(best, reverse=True)

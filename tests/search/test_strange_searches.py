"""The folder of a search that somebody else has made: nothing is written, deleted or used through it."""

from __future__ import annotations

import argparse
import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from motion_data import make_dataset

from learning.methods.linear_dynamics.presets import LinearPreset
from ml_backend.commands import search
from ml_backend.search.asked import Asked
from ml_backend.search.journal import Journal
from ml_backend.search.searching import MODEL, NO_MODEL, Search, _error_of
from ml_backend.search.varied import varied
from neural_physics.errors import Problem
from neural_physics.files.tensor_file import format_tensors, parse_tensors
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.leases import Lease
from neural_physics.models.model_file import METADATA_KEY, read_model

pytestmark = pytest.mark.torch
RELEASED = {"token": "x", "counter": 0, "released": True}


def asked(dataset: Path, *more: str) -> Asked:
    parser = argparse.ArgumentParser()
    search.add_arguments(parser)
    linear = ["--method=linear_dynamics", "--over=bases=1,3"]
    return search._asked(parser.parse_args([str(dataset), *linear, *more]))


def run(dataset: Path, *more: str) -> dict:
    return Search(asked(dataset, *more), lambda event: None, StopRequest()).run()


def trials(dataset: Path) -> list:
    return Journal(asked(dataset).folder / "journal.jsonl", 0, prunes=False).trials()


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A folder with a dataset, and a model of it as a trial leaves one."""
    folder = tmp_path_factory.mktemp("made")
    dataset = make_dataset(folder / "dataset", 120).path
    run(dataset)
    return folder


@pytest.fixture
def dataset(made, tmp_path) -> Path:
    """A dataset without a search, beside somebody's own file."""
    (tmp_path / "mine").write_text("mine")
    return Path(shutil.copytree(made / "dataset", tmp_path / "dataset"))


def begun(dataset: Path, made: Path) -> Path:
    """The folder of a holder of the first trial, who let go of it when it had its model."""
    folder = asked(dataset).folder
    journal = Journal(folder / "journal.jsonl", 0, prunes=False)
    journal.values(journal.begin({"bases": "1"}), varied(["bases=1,3"], LinearPreset()))
    trial = folder / "trials" / "000000"
    (trial / "1").mkdir(parents=True)
    (trial / "holder_000001.json").write_text(json.dumps(RELEASED))
    shutil.copy(made / "best.safetensors", trial / "1" / MODEL)
    return trial / "1"


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_no_model_is_copied_through_a_link(dataset, made, link):
    mine, best = dataset.parent / "mine", begun(dataset, made) / "best"
    getattr(best, link)(mine)
    result = run(dataset)
    assert mine.read_text() == "mine"
    assert (
        read_model(dataset.parent / "best.safetensors").info.training["validation_error"]
        == (result["validation_error"])
    )


def test_the_best_model_of_another_program_is_not_replaced(dataset):
    theirs = dataset.parent / "best.safetensors"
    theirs.write_bytes(format_tensors({"weight": np.ones((2, 2), np.float32)}, {"format": "pt"}))
    before = theirs.read_bytes()
    with pytest.raises(Problem) as refused:
        asked(dataset)
    assert refused.value.code == "file_not_ours" and theirs.read_bytes() == before


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_a_model_that_is_a_link_is_no_trials_own(dataset, made, link):
    model = begun(dataset, made) / MODEL
    model.unlink()
    getattr(model, link)(made / "best.safetensors")
    before = (made / "best.safetensors").read_bytes()
    assert run(dataset)["trials"] == 2
    assert len({trial.value for trial in trials(dataset)}) == 2  # it is the model of the other one
    assert (made / "best.safetensors").read_bytes() == before


def test_no_more_trials_are_carried_out_than_were_asked_for(dataset):
    """A stranger's journal may say that thousands were begun."""
    journal = Journal(asked(dataset).folder / "journal.jsonl", 0, prunes=False)
    for _ in range(5):
        journal.values(journal.begin({"bases": "1"}), varied(["bases=1,3"], LinearPreset()))
    run(dataset)
    assert [trial.state.is_finished() for trial in trials(dataset)] == [True, True, False, False, False]


def test_no_trial_is_held_or_deleted_through_a_link(dataset):
    theirs = dataset.parent / "theirs" / "000000"
    theirs.mkdir(parents=True)
    (theirs / "diary").write_text("mine")
    folder = asked(dataset).folder
    folder.mkdir()
    (folder / "trials").symlink_to(theirs.parent)
    with pytest.raises(Problem) as raised:
        run(dataset)
    assert raised.value.code == "place_is_link"
    assert [path.name for path in theirs.iterdir()] == ["diary"]


def test_no_trial_is_deleted_where_its_folder_has_become_a_link(dataset, monkeypatch):
    theirs, folder = dataset.parent / "theirs", asked(dataset).folder
    trained = Search._trained

    def exchanged(self: Search, lease: Lease, number: int) -> str | None:
        why = trained(self, lease, number)
        (folder / "trials").rename(theirs)
        (folder / "trials").symlink_to(theirs)
        return why

    monkeypatch.setattr(Search, "_trained", exchanged)
    with pytest.raises(Problem) as raised:
        run(dataset)
    assert raised.value.code == "place_is_link" and (theirs / "000000").is_dir()


def says(model: Path, error: object) -> None:
    """Let a model say that it is so far off."""
    tensors, metadata = parse_tensors(model.read_bytes())
    about = json.loads(metadata[METADATA_KEY])
    about["training"]["validation_error"] = error
    model.write_bytes(format_tensors(tensors, {METADATA_KEY: json.dumps(about)}))


def test_a_model_that_says_no_error_is_no_result(dataset, made):
    model = begun(dataset, made) / MODEL
    for error in ("0.1", {}, [0.1], None, 10**400, -1.0, math.inf, math.nan):
        says(model, error)
        assert math.isnan(_error_of(read_model(model).info))
    result = run(dataset)
    assert result["given_up"] == 1 and result["trial"] == 2
    assert trials(dataset)[0].user_attrs["why"] == NO_MODEL


def test_a_trial_that_waits_before_one_that_runs_is_begun_after_it(dataset, made):
    begun(dataset, made)
    journal = asked(dataset).folder / "journal.jsonl"
    *before, trial, begin, value = journal.read_text().splitlines()
    later = [text.replace('"trial_id":0', '"trial_id":1') for text in (begin, value)]
    journal.write_text("\n".join([*before, trial, trial, *later]) + "\n")
    assert run(dataset)["trials"] == 2

"""A training that was stopped goes on beside a copy of its dataset anywhere, and beside no other."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from motion_data import make_dataset

from learning.commands.train import add_arguments, run
from learning.methods.subspace_physics.learner import SubspaceLearner
from learning.training.loop import STARTED_ANEW
from learning.training.tensor_files import IDENTITY, read_tensors, write_tensors
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.models.model_file import read_model

STEPS = 60
QUICK = [f"--set={each}" for each in (f"steps={STEPS}", "validate_every=20", "batch=16", "minutes=0")]
CHECKPOINT = "m.safetensors.training/checkpoint.safetensors"


class StopAfter(StopRequest):
    """Asks to stop once a learner has taken the last of these steps. taken: all that were taken."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self.last = last
        self.taken: list[int] = []

    def asked(self) -> bool:
        return self.last in self.taken


def train(folder: Path, last: int = -1) -> tuple[dict, list[int]]:
    """What became of a training of the dataset in this folder, and which steps it took.

    last: the step after which it is stopped.
    """
    parser, stop = argparse.ArgumentParser(), StopAfter(last)
    add_arguments(parser)
    words = [str(folder / "dataset"), "--out", str(folder / "m.safetensors"), "--bases=4", *QUICK]
    step = SubspaceLearner.step

    def counted(self: SubspaceLearner, number: int, share: float) -> float:
        stop.taken.append(number)
        return step(self, number, share)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SubspaceLearner, "step", counted)
        return run(parser.parse_args(words), lambda event: None, stop), stop.taken


def weights(folder: Path) -> np.ndarray:
    return read_model(folder / "m.safetensors").tensors["layers.0.weight"]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory) -> Path:
    """A folder with a dataset, and a training of it that was stopped half way."""
    folder = tmp_path_factory.mktemp("stopped")
    make_dataset(folder / "dataset", 200)
    with pytest.raises(Problem) as raised:
        train(folder, STEPS // 2)
    assert raised.value.code == "stopped"
    return folder


@pytest.fixture
def moved(stopped, tmp_path) -> Path:
    """A copy of it elsewhere, of which all files seem to have been written at another time."""
    copy = tmp_path / "another share" / "mounted elsewhere"
    shutil.copytree(stopped, copy)
    for number, path in enumerate(sorted(copy.rglob("*"))):
        os.utime(path, (1e9 + number, 1e9 + number))
    return copy


def test_it_goes_on_elsewhere_to_the_same_model(stopped, moved, tmp_path):
    result, steps = train(moved)
    assert steps[0] == STEPS // 2 + 1 and STARTED_ANEW not in result["notes"]
    whole = tmp_path / "whole"
    shutil.copytree(stopped / "dataset", whole / "dataset")
    train(whole)
    assert np.array_equal(weights(moved), weights(whole))


def assert_starts_anew(folder: Path) -> None:
    result, steps = train(folder)
    assert STARTED_ANEW in result["notes"] and steps[0] == 0


@pytest.mark.parametrize("name", ["positions.pc2", "interaction.npy"])
@pytest.mark.parametrize("place", [0.3, 0.99])
def test_beside_takes_with_one_other_frame_it_starts_anew(moved, name, place):
    path = moved / "dataset" / "takes" / "take_001" / name
    before, data = path.stat(), bytearray(path.read_bytes())
    number = 128 + int((len(data) - 128) * place) // 4 * 4  # of an array's header or after it
    data[number : number + 4] = np.float32(0.25).tobytes()
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert_starts_anew(moved)


def test_a_take_that_is_no_longer_learned_from_starts_it_anew(moved):
    path = moved / "dataset" / "takes" / "take_001" / "take.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "excluded": [[0, 20, "fell"]]}))
    assert_starts_anew(moved)


def test_what_a_version_left_that_asked_for_paths_and_times_starts_anew_and_does_not_fail(moved):
    dataset, path = Dataset.open(moved / "dataset"), moved / CHECKPOINT
    tensors, about = read_tensors(path)
    stamps = [(dataset.path / "takes" / t / "positions.pc2").stat().st_mtime_ns for t in dataset.take_names()]
    before = json.dumps([str(dataset.path), dataset.info.topology, stamps, json.loads(about[IDENTITY])[-1]])
    write_tensors(path, tensors, {**about, IDENTITY: before})
    assert_starts_anew(moved)


def test_a_pipe_among_the_files_of_a_take_has_its_sentence(moved):
    os.mkfifo(moved / "dataset" / "takes" / "take_000" / "tracks.npz")
    with pytest.raises(Problem) as raised:
        train(moved)
    assert raised.value.code == "dataset_damaged"

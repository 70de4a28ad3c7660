"""Mutated files work or end in one Problem: soon, in little memory, and with numbers only."""

from __future__ import annotations

import random
import shutil
import time
from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("scipy")

from lengths import at_length

from fuzzing.campaign import KINDS, Campaign, command
from fuzzing.dataset_runner import FURTHER, STAGES, look
from fuzzing.import_cases import import_files, import_words
from fuzzing.model_mutations import mutated_model
from fuzzing.model_runner import play
from fuzzing.plan_cases import PLAN, PLAN_FILE
from fuzzing.watching import LONGEST, NotFinite, Watch, finite, watched
from neural_physics.baking.plan import BakePlan
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

pytestmark = pytest.mark.slow

LONG = {"model": 900, "dataset": 80, "import": 900, "job": 1500, "plan": 1500, "bake": 600}
CASES = {kind: at_length(count // 3, count) for kind, count in LONG.items()}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    return Campaign(tmp_path_factory.mktemp("fuzzing"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Nothing is written but in the folders of the cases, whatever places a file names."""
    current = tmp_path / "further" / "down" / "there"
    current.mkdir(parents=True)
    monkeypatch.chdir(current)
    yield
    assert sorted(path.name for path in (tmp_path / "further").rglob("*")) == ["down", "there"]


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_file_holds_it_works_or_ends_in_one_problem(campaign, kind):
    found = {}
    for seed in range(CASES[kind]):
        outcome = campaign.run(kind, seed)
        if outcome.fault:
            found.setdefault(outcome.fault, command(kind, seed))
    assert not found, "\n".join(f"{fault}: {again}" for fault, again in found.items())


def test_the_files_that_are_mutated_are_good(campaign):
    for name, data in campaign.models.items():
        outcome = watched(lambda watch, data=data: play(data, random.Random(0), watch), len(data))
        assert (outcome.fault, outcome.problem) == ("", ""), name
    for name, (path, model) in campaign.datasets.items():
        look(path, Watch())
        for stage in (*STAGES, *FURTHER[name]):
            folder = campaign.folder / "good"
            shutil.copytree(path, folder)
            stage(Dataset.open(folder), model, Watch())
            shutil.rmtree(folder)


def test_files_that_are_imported_are_good(campaign, tmp_path):
    for number, mesh in enumerate(("mesh.npz", "mesh.obj", "mesh.ply", "binary.ply")):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, data in campaign.files.items():
            (folder / name).write_bytes(data)
        import_files(import_words(folder, "cache.pc2", mesh, "hand.csv"), Watch())
        import_files(import_words(folder, "cache.mdd", mesh, "hand.npy"), Watch())


def test_the_plan_that_is_mutated_is_good(tmp_path):
    path = tmp_path / "bake" / "bake.json"
    path.parent.mkdir()
    path.write_bytes(PLAN_FILE)
    assert BakePlan.read(path) == replace(PLAN, dataset=tmp_path)


def test_a_seed_gives_the_same_file_again(campaign):
    data = campaign.models["linear_dynamics"]
    assert mutated_model(data, random.Random("a")) == mutated_model(data, random.Random("a"))
    assert len({mutated_model(data, random.Random(seed)) for seed in range(20)}) > 15


def test_what_must_not_be_is_noticed():
    def fails(watch):
        raise ZeroDivisionError

    def refuses(watch):
        raise Problem("file_missing", path="m.safetensors")

    def takes_long(watch):
        def computes():
            ends = time.process_time() + LONGEST + 0.1
            while time.process_time() < ends:
                pass

        watch(computes)

    def fills_memory(watch):
        watch(lambda: bytearray(b"1") * (400 << 20))

    assert "ZeroDivisionError" in watched(fails, 0).fault
    assert watched(refuses, 0).problem == "file_missing" and not watched(refuses, 0).fault
    assert "took" in watched(takes_long, 0).fault
    assert watched(fills_memory, 0).fault or watched(fills_memory, 0).memory == 0
    with pytest.raises(NotFinite):
        finite("positions", [1.0, float("nan")])

"""`python -m ml_backend train` as its own process: what it delivers, refuses and survives."""

import argparse
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from lengths import at_length
from motion_data import make_dataset

from learning.commands import interactions
from learning.commands.train import NO_CARD, add_arguments, run
from learning.methods.subspace_physics.learner import SubspaceLearner
from ml_backend.commands.train import TRAINERS
from neural_physics.errors import Problem
from neural_physics.files.tensor_file import format_tensors
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import SPECIFICATIONS, load_method
from neural_physics.models.model_file import read_model

pytestmark = pytest.mark.torch
ROOT = Path(__file__).resolve().parents[2]
QUICK = [
    f"--set={change}"
    for change in ("steps=300", "validate_every=50", "batch=32", "width=16", "learning_rate=0.006")
]


def command(dataset, out, *more):
    words = [sys.executable, "-m", "ml_backend", "train", dataset, "--out", out, "--bases", "4", "--json"]
    return [*map(str, words), *map(str, more)]


def environment():
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def test_help_lists_the_settings_of_every_preset_with_their_ranges():
    parser = argparse.ArgumentParser()
    add_arguments(parser, TRAINERS)
    text = parser.format_help()
    assert "  history=8 (a whole number of at least 1 and at most 120)\n      frames of interaction" in text
    assert "  loss=distances (paper or metres or distances)" in text
    assert "  decay=none (a number above 0 and" in text
    assert text.count("\nsettings of ") == len(SPECIFICATIONS)


def train(dataset, out, *more, **options):
    done = subprocess.run(
        command(dataset, out, *more),
        check=False,
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        **options,
    )
    return done.returncode, events(done.stdout), done.stderr


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return make_dataset(tmp_path_factory.mktemp("dataset"), 1000).path


@pytest.fixture(scope="module")
def trained(dataset, tmp_path_factory):
    out = tmp_path_factory.mktemp("trained") / "model.safetensors"
    status, said, _ = train(dataset, out, *QUICK)
    assert status == 0, said
    return out, said[-1]


def test_a_driven_oscillator_is_learned(trained):
    _, result = trained
    assert result["event"] == "result"
    assert result["validation_error"] < 0.4


def test_the_model_loads_and_nothing_else_is_left(trained):
    out, _ = trained
    method = load_method(read_model(out))
    assert (method.basis_count, method.vertex_count) == (4, 36)
    assert sorted(p.name for p in out.parent.iterdir()) == ["model.safetensors"]


def test_the_same_seed_gives_the_same_model_and_another_another(trained, dataset, tmp_path):
    short = [*QUICK, "--set=steps=20"]
    models = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(dataset, tmp_path / name, *short, "--seed", seed)
        models[name] = read_model(tmp_path / name).tensors["layers.0.weight"]
    assert np.array_equal(models["a"], models["b"])
    assert not np.array_equal(models["a"], models["c"])


def test_more_numbers_than_can_be_learned_from_are_refused_before_anything_is_read(
    dataset, tmp_path, monkeypatch
):
    monkeypatch.setattr(interactions, "MOST_VALUES", 1)
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    with pytest.raises(Problem) as raised:
        run(
            parser.parse_args([str(dataset), "--out", str(tmp_path / "m.safetensors")]),
            print,
            StopRequest(),
        )
    assert raised.value.code == "training_reacts_to_too_much"
    assert [*tmp_path.glob("m*")] == []


@pytest.mark.parametrize("name", ["model.safetensors", "model.partial.safetensors"])
def test_a_file_of_another_program_is_not_replaced_by_a_model(dataset, tmp_path, name):
    theirs = tmp_path / name
    theirs.write_bytes(format_tensors({"text_encoder": np.ones((4, 4), np.float32)}, {"format": "pt"}))
    before = theirs.read_bytes()
    status, said, _ = train(dataset, tmp_path / "model.safetensors", *QUICK)
    assert status == 1 and said[-1]["code"] == "file_not_ours" and name in said[-1]["message"]
    assert [path.name for path in tmp_path.iterdir()] == [name] and theirs.read_bytes() == before


def test_a_folder_that_becomes_read_only_at_the_end_is_reported(dataset, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    out = tmp_path / "model.safetensors"
    args = parser.parse_args([str(dataset), "--method=linear_dynamics", "--bases=4", f"--out={out}"])
    unlink = Path.unlink
    monkeypatch.setattr(
        Path, "unlink", lambda path, **more: (refuse if "partial" in path.name else unlink)(path, **more)
    )
    with pytest.raises(Problem) as caught:
        run(args, lambda _: None, StopRequest())
    assert caught.value.code == "folder_not_writable"


@pytest.mark.parametrize("method", ["subspace_physics", "linear_dynamics"])
def test_one_bar_and_one_time_left_from_the_first_second_to_the_last(dataset, tmp_path, method):
    settings = [*QUICK, "--set=steps=20"] if method == "subspace_physics" else []
    status, said, _ = train(dataset, tmp_path / "model.safetensors", "--method", method, *settings)
    assert status == 0, said
    bar = [event for event in said if event["event"] == "progress"]
    done = [event["done"] / event["total"] for event in bar]
    assert done[0] == 0.0 and done[-1] == pytest.approx(1.0) and done == sorted(done)
    assert len({event["total"] for event in bar}) == 1
    assert all(event["seconds_left"] is not None for event in bar)
    assert bar[0] is said[0] and len({event["stage"] for event in bar}) >= 3


def test_stopped_it_leaves_its_best_model_and_resumed_it_is_the_same_training(trained, dataset, tmp_path):
    whole, result = trained
    out, stop = tmp_path / "model.safetensors", tmp_path / "stop"
    process = subprocess.Popen(
        command(dataset, out, *QUICK, "--stop-file", stop),
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in process.stdout:
        if json.loads(line).get("step", 0) > 60 and '"Training"' in line:
            stop.touch()
            break
    said = events(process.stdout.read())
    assert process.wait() == 1
    assert said[-1]["code"] == "stopped"
    load_method(read_model(tmp_path / "model.partial.safetensors"))
    status, said, _ = train(dataset, out, *QUICK)
    assert status == 0
    assert said[-1]["validation_error"] == result["validation_error"]
    assert np.array_equal(
        read_model(out).tensors["layers.1.weight"], read_model(whole).tensors["layers.1.weight"]
    )
    assert not (tmp_path / "model.partial.safetensors").exists()


@pytest.mark.slow
def test_killed_again_and_again_it_ends_as_if_it_had_not_been(trained, dataset, tmp_path):
    """kill -9 at random moments of preparing, training and writing; checkpoints every quarter second."""
    whole, result = trained
    out = tmp_path / "model.safetensors"
    rng = random.Random(0)
    for _ in range(at_length(6, 20)):
        process = subprocess.Popen(
            command(dataset, out, *QUICK, "--checkpoint-every=0.25"),
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        process.stdout.readline()  # it has started to work
        time.sleep(rng.uniform(0.0, 2.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if out.exists():
            load_method(read_model(out))
    status, said, _ = train(dataset, out, *QUICK)
    assert status == 0
    assert said[-1]["validation_error"] == result["validation_error"]
    assert np.array_equal(
        read_model(out).tensors["layers.1.weight"], read_model(whole).tensors["layers.1.weight"]
    )


def refusal(*arguments, **options):
    status, said, errors = train(*arguments, **options)
    assert status == 1
    assert said[-1]["event"] == "error"
    assert "Traceback" not in errors
    return said[-1]


def test_bad_inputs_have_their_sentences(dataset, tmp_path):
    out = tmp_path / "model.safetensors"
    assert refusal(tmp_path, out)["code"] == "dataset_missing"
    assert refusal(dataset, out, "--set=nois=0")["code"] == "setting_unknown"
    assert refusal(dataset, out, "--set=window=2")["code"] == "setting_unusable"
    assert refusal(dataset, out, "--bases=0")["code"] == "setting_unusable"
    assert refusal(dataset, tmp_path)["code"] == "file_is_folder"
    assert refusal(dataset, Path("/proc/model.safetensors"))["code"] == "folder_not_writable"


@pytest.mark.parametrize("fresh", [True, False])
def test_no_checkpoint_is_written_or_deleted_through_a_link(dataset, tmp_path, fresh):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").touch()
    (tmp_path / "m.safetensors.training").symlink_to(elsewhere)
    _, said, _ = train(dataset, tmp_path / "m.safetensors", *QUICK, *(["--fresh"] if fresh else []))
    assert said[-1].get("code") == "place_is_link", said[-1]
    assert [path.name for path in elsewhere.iterdir()] == ["mine"]


def test_a_training_that_stops_giving_numbers_leaves_its_best_model(dataset, tmp_path, monkeypatch):
    step = SubspaceLearner.step
    monkeypatch.setattr(
        SubspaceLearner, "step", lambda self, n, share: step(self, n, share) if n < 70 else math.nan
    )
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [str(dataset), "--out", str(tmp_path / "model.safetensors"), "--bases", "4", *QUICK]
    with pytest.raises(Problem) as raised:
        run(parser.parse_args(words), lambda event: None, StopRequest())
    assert raised.value.code == "training_diverged"
    best = read_model(tmp_path / "model.partial.safetensors")
    load_method(best)
    assert best.info.training["best_step"] == 50


def test_more_bases_than_the_takes_have_motions_are_reduced_with_a_word(dataset, tmp_path):
    status, said, _ = train(dataset, tmp_path / "m", *QUICK, "--set=steps=10", "--bases", "200")
    assert status == 0
    assert said[-1]["bases"] < 200
    assert any("bases" in event.get("text", "") for event in said)


def test_a_stopped_training_that_is_begun_anew_says_so(dataset, tmp_path):
    out, stop = tmp_path / "model.safetensors", tmp_path / "stop"
    process = subprocess.Popen(
        command(dataset, out, *QUICK, "--set=steps=1000000", "--stop-file", stop),
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in process.stdout:
        if '"Training"' in line:
            stop.touch()
            break
    assert events(process.stdout.read())[-1]["code"] == "stopped"
    assert process.wait() == 1
    _, said, _ = train(dataset, out, *QUICK, "--set=steps=10")
    assert any("started from scratch" in event.get("text", "") for event in said)
    assert "started from scratch" in said[-1]["notes"][0]


def test_a_card_that_a_method_does_not_use_is_spoken_of(dataset, tmp_path):
    words = ("--method", "linear_dynamics", "--preset", "preview", "--device")
    for device, notes in (("cuda", [NO_CARD]), ("cpu", [])):
        status, said, _ = train(dataset, tmp_path / f"{device}.safetensors", *words, device)
        assert (status, said[-1]["notes"], said[-1]["device"]) == (0, notes, "cpu")


@pytest.mark.parametrize("exchanged", ["dataset", "model"])
def test_what_a_program_names_is_refused_where_a_link_stands_by_now(dataset, tmp_path, exchanged):
    """It looked at these places before; a person may name a link."""
    places = {"dataset": Path(dataset), "model": tmp_path / "models"}
    (tmp_path / "models").mkdir()
    link = tmp_path / "link"
    link.symlink_to(places[exchanged], target_is_directory=True)
    given = places | {exchanged: link}
    status, said, _ = train(given["dataset"], given["model"] / "m.safetensors", "--preset", "preview")
    assert status == 1 and said[-1]["code"] == "place_is_link"
    assert not list((tmp_path / "models").iterdir())


def test_what_fails_unexpectedly_leaves_a_traceback_to_report(dataset, tmp_path):
    script = (
        "import learning.commands.train as t, learning.__main__ as m, sys; "
        "t.run = None; sys.exit(m.PROGRAM.run(%r))"
    )
    words = ["train", str(dataset), "--out", str(tmp_path / "m"), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", script % words],
        check=False,
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "Traceback" in done.stderr
    assert events(done.stdout)[-1]["code"] == "unexpected"


@pytest.mark.slow
def test_a_dataset_larger_than_the_private_memory_allowed_trains(tmp_path):
    """`ulimit -d` bounds what a process may allocate; memory maps of the takes do not count."""
    dataset = make_dataset(tmp_path / "dataset", 100, ("training", "validation"), points=60)
    folder = dataset.path / "takes" / "take_000"
    frames = (folder / "positions.pc2").read_bytes()[32:]
    rows = np.load(folder / "interaction.npy")
    allowed = 1 << 29
    copies = allowed // len(frames) + 20
    with (folder / "positions.pc2").open("ab") as file:
        for _ in range(copies):
            file.write(frames)
    np.save(folder / "interaction.npy", np.tile(rows, (copies + 1, 1)))

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))

    status, said, errors = train(dataset.path, tmp_path / "m", *QUICK, "--set=steps=50", preexec_fn=limit)
    assert (folder / "positions.pc2").stat().st_size > allowed
    assert status == 0, (said[-1], errors)

"""A training whose computer loses its power goes on from its checkpoint, on another one with other paths."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import numpy as np
import pytest

pytest.importorskip("torch")

from motion_data import make_dataset

from learning.training.loop import STARTED_ANEW
from neural_physics.models.model_file import read_model
from tools.farm.hosts import Host, lacking, switch_off

LACKING = lacking()
pytestmark = [
    *(pytest.mark.slow, pytest.mark.once),
    pytest.mark.skipif(bool(LACKING), reason=f"no hosts: {LACKING}"),
]

ROOT = Path(__file__).resolve().parents[2]
STEPS, SEEN = 1200, 300
SETTINGS = (
    *("--bases=4", "--checkpoint-every=0.1"),
    *(
        f"--set={each}"
        for each in (f"steps={STEPS}", "validate_every=100", "batch=16", "minutes=0", "second=false")
    ),
)


def switched_on(name: str, share: Path, folder: Path) -> Popen[str]:
    """A host that trains on the share's dataset, with one core as the others."""
    at, core = folder / f"{name}s_share", sorted(os.sched_getaffinity(0))[0]
    words = ("train", at / "dataset", "--out", at / "model.safetensors", *SETTINGS, "--json")
    host = Host(name, folder / name, share, at, (core,))
    python = (sys.executable, "-m", "learning")
    return host.start(*python, *words, out=subprocess.PIPE, PYTHONPATH=str(ROOT), OMP_NUM_THREADS="1")


def steps(host: Popen[str]) -> Iterator[int]:
    """The steps of the training that it says it has taken, as it says so; to its end, which must be good."""
    assert host.stdout is not None
    said = ""
    for said in host.stdout:
        event = json.loads(said)
        if event["event"] == "progress" and event.get("step"):
            yield event["step"]
    host.wait()
    event = json.loads(said)
    assert event["event"] == "result" and STARTED_ANEW not in event["notes"], said


def weights(folder: Path) -> np.ndarray:
    return read_model(folder / "model.safetensors").tensors["layers.0.weight"]


def test_a_training_goes_on_under_another_path_and_on_another_host(tmp_path):
    share, whole, moved = (tmp_path / name for name in ("share", "whole", "another_disk"))
    make_dataset(share / "dataset", 300)
    shutil.copytree(share, whole)
    assert list(steps(switched_on("alone", whole, tmp_path)))[-1] == STEPS

    first = switched_on("first", share, tmp_path)
    next(step for step in steps(first) if step > SEEN)
    switch_off(first)
    shutil.move(share, moved)
    taken = list(steps(switched_on("second", moved, tmp_path)))
    assert taken[0] > SEEN // 3 and taken[-1] == STEPS
    assert np.array_equal(weights(moved), weights(whole))

# ruff: noqa: E402 (helpers of the tests)
"""The solid block of contact corrections' benchmark beside a peer: its takes and its model, without Blender.

A block of jelly whose foot sways and into whose top a ball wanders, as the tests have it, without friction,
which Play does not have. All is kept in build/bench/contact, in scenes/BLOCK and models/BLOCK.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from benchmarks.contact_corrections.scenes import MODELS, SCENES
from benchmarks.folders import ROOT

sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "methods" / "contact_corrections")]

from pressed_blocks import bake, pressed

from learning.training import loop
from ml_backend.commands.train import add_arguments, run
from neural_physics.datasets.dataset_info import Role
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import StopRequest
from neural_physics.models.model_file import Model, read_model

NAME = "BLOCK"
TETRAHEDRA, FRAMES, BASES = 400, 200, 48
ROLES: tuple[Role, ...] = ("training",) * 3 + ("test",)  # the tails of the first three validate
# Of the preset "balanced": what makes a training of some two minutes out of it.
CHANGES = ("poses=160", "minutes=0.4")
PROCESSOR = SimpleNamespace(monotonic=time.process_time)  # minutes are its own, whatever else it does


def baked() -> Dataset:
    """The block's dataset, simulated by the bundled solver if it is not there yet."""
    folder = SCENES / NAME
    if (folder / "dataset.json").is_file():
        dataset = Dataset.open(folder)
        takes = dataset.take_names()
        if len(takes) == len(ROLES) and all(dataset.outline(take).info.complete for take in takes):
            return dataset
        shutil.rmtree(folder)
    return bake(folder, pressed(tetrahedra=TETRAHEDRA, friction=0.0), FRAMES, ROLES)


def trained(dataset: Dataset) -> Model:
    """The block's model with both corrections, trained if it is not there yet."""
    path = MODELS / NAME / "model.safetensors"
    return read_model(path) if path.is_file() else train(dataset, path, CHANGES)


def train(dataset: Dataset, path: Path, changes: Sequence[str]) -> Model:
    """A model, with changes of the preset's settings, such as "poses=160"."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [str(dataset.path), "--out", str(path), "--method", "contact_corrections"]
    words += ["--bases", str(BASES), "--device", "cpu"]
    words += [word for change in changes for word in ("--set", change)]
    with patch.object(loop, "time", PROCESSOR):
        run(parser.parse_args(words), _silent, StopRequest())
    return read_model(path)


def _silent(event: Mapping[str, Any]) -> None:
    """Discard the event."""

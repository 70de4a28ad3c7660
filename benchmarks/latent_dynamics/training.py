"""Models for the measurements of latent dynamics, trained in this process and kept in build/bench/latent.

A training's minutes are those of the processor here, not of the clock: on a machine with other work all have
the same time nevertheless.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from benchmarks.latent_dynamics.scenes import LATENT
from learning.training import loop
from ml_backend.commands.train import add_arguments, run
from neural_physics.jobs.events import StopRequest

BASES = 50  # the paper's last layer
MODELS = LATENT / "models"
PROCESSOR = SimpleNamespace(monotonic=time.process_time)


def trained(
    name: str, dataset: Path, seed: int = 0, changes: Sequence[str] = (), *, preset: str = "balanced"
) -> tuple[Path, dict[str, Any]]:
    """The model file, and what the training delivered; trained if it is not there yet.

    changes: of the preset's settings, such as "noise=0". What was stopped is gone on with.
    """
    folder = MODELS / name
    model, found = folder / "model.safetensors", folder / "training.json"
    if not found.is_file():
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        words = [str(dataset), "--out", str(model), "--method", "latent_dynamics", "--preset", preset]
        words += ["--bases", str(BASES), "--seed", str(seed)]
        words += [word for change in changes for word in ("--set", change)]
        print(f"training {name}", flush=True)  # noqa: T201 (a tool that is watched)
        with patch.object(loop, "time", PROCESSOR):
            result = run(parser.parse_args(words), _silent, StopRequest())
        found.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return model, json.loads(found.read_text(encoding="utf-8"))


def is_trained(name: str) -> bool:
    """Whether a model is there."""
    return (MODELS / name / "training.json").is_file()


def _silent(event: Mapping[str, Any]) -> None:
    """Discard the event."""

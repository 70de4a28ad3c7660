"""Models for the measurements of jiggle springs, trained in this process and kept in build/bench/springs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.quasistatic_springs.scenes import model_folder
from ml_backend.commands.train import add_arguments, run
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.quasistatic_springs import specification as quasistatic_springs
from neural_physics.methods.quasistatic_springs.method import QuasistaticSprings
from neural_physics.methods.quasistatic_springs.springs import Springs
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model


def trained(
    name: str, dataset: Path, preset: str, changes: Sequence[str] = ()
) -> tuple[Path, dict[str, Any]]:
    """The model file, and what the training delivered; trained if it is not there yet.

    changes: of the preset's settings, such as "network=false". What was stopped is gone on with.
    """
    folder = model_folder(name, preset)
    model, found = folder / "model.safetensors", folder / "training.json"
    if not found.is_file():
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        words = [
            str(dataset),
            "--out",
            str(model),
            "--method",
            quasistatic_springs.SPECIFICATION.id,
            "--preset",
            preset,
        ]
        words += [word for change in changes for word in ("--set", change)]
        print(f"training {name}, {preset}", flush=True)  # noqa: T201 (a tool that is watched)
        result = run(parser.parse_args(words), _silent, StopRequest())
        found.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return model, json.loads(found.read_text(encoding="utf-8"))


def loaded(path: Path) -> QuasistaticSprings:
    """A model of this method."""
    method = load_method(read_model(path))
    assert isinstance(method, QuasistaticSprings)
    return method


def springs_of(path: Path) -> Springs:
    """A model's own springs."""
    model = read_model(path)
    return Springs(model.tensors["stiffness"], model.tensors["damping"], model.info.dt)


def _silent(event: Mapping[str, Any]) -> None:
    """Discard the event."""

"""One model of contact corrections' benchmark, and the shapes at rest that it is learned from.

What was solved and trained is kept in build/bench/contact; what was stopped goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from benchmarks.contact_corrections.scenes import CONTACT, MODELS, TEST, Example, baked
from learning.training.options import Options
from learning.training.presets import changed
from learning.training.spans import Span, split
from learning.training.tensor_files import Tensors, write_model
from ml_backend.methods.contact_corrections.data import solve_corrections
from ml_backend.methods.contact_corrections.presets import PRESETS, ContactPreset
from ml_backend.methods.contact_corrections.samples import CorrectionData
from ml_backend.methods.contact_corrections.scene import ContactScene, contact_scene
from ml_backend.methods.contact_corrections.solving_helper import helper_words
from ml_backend.methods.contact_corrections.train import ContactTraining, solid_body
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import StopRequest
from neural_physics.models.model_file import Model, ModelInfo, read_model

PRESET, BASES, TRAVERSES = "balanced", 100, 16
CPU = torch.device("cpu")
CORRECTIONS = ("internal.", "external.")  # what the names of their tensors begin with


@dataclass(frozen=True)
class Row:
    """states: of the training's takes that are solved. width: of r_ext's network; 0: no r_ext.

    handles: free points, where the example has no cores. validated: states of the training's takes that are
    held out. traverses: of each state, the places where a collider is led in; None for as many as usual.
    met: see `ContactPreset`. pressed: in how many states colliders are led in, 0 for all. cubature: elements,
    0 for as many as usual; the corrections are those of the row with 0.
    """

    example: Example
    states: int
    width: int
    handles: int = 8
    validated: int = 30
    traverses: int | None = None
    met: float = 0.5
    pressed: int = 0
    cubature: int = 0

    @property
    def name(self) -> str:
        """Its example, its numbers of states, the width of r_ext's network, its cubature: unique."""
        return f"{self.solved}_{self.width}" + (f"_of_{self.cubature}" if self.cubature else "")

    @property
    def solved(self) -> str:
        """Its example and its numbers of states."""
        return f"{self.example.name}_{self.states}" + (f"_{self.pressed}" if self.pressed else "")

    @property
    def model(self) -> Path:
        """The file of its trained model."""
        return MODELS / f"{self.name}.safetensors"


@dataclass(frozen=True)
class Study:
    """A row with what was baked for it. solved, validation: states of the training's takes."""

    row: Row
    dataset: Dataset
    training: ContactTraining
    solved: CorrectionData
    validation: CorrectionData

    @property
    def scene(self) -> ContactScene:
        """The body with its handles, as the training has it."""
        return self.training.scene

    def model(self) -> Model:
        """The row's model, trained if it is not there yet."""
        if not self.row.model.is_file():
            info, corrections = self._learned()
            tensors, _ = self.training.with_cubature(info, corrections, self.solved)
            write_model(self.row.model, info, tensors)
        return read_model(self.row.model)

    def _learned(self) -> tuple[ModelInfo, Tensors]:
        """What the model says of itself, and its corrections."""
        usual = replace(self.row, cubature=0)
        if usual.model.is_file():
            model = read_model(usual.model)
            return model.info, {k: v for k, v in model.tensors.items() if k.startswith(CORRECTIONS)}
        corrections, courses = self.training.corrections(self.solved, self.validation)
        return self.training.info(self.solved, courses), corrections

    def tested(self, count: int) -> CorrectionData:
        """The shapes of `count` states of the test take, with the collider where the take has it."""
        take = self.dataset.take(TEST)
        spans, preset = [Span(take, 0, len(take.positions))], self.training.preset
        preset = replace(preset, traverses=0, pressed=preset.poses)
        return _solved(
            self.dataset.path,
            self.scene,
            spans,
            count,
            preset=preset,
            seed=2,
            name=f"{self.row.example.name}_{count}_tested",
        )


def study(row: Row) -> Study | None:
    """None where the takes are not there."""
    dataset = baked(row.example)
    if dataset is None:
        return None
    preset = changed(PRESETS[PRESET], _changes(row))
    body, (training, held_out) = solid_body(dataset), split(dataset)
    scene = contact_scene(dataset, body, training, preset.handles)
    options = Options(PRESET, preset, BASES, 0, device="cpu", out=row.model, checkpoint_every=1e9)
    options.work.mkdir(parents=True, exist_ok=True)
    run = ContactTraining(dataset, options, scene, CPU, key=row.name, emit=silent, stop=StopRequest())
    name = row.solved
    solved = _solved(dataset.path, scene, training, row.states, preset=preset, seed=0, name=name)
    return Study(
        row,
        dataset,
        run,
        solved,
        validation=_solved(
            dataset.path, scene, held_out, row.validated, preset=preset, seed=1, name=f"{name}_held_out"
        ),
    )


def required(row: Row) -> Study:
    """The same; raises SystemExit where the takes are not there."""
    found = study(row)
    if found is None:
        raise SystemExit(f"{row.example.name} is not baked: python -m benchmarks.contact_corrections.bakes")
    return found


def uncorrected(model: Model) -> Model:
    """The same handles and cubature, alone."""
    kept = {k: v for k, v in model.tensors.items() if not k.startswith(CORRECTIONS)}
    return Model(model.info, kept, model.path)


def _changes(row: Row) -> Sequence[str]:
    traverses = TRAVERSES if row.traverses is None else row.traverses
    # All epochs, however quick the computer is.
    changes = ["minutes=0", f"handles={row.handles}", f"poses={row.states}", f"traverses={traverses}"]
    changes += [f"met={row.met}", f"pressed={row.pressed or row.states}"]
    changes += [f"cubature={row.cubature}"] if row.cubature else []
    return [*changes, f"external_width={row.width}"] if row.width else [*changes, "external=false"]


def _solved(
    dataset: Path,
    scene: ContactScene,
    spans: list[Span],
    count: int,
    *,
    preset: ContactPreset,
    seed: int,
    name: str,
) -> CorrectionData:
    kept = CONTACT / "solved" / f"{name}.safetensors"
    kept.parent.mkdir(parents=True, exist_ok=True)
    return solve_corrections(
        scene,
        spans,
        count,
        preset,
        seed=seed,
        kept=(kept, name),
        stage=name,
        emit=_Progress(name),
        stop=StopRequest(),
        helpers=helper_words(dataset, preset, ()),
        cores=None,
    )


class _Progress:
    """Says now and then how far it has come."""

    def __init__(self, name: str) -> None:
        self._name, self._last = name, time.monotonic()

    def __call__(self, event: Mapping[str, Any]) -> None:
        if event.get("event") == "progress" and time.monotonic() - self._last > 60.0:
            self._last = time.monotonic()
            print(f"{self._name}: {event['done']} of {event['total']}", flush=True)  # noqa: T201 (it is watched)


def silent(event: Mapping[str, Any]) -> None:
    """Discard the event."""

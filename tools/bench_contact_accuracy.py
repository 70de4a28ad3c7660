"""How near corrections are to the full body at rest, on another interaction (Romero 2021, Table 2)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from contact_scenes import JELLIES, MODELS, TEST, Jelly, baked

from ml_backend.methods.contact_corrections import ContactTraining, solid_body
from ml_backend.methods.contact_data import CorrectionData, solve_corrections
from ml_backend.methods.contact_presets import PRESETS, ContactPreset
from ml_backend.methods.contact_scene import ContactScene, contact_scene
from ml_backend.methods.contact_statics import Statics
from ml_backend.presets import changed
from ml_backend.spans import Span, split
from ml_backend.tensor_files import write_model
from ml_backend.train import Options
from neural_physics.methods.contact_corrections import ContactCorrections
from neural_physics.model_file import read_model
from neural_physics.reporting import StopRequest
from neural_physics.subspace.corrections import Part
from neural_physics.takes import Dataset

BASES, HANDLES, TRAVERSES = 100, 8, 16
VALIDATED = 30  # states of the training's takes that are held out
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Row:
    """states: that are solved in contact, of the training's takes. width: of r_ext's network."""

    jelly: str
    states: int
    width: int

    @property
    def name(self) -> str:
        return f"{self.jelly}_{self.states}_{self.width}"


ROWS = (
    Row("CIRCLE", 300, 200),
    Row("CIRCLE", 300, 1000),
    Row("COMB_STRAIGHT", 700, 200),
    Row("COMB_STRAIGHT", 700, 1000),
    Row("COMB", 700, 1000),
    Row("COMB", 700, 3000),
)


def judge() -> dict[str, Any]:
    """Of each row whose takes are there."""
    known = {jelly.name: jelly for jelly in JELLIES}
    there = {name: baked(jelly) for name, jelly in known.items()}
    rows = [_row(known[row.jelly], there[row.jelly], row) for row in ROWS if there[row.jelly] is not None]
    return {"rows": rows, "missing": [row.name for row in ROWS if there[row.jelly] is None]}


def _row(jelly: Jelly, dataset: Dataset | None, row: Row) -> dict[str, Any]:
    assert dataset is not None  # it was looked for
    preset = cast(
        ContactPreset,
        changed(
            PRESETS["balanced"],
            [
                f"handles={HANDLES}",
                f"poses={row.states}",
                f"traverses={TRAVERSES}",
                f"external_width={row.width}",
            ],
        ),
    )
    out = MODELS / f"{row.name}.safetensors"
    body, (training, held_out) = solid_body(dataset), split(dataset)
    scene = contact_scene(dataset, body, training, preset.handles)
    options = Options("balanced", preset, BASES, 0, "cpu", out, 1e9)
    options.work.mkdir(parents=True, exist_ok=True)
    run = ContactTraining(dataset, options, scene, CPU, row.name, _silent, StopRequest())
    solved = _solved(scene, training, row.states, preset, 0, f"{row.jelly}_{row.states}")
    validation = _solved(scene, held_out, VALIDATED, preset, 1, f"{row.jelly}_{row.states}_held_out")
    if not out.is_file():
        corrections, courses = run.corrections(solved, validation)
        info = run.info(solved, courses)
        tensors, _ = run.with_cubature(info, corrections, solved)
        write_model(out, info, tensors)
    model = read_model(out)
    method = ContactCorrections(model)
    return {
        "jelly": jelly.example,
        "turning": jelly.turning,
        "width": row.width,
        "handles": [scene.handles.free, (len(scene.handles.rest) - scene.handles.free) // 3],
        "triangles": len(body.elements),
        "shapes": {"internal": len(solved.internal), "external": len(solved.external)},
        "unsettled": solved.unsettled,
        "training": model.info.training,
        **errors_on(dataset, scene, method, TEST),
    }


def errors_on(dataset: Dataset, scene: ContactScene, method: ContactCorrections, take: str) -> dict[str, Any]:
    """Root mean squares over all vertices and frames of a take, over that of what the blend lacks.

    Each frame's state is held, and the full body solved for at rest with the collider where it is: `all` and
    `touched`, of the frames in contact, of what both corrections leave; `without` what r_int alone leaves in
    these; `dents`: what is left of what contact adds to the shape at rest without it.
    """
    statics, of_take = Statics(scene.body, scene.handles, scene.gravity), dataset.take(take)
    part = Part(method.handles, method.dynamics.corrections.basis, np.arange(scene.body.vertex_count))
    sums: dict[str, list[float]] = {name: [0.0, 0.0] for name in ("all", "touched", "without", "dents")}
    frames, unsettled = {"all": 0, "touched": 0}, 0
    assert of_take.body_positions is not None  # the bundled solver's
    for found, told in zip(of_take.body_positions, of_take.interaction, strict=True):
        y, positions = np.asarray(told), scene.coordinates.of(np.asarray(found, np.float64))
        rows = scene.frames.rows(y)
        q = np.concatenate([statics.project(positions, rows), rows])
        linear, placed = scene.handles.positions(q), scene.colliders.placed(y)
        start = positions.copy()
        start[statics.fixed] = linear[statics.fixed]
        full, settled = statics.rest(start, scene.contact, placed)
        alone, at_rest = statics.rest(linear, scene.contact.only(), placed.only())
        if not settled or not at_rest:
            unsettled += 1
            continue
        n, around = scene.handles.free, method.around(y)
        ours = part.positions(method.dynamics.pose(q[:n], around))
        inner = part.positions(method.dynamics.pose(q[:n], around.without_colliders()))
        touched = len(scene.contact.pressed(full, placed)[0]) > 0
        frames["all"] += 1
        frames["touched"] += int(touched)
        told_of: Mapping[str, tuple[np.ndarray, np.ndarray]] = {"all": (ours - full, linear - full)}
        if touched:
            dents = ours - inner - (full - alone), full - alone
            told_of = {
                **told_of,
                "touched": (ours - full, linear - full),
                "without": (inner - full, linear - full),
                "dents": dents,
            }
        for name, both in told_of.items():
            for k, each in enumerate(both):
                sums[name][k] += float((each**2).sum())
    errors = {name: float(np.sqrt(wrong / max(whole, 1e-30))) for name, (wrong, whole) in sums.items()}
    return {"errors": errors, "frames": frames, "test_unsettled": unsettled}


def _solved(
    scene: ContactScene, spans: list[Span], count: int, preset: ContactPreset, seed: int, name: str
) -> CorrectionData:
    kept = MODELS.parent / "solved" / f"{name}.safetensors"
    kept.parent.mkdir(parents=True, exist_ok=True)
    told = _Told(name)
    return solve_corrections(scene, spans, count, preset, seed, (kept, name), name, told, StopRequest())


class _Told:
    """Says now and then how far it has come."""

    def __init__(self, name: str) -> None:
        self._name, self._last = name, time.monotonic()

    def __call__(self, event: Mapping[str, Any]) -> None:
        if time.monotonic() - self._last > 60.0:
            self._last = time.monotonic()
            print(self._name, event.get("share", ""), flush=True)  # noqa: T201 (a tool that is watched)


def _silent(event: Mapping[str, Any]) -> None:
    """What is told is of no interest."""

"""Steps of exported models, by NumPy and by ONNX Runtime, in turns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.folders import ROOT
from benchmarks.onnx.compared import between, compared
from benchmarks.onnx.turns import Compared, Row, Sizes, row
from benchmarks.quick import folder_of, prepare_all
from benchmarks.reduced_method import dataset_in, model_in
from benchmarks.registry import BENCHMARKS
from neural_physics.evaluation.rollouts import held_out_takes
from neural_physics.models.model_file import Model, read_model

MODELS = ROOT / "neural_physics" / "blender" / "examples" / "models"
MEASURED = "ball_and_sheet"  # at reduced size
# Methods whose model of `make bench` is measured, too.
TRAINED = (
    "subspace_physics", "linear_dynamics", "latent_dynamics", "contact_corrections", "quasistatic_springs"
)  # fmt: skip


def judge() -> Row:
    """A row for each model or part: microseconds of a step and of a shape, mean and median, on one core."""
    prepare_all([*TRAINED, *(BENCHMARKS[name].quick.after for name in TRAINED)])
    return {"rows": list(_rows(Sizes()))}


def measure(folder: Path, sizes: Sizes) -> dict[str, float]:
    """Medians of one of the models, microseconds, and of the pairs of turns the median ratio."""
    found = row(_shipped(MODELS / f"{MEASURED}.safetensors", sizes), sizes)
    return {"onnx_us": found["onnx_step_us"], "over_numpy": found["over_numpy"]}


def _rows(sizes: Sizes) -> Iterator[Row]:
    for path in sorted(MODELS.glob("*.safetensors")):
        yield _labelled(read_model(path), f"{_title(path.stem)}, shipped", row(_shipped(path, sizes), sizes))
    for name in TRAINED:
        reduced, folder = BENCHMARKS[name].quick.settings, folder_of(name)
        model = read_model(model_in(folder))
        take = held_out_takes(dataset_in(folder, reduced))[0]
        first, stop = take.segments()[0]
        ys = np.resize(np.asarray(take.interaction[first:stop]), (sizes.steps, take.interaction.shape[1]))
        for each in compared(model, ys):
            yield _labelled(model, _title(reduced.example), row(each, sizes))


def _title(name: str) -> str:
    return name.replace("_", " ").title().replace(" And ", " & ").replace(" With ", " with ")


def _labelled(model: Model, example: str, found: Row) -> Row:
    return {
        "method": model.info.method,
        "example": example,
        "vertices": model.info.vertex_count,
        **found,
    }


def _shipped(path: Path, sizes: Sizes) -> Compared:
    """A model that comes with the extension; y at random from what was trained."""
    model = read_model(path)
    low, high = model.tensors["interaction_low"], model.tensors["interaction_high"]
    return next(compared(model, between(low, high, sizes.steps)))

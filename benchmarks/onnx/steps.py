"""Steps and shapes of the models that come with the extension, by NumPy and by ONNX Runtime, in turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.folders import ROOT

MODELS = ROOT / "neural_physics" / "blender" / "examples" / "models"
MEASURED = "ball_and_sheet"  # at reduced size
Row = dict[str, Any]


@dataclass(frozen=True)
class Sizes:
    """rounds: turns of each. steps: in each turn."""

    rounds: int = 20
    steps: int = 500


def judge() -> Row:
    """A row for each model: microseconds of a step and of a shape, mean and median, on one core each."""
    return {"rows": [_row(path, Sizes()) for path in sorted(MODELS.glob("*.safetensors"))]}


def measure(folder: Path, sizes: Sizes) -> dict[str, float]:
    """Medians of one of the models, microseconds, and of the pairs of turns the median ratio."""
    row = _row(MODELS / f"{MEASURED}.safetensors", sizes)
    return {"onnx_us": row["onnx_step_us"], "over_numpy": row["over_numpy"]}


def _row(path: Path, sizes: Sizes) -> Row:
    from neural_physics.methods.registry import load_method
    from neural_physics.models.model_file import read_model

    model = read_model(path)
    method = load_method(model)
    low, high = model.tensors["interaction_low"], model.tensors["interaction_high"]
    share = np.random.default_rng(0).uniform(size=(sizes.steps, len(low)))
    ys = (low + share * (high - low)).astype(np.float32)
    sides = {"numpy": _numpy(method), "onnx": _onnx(model)}
    taken = {f"{side}_{what}": list[float]() for side in sides for what in ("step", "shape")}
    ratios = []
    for _ in range(sizes.rounds):
        medians = []
        for side, play in sides.items():
            found = play(ys)
            for what, times in zip(("step", "shape"), found, strict=True):
                taken[f"{side}_{what}"] += times
            medians.append(float(np.median(found[0])))
        ratios.append(medians[1] / medians[0])
    return {
        "model": path.stem,
        "vertices": method.vertex_count,
        "bases": method.basis_count,
        "steps": sizes.rounds * sizes.steps,
        "over_numpy": float(np.median(ratios)),
        **{f"{name}_us": float(np.median(times)) for name, times in taken.items()},
        **{f"{name}_mean_us": float(np.mean(times)) for name, times in taken.items()},
    }


# Of the y at each step: microseconds that steps took, and the shapes after them.
Play = Callable[[Any], tuple[list[float], list[float]]]


def _numpy(method: Any) -> Play:  # noqa: ANN401 (each method has its own states)
    def play(ys: Any) -> tuple[list[float], list[float]]:  # noqa: ANN401
        state = method.start(ys[0])
        steps, shapes = list[float](), list[float]()
        for y in ys:
            began = perf_counter()
            state = method.step(state, y)
            stepped = perf_counter()
            method.positions(state, y)
            shapes.append(1e6 * (perf_counter() - stepped))
            steps.append(1e6 * (stepped - began))
        return steps, shapes

    return play


def _onnx(model: Any) -> Play:  # noqa: ANN401
    from ml_backend.exporting.exported import metadata
    from ml_backend.methods.exporters import exporter_of

    export = exporter_of(model.info.method)
    assert export is not None
    sessions = {
        each.graph.name: _session(each.graph.model(metadata(each, model, "")).SerializeToString())
        for each in export(model)
    }

    def play(ys: Any) -> tuple[list[float], list[float]]:  # noqa: ANN401
        z, z_before, w = sessions["start"].run(None, {"y": ys[:1]})
        steps, shapes = list[float](), list[float]()
        for y in ys[:, None]:
            began = perf_counter()
            given = {"z": z, "z_before": z_before, "y": y, "w_before": w}
            ahead, w, _ = sessions["step"].run(None, given)
            z, z_before = ahead, z
            stepped = perf_counter()
            sessions["decoder"].run(None, {"z": z})
            shapes.append(1e6 * (perf_counter() - stepped))
            steps.append(1e6 * (stepped - began))
        return steps, shapes

    return play


def _session(data: bytes) -> Any:  # noqa: ANN401
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # as NumPy has
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

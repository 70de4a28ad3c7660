"""Frames a second of the handles alone, of ours, and of the full solver (Romero 2021, Table 1).

All in one process and on one thread, in the processor's time, over an interaction that was not learned from.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from bench_contact_accuracy import ROWS, Row
from contact_scenes import JELLIES, MODELS, TEST, Jelly, baked
from numpy.typing import NDArray
from solver_times import solver_ms

from neural_physics.methods.contact_corrections import ContactCorrections
from neural_physics.model_file import Model, read_model
from neural_physics.takes import Dataset

PASSES = 3  # over the take


def judge() -> dict[str, Any]:
    """Of each row of `bench_contact_accuracy` whose model is there."""
    rows = [found for row in ROWS if (found := _row(row)) is not None]
    return {"rows": rows}


def _row(row: Row) -> dict[str, Any] | None:
    jelly = next(jelly for jelly in JELLIES if jelly.name == row.jelly)
    dataset, path = baked(jelly), MODELS / f"{row.name}.safetensors"
    if dataset is None or not path.is_file():
        return None
    return _told(jelly, row, dataset, read_model(path))


def _told(jelly: Jelly, row: Row, dataset: Dataset, model: Model) -> dict[str, Any]:
    ys = np.asarray(dataset.take(TEST).interaction)
    corrected = ("internal.", "external.")
    handles = {name: each for name, each in model.tensors.items() if not name.startswith(corrected)}
    linear = Model(model.info, handles, model.path)
    return {
        "jelly": jelly.example,
        "turning": jelly.turning,
        "width": row.width,
        "steps": model.info.settings["steps"],
        "triangles": len(dataset.body.elements) if dataset.body else 0,
        "cubature": len(model.tensors["cubature.elements"]),
        "bases": {
            name: len(model.tensors[f"{name}.basis"]) - 1
            for name in ("internal", "external")
            if f"{name}.basis" in model.tensors
        },
        "ms": {
            "linear": play_ms(ContactCorrections(linear), ys),
            "ours": play_ms(ContactCorrections(model), ys),
            "full": solver_ms(dataset, TEST, len(ys)),
        },
    }


def play_ms(method: ContactCorrections, ys: NDArray[np.float32]) -> float:
    """Milliseconds of a frame: a step, and all vertices; the median."""
    taken = []
    for _ in range(PASSES):
        state = method.start(ys[0])
        for y in ys[1:]:
            state, stepped = _timed(lambda state=state, y=y: method.step(state, y))
            _, shown = _timed(lambda state=state, y=y: method.positions(state, y))
            taken.append(stepped + shown)
    return median(taken)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = process_time()
    found = work()
    return found, 1e3 * (process_time() - began)

"""Frames a second of the handles alone, of ours, and of the full solver (Romero 2021, Table 1).

All in one process and on one thread, in the processor's time, over an interaction that was not learned from.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from bench_contact_accuracy import ROWS, handles_of
from contact_scenes import FINE, TEST
from contact_study import Row, Study, study, uncorrected
from numpy.typing import NDArray
from solver_times import solver_ms

from neural_physics.methods.contact_corrections import ContactCorrections

PASSES = 3  # over the take
# Of fewer shapes, but of as many bases: how long a frame takes does not depend on how well it is learned.
CIRCLE_FINE, ACCORDION_FINE = FINE
TIMED = (
    *ROWS,
    Row(CIRCLE_FINE, 30, 200, validated=4, traverses=1),
    Row(ACCORDION_FINE, 40, 0, handles=16, validated=6),
)


def judge() -> dict[str, Any]:
    """Of each row whose takes are there."""
    studies = (study(row) for row in TIMED)
    return {"rows": [_row(found) for found in studies if found is not None]}


def _row(found: Study) -> dict[str, Any]:
    row, dataset, model = found.row, found.dataset, found.model()
    ys = np.asarray(dataset.take(TEST).interaction)
    return {
        "example": row.example.example,
        "turning": row.example.turning,
        "width": row.width,
        "handles": handles_of(found.scene),
        "steps": model.info.settings["steps"],
        "triangles": len(found.scene.body.elements),
        "cubature": len(model.tensors["cubature.elements"]),
        "bases": {
            name: len(model.tensors[f"{name}.basis"]) - 1
            for name in ("internal", "external")
            if f"{name}.basis" in model.tensors
        },
        "ms": {
            "linear": play_ms(ContactCorrections(uncorrected(model)), ys),
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

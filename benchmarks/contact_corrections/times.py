"""Frames a second of the handles alone, of ours, and of the full solver (Romero 2021, Table 1).

All in one process and on one thread, in the processor's time, over an interaction that was not learned from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contact_corrections.accuracy import ROWS, handles_of
from benchmarks.contact_corrections.scenes import FINE, TEST
from benchmarks.contact_corrections.study import Row, Study, study, uncorrected
from benchmarks.solver.solver_times import simulation_of
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.models.model_file import Model

# Of fewer shapes, but of as many bases: how long a frame takes does not depend on how well it is learned.
CIRCLE_FINE, ACCORDION_FINE = FINE
TIMED = (
    *ROWS,
    Row(CIRCLE_FINE, 30, 200, validated=4, traverses=1),
    Row(ACCORDION_FINE, 40, 0, handles=16, validated=6),
)


def judge() -> dict[str, Any]:
    """Milliseconds a frame, beside the full simulation, of each row whose takes are there."""
    studies = (study(row) for row in TIMED)
    return {"rows": [_row(found) for found in studies if found is not None]}


def _row(found: Study) -> dict[str, Any]:
    row, dataset, model = found.row, found.dataset, found.model()
    ys, simulation = np.asarray(dataset.take(TEST).interaction), simulation_of(dataset, TEST)
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
        "ms": _in_turns(
            {
                "linear": _played(uncorrected(model), ys),
                "ours": _played(model, ys),
                "full": lambda _: simulation.advance(),
            },
            len(ys),
        ),
    }


def _in_turns(ways: Mapping[str, Callable[[int], Any]], frames: int) -> dict[str, float]:
    """Milliseconds of a frame of each way, the median.

    In turns, frame by frame, as other work on the machine comes and goes.
    """
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for frame in range(1, frames):
        for name, way in ways.items():
            began = process_time()
            way(frame)
            taken[name].append(1e3 * (process_time() - began))
    return {name: median(each) for name, each in taken.items()}


def _played(model: Model, ys: NDArray[np.float32]) -> Callable[[int], Any]:
    """What plays one frame after the other: a step, and all vertices."""
    method = ContactCorrections(model)
    state = method.start(ys[0])

    def frame(number: int) -> None:
        nonlocal state
        state = method.step(state, ys[number])
        method.positions(state, ys[number])

    return frame

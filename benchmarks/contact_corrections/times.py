"""Frames a second of the handles alone, of ours, and of the full solver (Romero 2021, Table 1).

All in one process and on one thread, in the processor's time, over an interaction that was not learned from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from statistics import mean, median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contact_corrections.accuracy import (
    COMBED,
    COMBED_FINE,
    DENTED,
    DENTED_FINE,
    ROWS,
    STRIPED,
    STRIPED_FINE,
    handles_of,
    is_there,
    of_row,
)
from benchmarks.contact_corrections.scenes import TEST
from benchmarks.contact_corrections.study import Row, required, uncorrected
from benchmarks.records import recorded
from benchmarks.solver.solver_times import simulation_of
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.models.model_file import Model

MORE = 600  # elements: about as many as the paper's bodies have in Play
FINER = (DENTED, COMBED, STRIPED, DENTED_FINE, COMBED_FINE, STRIPED_FINE)
TIMED = (*ROWS, *(replace(row, cubature=MORE) for row in FINER))


def judge() -> dict[str, Any]:
    """Milliseconds a frame, beside the full simulation, of each row whose takes are there."""
    there = [row for row in TIMED if is_there(_judged(row), (TEST,))]
    return {"rows": [{**_timed(row), **_errors(row)} for row in there]}


def _judged(row: Row) -> Row:
    """The row whose corrections it has."""
    return replace(row, cubature=0)


def _errors(row: Row) -> dict[str, Any]:
    judged = of_row(_judged(row), TEST)
    return {name: judged[name] for name in ("errors", "frames")}


def _timed(row: Row) -> dict[str, Any]:
    return recorded(f"contact/times/{row.name}", lambda: _measured(row))


def _measured(row: Row) -> dict[str, Any]:
    found = required(row)
    dataset, model = found.dataset, found.model()
    ys, simulation = np.asarray(dataset.take(TEST).interaction), simulation_of(dataset, TEST)
    ours = _Played(model, ys)
    ways: dict[str, Callable[[int], Any]] = {
        "linear": _Played(uncorrected(model), ys),
        "ours": ours,
        "full": lambda _: simulation.advance(),
    }
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
        "ms": _in_turns(ways, len(ys)),
        "unsettled": ours.unsettled / (len(ys) - 1),
    }


def _in_turns(ways: Mapping[str, Callable[[int], Any]], frames: int) -> dict[str, dict[str, float]]:
    """Milliseconds of a frame of each way, the median and the mean.

    In turns, frame by frame, as other work on the machine comes and goes.
    """
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for frame in range(1, frames):
        for name, way in ways.items():
            began = process_time()
            way(frame)
            taken[name].append(1e3 * (process_time() - began))
    return {name: {"median": median(each), "mean": mean(each)} for name, each in taken.items()}


class _Played:
    """Plays one frame after the other: a step, and all vertices. unsettled: frames not solved to the end."""

    def __init__(self, model: Model, ys: NDArray[np.float32]) -> None:
        self._method, self._ys, self.unsettled = ContactCorrections(model), ys, 0
        self._state = self._method.start(ys[0])

    def __call__(self, number: int) -> None:
        self._state = self._method.step(self._state, self._ys[number])
        self._method.positions(self._state, self._ys[number])
        self.unsettled += not self._method.settled(self._state)

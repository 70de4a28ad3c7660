"""What may be left out of the Jacobian of equation 3 (Romero 2021, Fig. 4).

The same interaction played with all of it, with equation 4, which leaves out how F changes, and with the
handles' alone, which leaves out how corrections do; beside it the full body.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.contact_corrections.accuracy import DENTED, LED
from benchmarks.contact_corrections.scenes import TEST
from benchmarks.contact_corrections.study import Study, study
from neural_physics.methods.contact_corrections import part as parts
from neural_physics.methods.contact_corrections.dynamics import PlainEquations
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.methods.contact_corrections.part import Part, Shape
from neural_physics.methods.contact_corrections.pose import Pose

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Jacobian = Callable[[Part, Pose, Array, Indices | None], Array]

EQUATION_3 = Part.jacobian


def without_gradients(part: Part, pose: Pose, slopes: Array, some: Indices | None = None) -> Array:
    """(S, d, d n): equation 4, U + F dr/dq."""
    with patch.object(parts, "moving_along", lambda handles, r: handles.weights[:, : handles.free]):
        return EQUATION_3(part, pose, slopes, some)


def of_handles(part: Part, pose: Pose, slopes: Array, some: Indices | None = None) -> Array:
    """(S, d, d n): U."""
    return EQUATION_3(part, replace(pose, c=np.zeros_like(pose.c)), np.zeros_like(slopes), some)


def pulled_by(way: Jacobian) -> Callable[[Part, Pose, Array, Shape], Array]:
    """What stands in for `Part.pulled` where another Jacobian does for that of equation 3."""

    def pulled(part: Part, pose: Pose, forces: Array, shape: Shape) -> Array:
        n, d = part.handles.free, forces.shape[1]
        found: Array = np.einsum("sd,sdm->m", forces, way(part, pose, pose.slopes, None)).reshape(n, d)
        return found

    return pulled


WAYS: dict[str, Jacobian] = {"equation 3": EQUATION_3, "equation 4": without_gradients, "U": of_handles}


def judge() -> dict[str, Any]:
    """The two Jacobians' errors, mm, and times, ms a frame, on each body whose takes are there."""
    return {"rows": [_row(found) for row in (DENTED, LED) if (found := study(row)) is not None]}


def _row(found: Study) -> dict[str, Any]:
    # By NumPy, whose Jacobian is exchanged.
    method, take = ContactCorrections(found.model(), PlainEquations()), found.dataset.take(TEST)
    assert take.body_positions is not None  # the bundled solver's
    full = np.asarray(take.body_positions, np.float64)[1:]
    played = {name: _played(method, np.asarray(take.interaction), way) for name, way in WAYS.items()}
    shapes = {name: shape for name, (shape, _) in played.items()}
    return {
        "example": found.row.example.example,
        "turning": found.row.example.turning,
        "moves_mm": 1e3 * _rms(full - full.mean(0)),
        "from_full_mm": {name: 1e3 * _rms(shape - full) for name, shape in shapes.items()},
        "from_whole_mm": {name: 1e3 * _rms(shape - shapes["equation 3"]) for name, shape in shapes.items()},
        "ms": {name: 1e3 * seconds / len(full) for name, (_, seconds) in played.items()},
    }


def _played(method: ContactCorrections, ys: NDArray[np.float32], way: Jacobian) -> tuple[Array, float]:
    """The body (N, B, 3), m, in all frames but the first, and the seconds that steps took."""
    shapes, seconds = [], 0.0
    with patch.object(Part, "jacobian", way), patch.object(Part, "pulled", pulled_by(way)):
        state = method.start(ys[0])
        for y in ys[1:]:
            began = process_time()
            state = method.step(state, y)
            seconds += process_time() - began
            shapes.append(method.body_positions(state, y))
    return np.array(shapes), seconds


def _rms(offsets: Array) -> float:
    return float(np.sqrt(np.square(offsets).sum(-1).mean()))

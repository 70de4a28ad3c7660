"""Exported models as ONNX Runtime runs them, beside the run time that they were made from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime
from lengths import at_length
from numpy.typing import NDArray

from ml_backend.exporting.exported import metadata
from ml_backend.methods.exporters import exporter_of
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model

STEPS = at_length(2_500, 10_000)
SAME = 1e-5  # of the size of the coefficients: how far a step may be from the run time's
Array = NDArray[Any]


class Session:
    """One file, checked, on one thread."""

    def __init__(self, data: bytes) -> None:
        self.model = onnx.load_from_string(data)
        onnx.checker.check_model(self.model, full_check=True)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        self.metadata = {each.key: each.value for each in self.model.metadata_props}
        self.inputs = {each.name: tuple(each.shape) for each in self._session.get_inputs()}
        self.outputs = {each.name: tuple(each.shape) for each in self._session.get_outputs()}

    def __call__(self, **given: Array) -> dict[str, Array]:
        """All outputs by name; what is given is put into the shapes of the inputs."""
        feed = {n: np.asarray(given[n], np.float32).reshape(shape) for n, shape in self.inputs.items()}
        return dict(zip(self.outputs, self._session.run(None, feed), strict=True))


def sessions(model: Model) -> dict[str, Session]:
    """What is exported of a model, by the files' names without their ending."""
    load_method(model)
    export = exporter_of(model.info.method)
    assert export is not None
    return {
        each.graph.name: Session(each.graph.model(metadata(each, model, "digest")).SerializeToString())
        for each in export(model)
    }


def wandering(size: int, steps: int = STEPS, *, scale: float = 0.5, middle: Array | float = 0.0) -> Array:
    """y (steps, e) float32: random motion about a middle, at times far out of every range, at times still."""
    rng = np.random.default_rng(7)
    y = np.zeros((steps, size))
    for t in range(1, steps):
        y[t] = 0.97 * y[t - 1] + 0.24 * rng.normal(size=size)
    y *= scale
    for first in range(500, steps, 1000):
        y[first : first + 40] *= 5.0
        y[first + 100 : first + 140] = y[first + 100]
    return (y + middle).astype(np.float32)


@dataclass
class Apart:
    """How far two runs are apart: the largest difference of a step over the size of what is compared."""

    largest: dict[str, float] = field(default_factory=dict)
    size: dict[str, float] = field(default_factory=dict)
    clipped: float = 0.0  # the mean share
    miscounted: int = 0  # steps whose shares of clipped numbers differ

    @property
    def shares(self) -> dict[str, float]:
        return {name: each / max(self.size[name], 1e-12) for name, each in self.largest.items()}


def apart(
    method: Any,
    step: Session,
    y: Array,
    *,
    inputs: Callable[[Any], Mapping[str, Array]],
    outputs: Mapping[str, str],
    state: Any = None,
) -> Apart:
    """Each step from the run time's own state, on both sides.

    inputs: of a state. outputs: the attribute of the next state that each output is.
    """
    found, state = Apart(), method.start(y[0]) if state is None else state
    sums = dict.fromkeys(outputs, 0.0)
    for now in y[1:]:
        said = step(y=now, **inputs(state))
        state = method.step(state, now)
        for output, attribute in outputs.items():
            true = getattr(state, attribute)
            off = float(np.abs(said[output].reshape(true.shape) - true).max())
            assert np.isfinite(off)
            found.largest[output] = max(found.largest.get(output, 0.0), off)
            sums[output] += float(np.square(true, dtype=float).mean())
        found.clipped += state.outside / (len(y) - 1)
        found.miscounted += abs(float(said["outside"].item()) - state.outside) > 1e-6
    found.size = {name: (total / (len(y) - 1)) ** 0.5 for name, total in sums.items()}
    return found


class Played:
    """A model that a program plays with its files alone: start, then step after step from its own state."""

    def __init__(self, files: Mapping[str, Session], y: Array, *, step: str = "step") -> None:
        self._step, self._decoder = files[step], files["decoder"]
        self._follows = json.loads(self._step.metadata["state"])
        self.state = files["start"](y=y)
        self._y = y

    def step(self, y: Array) -> None:
        said, last = self._step(y=y, **self.state), self.state
        self.state = {
            n: said[source] if source in said else last[source] for n, source in self._follows.items()
        }
        self._y = y

    def positions(self) -> Array:
        """(V, 3) m."""
        found: Array = self._decoder(y=self._y, **self.state)["positions"][0]
        return found


def closed_loops(method: Any, files: Mapping[str, Session], y: Array, *, every: int = 100) -> Array:
    """(n,) m: every so many steps the root mean square distance of the vertices of two runs, the run time's
    and that of the files, each from its own states."""
    state, played, found = method.start(y[0]), Played(files, y[0]), []
    for number, now in enumerate(y[1:], 1):
        played.step(now)
        state = method.step(state, now)
        if number % every == 0:
            off = played.positions() - method.positions(state, now)
            found.append(float(np.square(off, dtype=float).sum(1).mean() ** 0.5))
    return np.array(found)

"""Both ways to play a model: Play's NumPy and the exported files in ONNX Runtime, on one thread."""

from __future__ import annotations

from typing import Any

import onnx
import onnxruntime

from ml_backend.exporting.exported import Exported, metadata
from ml_backend.methods.exporters import exporter_of
from neural_physics.models.model_file import Model

Numbers = Any  # an array of float32


class NumpySteps:
    """Whole steps as Play makes them. method: as it is loaded from the model."""

    def __init__(self, method: Any) -> None:  # noqa: ANN401 (each has states of its own)
        self._method, self._state = method, None

    def start(self, y: Numbers) -> None:
        """See `turns.Side`."""
        self._state = self._method.start(y)

    def step(self, y: Numbers) -> object:
        """See `turns.Side`."""
        self._state = self._method.step(self._state, y)
        return self._state

    def shape(self, y: Numbers) -> object:
        """See `turns.Side`."""
        return self._method.positions(self._state, y)


class OnnxSteps:
    """Whole steps by start.onnx, step.onnx and decoder.onnx."""

    def __init__(self, model: Model) -> None:
        files = exported(model)
        self._start, self._step, self._decoder = (
            session(files[name], model) for name in ("start", "step", "decoder")
        )
        self._decoded = [each.name for each in self._decoder.get_inputs()]
        self._outputs = [each.name for each in self._step.get_outputs()]
        self._follows = files["step"].state
        self._state: dict[str, Numbers] = {}
        (z,) = (each for each in self._step.get_inputs() if each.name == "z")
        self.found: int = z.shape[1]

    def start(self, y: Numbers) -> None:
        """See `turns.Side`."""
        names = [each.name for each in self._start.get_outputs()]
        self._state = dict(zip(names, self._start.run(None, {"y": y[None]}), strict=True))

    def step(self, y: Numbers) -> object:
        """See `turns.Side`."""
        given = {**self._state, "y": y[None]}
        said = given | dict(zip(self._outputs, self._step.run(None, given), strict=True))
        self._state = {name: said[source] for name, source in self._follows.items()}
        return self._state

    def shape(self, y: Numbers) -> object:
        """See `turns.Side`."""
        given = {**self._state, "y": y[None]}
        return self._decoder.run(None, {name: given[name] for name in self._decoded})


class NumpyPart:
    """A network that is a part of a step. network: called with what the network is given."""

    def __init__(self, network: Any) -> None:  # noqa: ANN401
        self.step = network

    def start(self, y: Numbers) -> None:
        """Nothing comes before it."""

    shape = start


class OnnxPart:
    """The same network's file, of which the coefficients alone are asked."""

    def __init__(self, file: Exported, model: Model, output: str) -> None:
        self._session = session(file, model, only=output)
        (self._input,) = (each.name for each in self._session.get_inputs())

    def start(self, y: Numbers) -> None:
        """Nothing comes before it."""

    shape = start

    def step(self, y: Numbers) -> object:
        """See `turns.Side`."""
        return self._session.run(None, {self._input: y[None]})


def exported(model: Model) -> dict[str, Exported]:
    """The files that a model is exported as, by their names without the ending."""
    export = exporter_of(model.info.method)
    assert export is not None
    return {each.graph.name: each for each in export(model)}


def session(file: Exported, model: Model, only: str = "") -> onnxruntime.InferenceSession:
    """A file as ONNX Runtime runs it. only: the one output that is asked for; "": all."""
    proto: onnx.ModelProto = file.graph.model(metadata(file, model, ""))
    if only:
        kept = [each for each in proto.graph.output if each.name == only]
        del proto.graph.output[:]
        proto.graph.output.extend(kept)  # what leads to no output is left out as it is loaded
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # as NumPy has
    return onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )

"""One ONNX graph, built node by node: the one module that knows how ONNX writes things down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

OPSET = 15  # the newest that Unity's inference package is documented to read
IR_VERSION = 8  # of the files; the one that came with opset 15
PRODUCER = "Neural Physics"
FLOAT = TensorProto.FLOAT
Value = str  # the name of a tensor in the graph
Numbers = NDArray[np.floating[Any]]  # of any precision: the file has them as float32


class Graph:
    """Nodes, constants, inputs and outputs; all shapes are fixed, and all numbers float32.

    name: of the graph. about: one sentence for people, kept in the file.
    """

    def __init__(self, name: str, about: str) -> None:
        self.name, self.about = name, about
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self.bytes = 0  # of all constants

    def input(self, name: str, *shape: int, about: str) -> Value:
        """A tensor that is given; about: what it is, and its unit."""
        self._inputs.append(helper.make_tensor_value_info(name, FLOAT, shape, about))
        return name

    def output(self, value: Value, name: str, *shape: int, about: str) -> None:
        """Give a value away under this name; about: what it is, and its unit."""
        # A node of its own: what is given away may be an input, a constant, or given away twice.
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, FLOAT, shape, about))

    def constant(self, values: NDArray[Any]) -> Value:
        """Numbers as float32, whole ones as int64, which is what ONNX takes for places and shapes."""
        whole = np.issubdtype(values.dtype, np.integer)
        array = np.ascontiguousarray(values, np.int64 if whole else np.float32)
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array, name))
        self.bytes += array.nbytes
        return name

    def number(self, value: float) -> Value:
        """One number, to be broadcast over what it meets."""
        return self.constant(np.array([value], np.float32))

    def node(self, operator: str, *values: Value, **attributes: Any) -> Value:  # noqa: ANN401 (ONNX's own)
        """What an operator makes of values; attributes: the operator's."""
        name = f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, values, [name], **attributes))
        return name

    def reshaped(self, value: Value, *shape: int) -> Value:
        """The same numbers in another shape."""
        return self.node("Reshape", value, self.constant(np.array(shape)))

    def model(self, metadata: Mapping[str, str]) -> ModelProto:
        """The file, with `metadata_props`."""
        graph = helper.make_graph(
            self._nodes, self.name, self._inputs, self._outputs, self._constants, self.about
        )
        model = helper.make_model(
            graph,
            producer_name=PRODUCER,
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
        helper.set_model_props(model, dict(metadata))
        return model

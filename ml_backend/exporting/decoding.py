"""What `neural_physics.models.decoding` does, as nodes; and the decoder of methods whose z it decodes."""

from __future__ import annotations

import numpy as np

from ml_backend.exporting.exported import Exported
from ml_backend.exporting.graph import Graph, Value
from neural_physics.models.model_file import Model


def decoded(graph: Graph, z: Value, model: Model) -> Value:
    """x = x_mu + U^T z: (1, V, 3) m of z (1, u) (Holden 2019, section 6.2).

    Reads the tensors mean (V, 3) and basis (u, V, 3).
    """
    vertices = model.info.vertex_count
    mean, basis = model.tensor("mean", vertices, 3), model.tensor("basis", -1, vertices, 3)
    matrix, offset = basis.reshape(len(basis), -1), np.ravel(mean)
    x = graph.node("Gemm", z, graph.constant(matrix), graph.constant(offset))
    return graph.reshaped(x, 1, vertices, 3)


def linear_decoder(model: Model) -> Exported:
    """decoder.onnx of a method whose coefficients z (1, u) are its state."""
    graph = Graph("decoder", "Coefficients to the places of vertices.")
    bases, vertices = len(model.tensors["basis"]), model.info.vertex_count
    z = graph.input("z", 1, bases, about="coefficients")
    graph.output(decoded(graph, z, model), "positions", 1, vertices, 3, about=POSITIONS)
    return Exported(graph, "decoder")


POSITIONS = "vertices, metres, in the reference frame and its axes"

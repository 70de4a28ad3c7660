"""The networks of contact corrections (Romero 2021) as ONNX; the handles' dynamics are not in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ml_backend.exporting.clipping import changed, limited, share
from ml_backend.exporting.exported import Exported
from ml_backend.exporting.graph import Graph
from ml_backend.exporting.perceptron import dense, product
from neural_physics.methods.contact_corrections.model_reading import correction_of
from neural_physics.methods.contact_corrections.networks import LEAST_MARGIN
from neural_physics.models.model_file import Model

# Their inputs, and what they give, r_int or r_ext of eq. 7.
INTERNAL = "rows of Q as seen from the anchor, metres, one after the other"
EXTERNAL = "where a collider would be if the body were at rest, metres, its axes there, and its size, metres"


def export(model: Model) -> Sequence[Exported]:
    """internal.onnx and external.onnx, those of them that the model has."""
    given = (("internal", INTERNAL, "r_int"), ("external", EXTERNAL, "r_ext"))
    return [_network(model, *each) for each in given if f"{each[0]}.basis" in model.tensors]


def _network(model: Model, name: str, about: str, symbol: str) -> Exported:
    """Hidden layers with tanh, the last one without, and the bases that its outputs are coefficients of."""
    inputs, (m, vertices, d) = len(model.tensors[f"{name}.mean"]), model.tensors[f"{name}.basis"].shape
    correction = correction_of(model, name, inputs, (vertices, d))
    assert correction is not None  # its basis is there
    network = correction.network
    graph = Graph(name, f"A part of a step: {symbol} of Romero 2021, eq. 7, as coefficients and as vectors.")
    features = graph.input("features", 1, inputs, about=about)
    least, most = network.low - network.margin, network.high + network.margin
    # What is given for inputs that never varied says nothing.
    beyond = graph.node(
        "Mul",
        changed(graph, limited(graph, features, least, most), features),
        graph.constant((network.scale > 0.0).astype(np.float32)),
    )
    within = limited(graph, features, network.low, network.high)
    if network.margin.any():
        steepness = 1.0 / np.maximum(network.margin, LEAST_MARGIN)
        off = graph.node("Mul", graph.node("Sub", features, within), graph.constant(steepness))
        off = graph.node("Mul", graph.node("Tanh", off), graph.constant(network.margin))
        within = graph.node("Add", within, off)
    x = graph.node("Sub", within, graph.constant(network.mean))
    x = graph.node("Mul", x, graph.constant(network.scale))
    for k, (weight, bias) in enumerate(network.layers):
        x = dense(graph, x, weight, bias)
        if k < len(network.layers) - 1:
            x = graph.node("Tanh", x)
    graph.output(x, "c", 1, m, about="coefficients of its bases")
    r = graph.reshaped(product(graph, x, correction.basis.reshape(m, -1)), 1, vertices, d)
    graph.output(r, symbol, 1, vertices, d, about="of the body's vertices, metres, in the axes of rest")
    outside = share(graph, beyond, of=max(1, network.varying))
    graph.output(outside, "outside", 1, 1, about="the share, 0 to 1, of varying features that was clipped")
    return Exported(graph, "network", ranges={"features": (least, most)})

"""What `neural_physics.methods.interaction_subspace` does, as nodes."""

from __future__ import annotations

from ml_backend.exporting.clipping import clipped
from ml_backend.exporting.exported import Range
from ml_backend.exporting.graph import Graph, Value
from ml_backend.exporting.perceptron import product
from neural_physics.arrays import Floats
from neural_physics.models.model_file import Model


class InteractionSubspace:
    """w = V (y - y_mu), kept to the training range (Holden 2019, sections 5.1 and 8.1).

    size: v. Reads the tensors y_mean (e,), interaction_basis (v, e), w_low, w_high (v,).
    """

    def __init__(self, model: Model) -> None:
        e = model.info.channels.size
        self._y_mean = model.tensor("y_mean", e)
        self._basis = model.tensor("interaction_basis", -1, e)
        self.size = len(self._basis)
        self.range: Range = model.tensor("w_low", self.size), model.tensor("w_high", self.size)

    def __call__(self, graph: Graph, y: Value) -> tuple[Value, Value]:
        """w (1, v) of y (1, e), and (1, v) of 1 where it was clipped, else 0."""
        return clipped(graph, projected(graph, y, self._y_mean, self._basis), *self.range)


def projected(graph: Graph, y: Value, mean: Floats, matrix: Floats) -> Value:
    """A (y - mean): (1, n) of y (1, e), mean (e,), matrix (n, e)."""
    return product(graph, graph.node("Sub", y, graph.constant(mean)), matrix.T)

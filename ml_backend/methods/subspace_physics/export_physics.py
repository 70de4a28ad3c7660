"""What `neural_physics.methods.subspace_physics.physical_model` does, as nodes."""

from __future__ import annotations

import numpy as np

from ml_backend.exporting.graph import Graph, Value
from ml_backend.exporting.perceptron import product
from neural_physics.arrays import Floats, Indices
from neural_physics.methods.subspace_physics.reduced_forces import LEAST, by_axis
from neural_physics.models.model_file import Model


def extrapolated(graph: Graph, z: Value, z_before: Value, alpha: Floats, *, beta: Floats) -> Value:
    """alpha z_{t-1} + beta (z_{t-1} - z_{t-2}) (Holden 2019, eq. 1): (1, u) of z, z_before (1, u)."""
    change = graph.node("Mul", graph.constant(beta), graph.node("Sub", z, z_before))
    return graph.node("Add", graph.node("Mul", graph.constant(alpha), z), change)


def physical_model(
    graph: Graph, model: Model, z: Value, z_before: Value, *, y: Value
) -> tuple[Value, list[Value]]:
    """z_bar = s (1, u), and what else the network sees: what contact and springs would change, (1, u) each.

    From q_0 = s on, q_{k+1} = q_k + A_k (m (s - q_k) - f(q_k)) + B_k p(q_k); seen are B_K p(q_K) and q_K - s.
    """
    alpha, beta, gravity = (model.tensor(f"physics.{name}", -1) for name in ("alpha", "beta", "gravity"))
    s = extrapolated(graph, z, z_before, alpha, beta=beta)
    s = graph.node("Add", s, graph.constant(gravity))
    u = len(gravity)
    contact = _Contact(graph, model, y) if "physics.contact" in model.tensors else None
    springs = _Springs(graph, model) if "physics.elastic" in model.tensors else None
    q = s
    if springs is not None:
        masses = graph.constant(model.tensor("physics.masses", u))
        for k, elastic in enumerate(model.tensor("physics.elastic", -1, u, u)):
            held = graph.node("Mul", masses, graph.node("Sub", s, q))
            change = product(graph, graph.node("Sub", held, springs(q)), elastic.T)
            if contact is not None:
                change = graph.node("Add", change, contact.response(q, k))
            q = graph.node("Add", q, change)
    seen = [] if contact is None else [contact.response(q, -1)]
    if springs is not None:
        seen.append(graph.node("Sub", q, s))
    return s, seen


class _Springs:
    """f(q): springs between pairs of vertices, softer where they are shorter than at rest; E springs."""

    def __init__(self, graph: Graph, model: Model) -> None:
        self._graph = graph
        basis, mean = _shapes(model)
        ends = model.tensors["physics.springs"].astype(np.intp)
        along = by_axis(basis[:, ends[:, 0]] - basis[:, ends[:, 1]])
        self._along, self._back = along, along.T
        self._mean = graph.constant((mean[ends[:, 0]] - mean[ends[:, 1]]).T[None])
        self._lengths, self._stretch, self._compression = (
            graph.constant(model.tensor(f"physics.{name}", len(ends))[None, None])
            for name in ("lengths", "stretch", "compression")
        )
        self._count = len(ends)

    def __call__(self, q: Value) -> Value:
        """(1, u)."""
        graph = self._graph
        along = graph.reshaped(product(graph, q, self._along), 1, 3, self._count)
        along = graph.node("Add", along, self._mean)
        one = graph.number(1.0)
        ratio = graph.node("Div", self._lengths, _lengths(graph, _squares(graph, along, axis=1)))
        stiffness = graph.node("Where", graph.node("Less", ratio, one), self._stretch, self._compression)
        force = graph.node("Mul", stiffness, graph.node("Sub", one, ratio))
        pulled = graph.reshaped(graph.node("Mul", along, force), 1, 3 * self._count)
        return product(graph, pulled, self._back)


class _Contact:
    """p(q): balls push the vertices that are inside them to their surface; P vertices, C balls."""

    def __init__(self, graph: Graph, model: Model, y: Value) -> None:
        self._graph = graph
        basis, mean = _shapes(model)
        points, centres = (model.tensors[f"physics.{name}"].astype(np.intp) for name in ("points", "centres"))
        self._places = by_axis(basis[:, points])
        self._push = self._places.T * model.tensor("physics.push", 1)
        self._mean = graph.constant(mean[points].T[None, None])
        self._responses = model.tensor("physics.contact", -1, len(basis), len(basis))
        radii = model.tensor("physics.radii", len(centres))[None, :, None, None]
        self._radii, self._within = graph.constant(radii), graph.constant(radii * radii)
        self._count, self._balls = len(points), len(centres)
        self._centres = self._centres_in(y, centres)

    def response(self, q: Value, step: int) -> Value:
        """B_k p(q): (1, u)."""
        return product(self._graph, self(q), self._responses[step].T)

    def __call__(self, q: Value) -> Value:
        """(1, u). All balls at once, (1, C, 3, P), as how many vertices each pushes is not known before."""
        graph = self._graph
        places = graph.reshaped(product(graph, q, self._places), 1, 1, 3, self._count)
        places = graph.node("Add", places, self._mean)
        away = graph.node("Sub", places, self._centres)
        # A place that is no number is inside of nothing.
        squares = _squares(graph, away, axis=2)
        inside = graph.node("Less", squares, self._within)
        distance = _lengths(graph, squares)
        depth = graph.node("Sub", graph.node("Div", self._radii, distance), graph.number(1.0))
        push = graph.node("Where", inside, graph.node("Mul", away, depth), graph.number(0.0))
        total = graph.node("ReduceSum", push, graph.constant(np.array([1])), keepdims=0)
        return product(graph, graph.reshaped(total, 1, 3 * self._count), self._push)

    def _centres_in(self, y: Value, centres: Indices) -> Value:
        """(1, C, 3, 1): where y (1, e) has the balls."""
        graph = self._graph
        numbers = (centres[:, None] + np.arange(3)).ravel()
        return graph.reshaped(graph.node("Gather", y, graph.constant(numbers), axis=1), 1, self._balls, 3, 1)


def _squares(graph: Graph, x: Value, *, axis: int) -> Value:
    """Squared lengths of vectors along an axis, which is kept."""
    return graph.node("ReduceSum", graph.node("Mul", x, x), graph.constant(np.array([axis])))


def _lengths(graph: Graph, squares: Value) -> Value:
    """Lengths of which none is 0, to divide by."""
    return graph.node("Sqrt", graph.node("Max", squares, graph.number(float(LEAST))))


def _shapes(model: Model) -> tuple[Floats, Floats]:
    """basis (u, V, 3) and mean (V, 3)."""
    vertices = model.info.vertex_count
    return model.tensor("basis", -1, vertices, 3), model.tensor("mean", vertices, 3)

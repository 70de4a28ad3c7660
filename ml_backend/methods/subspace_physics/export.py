"""Subspace physics (Holden 2019) as ONNX: start, step, that of the second opinion, and decoder."""

from __future__ import annotations

from collections.abc import Sequence

from ml_backend.exporting.clipping import clipped, share
from ml_backend.exporting.decoding import linear_decoder
from ml_backend.exporting.exported import Exported
from ml_backend.exporting.graph import Graph, Value
from ml_backend.exporting.interaction import InteractionSubspace
from ml_backend.exporting.perceptron import perceptron
from ml_backend.methods.subspace_physics.export_physics import extrapolated, physical_model
from neural_physics.methods.subspace_physics.second_opinion import SECOND
from neural_physics.models.model_file import Model

STATE = {"z": "z_next", "z_before": "z", "w_before": "w"}


def export(model: Model) -> Sequence[Exported]:
    """start.onnx, step.onnx, decoder.onnx, and fast_step.onnx of a model with a second opinion."""
    physics = bool(model.info.settings.get("physics", False))
    found = [_start(model), _step(model, "step", physics=physics), linear_decoder(model)]
    if f"{SECOND}layers.0.weight" in model.tensors:
        found.append(_step(model, "fast_step", physics=False, prefix=SECOND))
    return found


def _start(model: Model) -> Exported:
    """At rest in the shape that training takes began with."""
    graph = Graph("start", "The state before the first step, of y there.")
    subspace = InteractionSubspace(model)
    y = graph.input("y", 1, model.info.channels.size, about="what the object reacts to, see channels")
    start = model.tensor("start", -1)
    z = graph.constant(start[None])
    w, _ = subspace(graph, y)
    for name in ("z", "z_before"):
        graph.output(z, name, 1, len(start), about="coefficients")
    graph.output(w, "w_before", 1, subspace.size, about="the interaction in its subspace")
    return Exported(graph, "start", ranges={"w": subspace.range})


def _step(model: Model, name: str, *, physics: bool, prefix: str = "") -> Exported:
    """Equations 1 and 3 of Holden 2019, inputs and outputs clipped (section 8.1), by the networks that are
    called PREFIX...; see `NetworkStep`.
    """
    settings, subspace = model.info.settings, InteractionSubspace(model)
    u, v, e = len(model.tensors["start"]), subspace.size, model.info.channels.size
    z_range = model.tensor("z_low", u), model.tensor("z_high", u)
    graph = Graph(name, "One step of dt: the coefficients of the next frame, of y at it.")
    z = graph.input("z", 1, u, about="coefficients of the last frame")
    z_before = graph.input("z_before", 1, u, about="those of the frame before it")
    y = graph.input("y", 1, e, about="what the object reacts to, at the next frame, see channels")
    w_before = graph.input("w_before", 1, v, about="w that the last step gave")
    w, w_clipped = subspace(graph, y)
    z_bar, seen = _guess(graph, model, z, z_before, y=y, physics=physics, prefix=prefix)
    inputs = [z_bar, z, *seen, w]
    if settings.get("interaction_velocity", False):
        inputs.append(graph.node("Sub", w, w_before))
    activation = str(settings.get("activation", "relu"))
    ahead = perceptron(
        graph, graph.node("Concat", *inputs, axis=1), model, activation, name=f"{prefix}layers"
    )
    if settings.get("residual", True):
        ahead = graph.node("Add", ahead, z_bar)
    z_next, z_clipped = clipped(graph, ahead, *z_range)
    graph.output(z_next, "z_next", 1, u, about="coefficients of the next frame, for the decoder")
    graph.output(w, "w", 1, v, about="the interaction in its subspace")
    outside = share(graph, w_clipped, z_clipped, of=u + v)
    graph.output(outside, "outside", 1, 1, about="the share, 0 to 1, of w and z that was clipped")
    return Exported(graph, "step", ranges={"w": subspace.range, "z": z_range}, state=STATE)


def _guess(
    graph: Graph, model: Model, z: Value, z_before: Value, *, y: Value, physics: bool, prefix: str
) -> tuple[Value, list[Value]]:
    """z_bar (1, u), and what else the network sees of it, each (1, u)."""
    if physics:
        return physical_model(graph, model, z, z_before, y=y)
    if not model.info.settings.get("initial_model", True):
        return z, []
    alpha, beta = (model.tensor(f"{prefix}{name}", -1) for name in ("alpha", "beta"))
    return extrapolated(graph, z, z_before, alpha, beta=beta), []

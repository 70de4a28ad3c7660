"""Latent dynamics (Li 2025) as ONNX: start, step and decoder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ml_backend.exporting.clipping import bounded, clipped, share
from ml_backend.exporting.decoding import POSITIONS, decoded
from ml_backend.exporting.exported import Exported
from ml_backend.exporting.graph import Graph, Value
from ml_backend.exporting.interaction import projected
from ml_backend.exporting.perceptron import perceptron, product
from neural_physics.methods.latent_dynamics.method import ACTIVATION
from neural_physics.models.model_file import Model

STATE = {"z": "z_next", "z_before": "z", "s": "s_next", "s_before": "s"}


def export(model: Model) -> Sequence[Exported]:
    """start.onnx, step.onnx and decoder.onnx."""
    return [_start(model), _step(model), _decoder(model)]


def _start(model: Model) -> Exported:
    """At rest in the shape that training takes began with, on pins that stand as y has them."""
    graph = Graph("start", "The state before the first step, of y there.")
    y = _interaction(graph, model)
    latents, s = model.tensor("start_latents", -1), _acting(graph, model, y)
    z = graph.constant(latents[None])
    for name in ("z", "z_before"):
        graph.output(z, name, 1, len(latents), about="latents")
    for name in ("s", "s_before"):
        graph.output(s, name, 1, len(model.tensors["boundary"]), about="what acts on the body")
    return Exported(graph, "start")


def _step(model: Model) -> Exported:
    """Equation 3 of Li 2025: of L latents z and v boundary values s, its input and output clipped."""
    latents, v = len(model.tensors["start_latents"]), len(model.tensors["boundary"])
    graph = Graph("step", "One step of dt: the latents of the next frame, of y at it.")
    z = graph.input("z", 1, latents, about="latents of the last frame")
    z_before = graph.input("z_before", 1, latents, about="those of the frame before it")
    y = _interaction(graph, model)
    s = graph.input("s", 1, v, about="what acted on the body at the last frame")
    s_before = graph.input("s_before", 1, v, about="the same at the frame before it")
    s_next = _acting(graph, model, y)
    change = graph.node("Sub", s_next, s)
    bend = graph.node("Sub", change, graph.node("Sub", s, s_before))
    x = graph.node("Concat", z, graph.node("Sub", z, z_before), s_next, change, bend, axis=1)
    inputs = 2 * latents + 3 * v
    scale = model.tensor("input_scale", inputs)
    x = graph.node("Sub", x, graph.constant(model.tensor("input_mean", inputs)))
    x = graph.node("Mul", x, graph.constant(scale))
    ranges = {
        "input": (model.tensor("input_low", inputs), model.tensor("input_high", inputs)),
        "z": (model.tensor("z_low", latents), model.tensor("z_high", latents)),
    }
    within, x_clipped = clipped(graph, x, *ranges["input"])
    ahead = perceptron(graph, within, model, ACTIVATION, residual=True)
    ahead = graph.node("Add", ahead, product(graph, within, model.tensor("linear", latents, inputs).T))
    z_next, z_clipped = clipped(graph, ahead, *ranges["z"])
    graph.output(z_next, "z_next", 1, latents, about="latents of the next frame, for the decoder")
    graph.output(s_next, "s_next", 1, v, about="what acts on the body at the next frame")
    used = max(1, int(np.count_nonzero(scale)))
    outside = share(graph, x_clipped, z_clipped, of=used + latents)
    graph.output(outside, "outside", 1, 1, about="the share, 0 to 1, of inputs and z that was clipped")
    return Exported(graph, "step", ranges=ranges, state=STATE)


def _decoder(model: Model) -> Exported:
    """x = mean + basis . [c(y), D(z)]: how far the pins have gone, then the features of the shape."""
    latents, vertices = len(model.tensors["start_latents"]), model.info.vertex_count
    graph = Graph("decoder", "Latents and y of one frame to the places of vertices.")
    z = graph.input("z", 1, latents, about="latents")
    y = _interaction(graph, model)
    around = product(graph, z, model.tensor("decoder.around", -1, latents).T)
    parts = [
        graph.node("Add", perceptron(graph, z, model, ACTIVATION, name="decoder", residual=True), around)
    ]
    if "offsets" in model.tensors:
        parts.insert(0, _seen(graph, model, y, "offsets"))
    coefficients = bounded(graph, graph.node("Concat", *parts, axis=1))
    positions = decoded(graph, coefficients, model)
    graph.output(positions, "positions", 1, vertices, 3, about=POSITIONS)
    return Exported(graph, "decoder")


def _interaction(graph: Graph, model: Model) -> Value:
    return graph.input("y", 1, model.info.channels.size, about="what the object reacts to, see channels")


def _acting(graph: Graph, model: Model, y: Value) -> Value:
    """s (1, v)."""
    return bounded(graph, _seen(graph, model, y, "boundary"))


def _seen(graph: Graph, model: Model, y: Value, name: str) -> Value:
    """What a matrix, a tensor of this name, makes of y (1, e) without its mean."""
    e = model.info.channels.size
    return projected(graph, y, model.tensor("y_mean", e), model.tensor(name, -1, e))

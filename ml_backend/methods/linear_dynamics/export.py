"""Linear dynamics (de Aguiar 2010) as ONNX: start, step and decoder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ml_backend.exporting.clipping import clipped, share
from ml_backend.exporting.decoding import linear_decoder
from ml_backend.exporting.exported import Exported
from ml_backend.exporting.graph import Graph
from ml_backend.exporting.interaction import InteractionSubspace
from ml_backend.exporting.perceptron import dense
from neural_physics.models.model_file import Model

STATE = {"z": "z_next", "z_before": "z", "w_before": "w"}


def export(model: Model) -> Sequence[Exported]:
    """start.onnx, step.onnx and decoder.onnx."""
    return [_start(model), _step(model), linear_decoder(model)]


def _start(model: Model) -> Exported:
    """At rest in the shape that training takes began with, as if y had always been this."""
    graph = Graph("start", "The state before the first step, of y there.")
    subspace = InteractionSubspace(model)
    start, h = model.tensor("start", -1), _history(model, subspace)
    y = graph.input("y", 1, model.info.channels.size, about="what the object reacts to, see channels")
    w, _ = subspace(graph, y)
    for name in ("z", "z_before"):
        graph.output(graph.constant(start[None]), name, 1, len(start), about="coefficients")
    every = graph.reshaped(graph.node("Concat", *[w] * h, axis=1), 1, h, subspace.size)
    graph.output(every, "w_before", 1, h, subspace.size, about="w of h frames, the last one first")
    return Exported(graph, "start", ranges={"w": subspace.range})


def _step(model: Model) -> Exported:
    """z_{t+1} = A z_t + B z_{t-1} + C (w_{t+1}, ..., w_{t+2-h}) + c, clipped (Holden 2019, section 8.1)."""
    subspace = InteractionSubspace(model)
    u, v, h = len(model.tensors["start"]), subspace.size, _history(model, subspace)
    z_range = model.tensor("z_low", u), model.tensor("z_high", u)
    graph = Graph("step", "One step of dt: the coefficients of the next frame, of y at it.")
    z = graph.input("z", 1, u, about="coefficients of the last frame")
    z_before = graph.input("z_before", 1, u, about="those of the frame before it")
    y = graph.input("y", 1, model.info.channels.size, about="what the object reacts to, at the next frame")
    w_before = graph.input("w_before", 1, h, v, about="w that the last step gave")
    w, w_clipped = subspace(graph, y)
    flat = graph.reshaped(w_before, 1, h * v)
    kept = graph.node("Gather", flat, graph.constant(np.arange((h - 1) * v)), axis=1) if h > 1 else None
    past = w if kept is None else graph.node("Concat", w, kept, axis=1)
    matrix = np.concatenate(
        [model.tensor("now", u, u), model.tensor("before", u, u), model.tensor("interaction", u, h * v)], 1
    )
    ahead = dense(graph, graph.node("Concat", z, z_before, past, axis=1), matrix, model.tensor("constant", u))
    z_next, z_clipped = clipped(graph, ahead, *z_range)
    graph.output(z_next, "z_next", 1, u, about="coefficients of the next frame, for the decoder")
    graph.output(
        graph.reshaped(past, 1, h, v), "w", 1, h, v, about="w of h frames, that of the next one first"
    )
    outside = share(graph, w_clipped, z_clipped, of=u + v)
    graph.output(outside, "outside", 1, 1, about="the share, 0 to 1, of w and z that was clipped")
    return Exported(graph, "step", ranges={"w": subspace.range, "z": z_range}, state=STATE)


def _history(model: Model, subspace: InteractionSubspace) -> int:
    """h: of how many frames w is seen."""
    return int(model.tensors["interaction"].shape[1]) // subspace.size

"""What `neural_physics.methods.perceptron` does, as nodes."""

from __future__ import annotations

from itertools import count, takewhile

import numpy as np

from ml_backend.exporting.graph import Graph, Numbers, Value
from neural_physics.arrays import Floats
from neural_physics.methods.perceptron import MOST_LAYERS
from neural_physics.models.model_file import Model


def perceptron(
    graph: Graph, x: Value, model: Model, activation: str, *, name: str = "layers", residual: bool = False
) -> Value:
    """(1, outputs) of x (1, inputs), by the layers NAME.K of a model that has been loaded once.

    residual: whether each hidden layer but the first adds to the one before it.
    """
    given, layers = x, _layers(model, name)
    for k, (weight, bias) in enumerate(layers):
        y = dense(graph, x, weight, bias)
        if k < len(layers) - 1:
            y = ACTIVATIONS[activation](graph, y)
            if k and residual:
                y = graph.node("Add", y, x)
        x = y
    if f"{name}.shortcut" not in model.tensors:
        return x
    return graph.node("Add", x, product(graph, given, model.tensor(f"{name}.shortcut", -1, -1).T))


def dense(graph: Graph, x: Value, weight: Numbers, bias: Numbers) -> Value:
    """W x + b: (1, out) of x (1, in), weight (out, in), bias (out,)."""
    return graph.node("Gemm", x, graph.constant(weight), graph.constant(bias), transB=1)


def product(graph: Graph, x: Value, matrix: Numbers) -> Value:
    """x A: (1, out) of x (1, in), matrix (in, out)."""
    return graph.node("MatMul", x, graph.constant(np.ascontiguousarray(matrix)))


def silu(graph: Graph, x: Value) -> Value:
    """x / (1 + exp(-x))."""
    return graph.node("Mul", x, graph.node("Sigmoid", x))


def relu(graph: Graph, x: Value) -> Value:
    """max(x, 0)."""
    return graph.node("Relu", x)


ACTIVATIONS = {"relu": relu, "silu": silu}


def _layers(model: Model, name: str) -> list[tuple[Floats, Floats]]:
    """weight (out, in) and bias (out,) of each, as many as the run time reads."""
    there = takewhile(lambda k: f"{name}.{k}.weight" in model.tensors, count())
    numbers = [k for k, _ in zip(there, range(MOST_LAYERS), strict=False)]
    return [
        (model.tensor(f"{name}.{k}.weight", -1, -1), model.tensor(f"{name}.{k}.bias", -1)) for k in numbers
    ]

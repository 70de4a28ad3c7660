"""What `neural_physics.methods.clipping` does, as nodes: values kept to a range, and numbers to numbers."""

from __future__ import annotations

import numpy as np

from ml_backend.exporting.graph import FLOAT, Graph, Numbers, Value
from neural_physics.methods.clipping import LARGEST

AXIS = np.array([1])  # of the numbers, after that of states, of which there is one


def clipped(graph: Graph, values: Value, low: Numbers, high: Numbers) -> tuple[Value, Value]:
    """Values (1, n) within low and high (n,), and (1, n) of 1 where one had to be changed, else 0.

    What is no number is taken for 0, the mean of training (Holden 2019, section 8.1).
    """
    within = limited(graph, _numbers(graph, values), low, high)
    return within, changed(graph, within, values)


def limited(graph: Graph, values: Value, low: Numbers, high: Numbers) -> Value:
    """Values within low and high of their shape, or one that can be broadcast to it."""
    above = graph.node("Max", values, graph.constant(low))
    return graph.node("Min", above, graph.constant(high))


def bounded(graph: Graph, values: Value) -> Value:
    """None beyond `LARGEST`, and 0 for what is no number."""
    above = graph.node("Max", _numbers(graph, values), graph.number(-LARGEST))
    return graph.node("Min", above, graph.number(LARGEST))


def changed(graph: Graph, within: Value, values: Value) -> Value:
    """1 where values differ from what they were kept within, else 0."""
    # A number that is none equals nothing, and so counts.
    return graph.node("Cast", graph.node("Not", graph.node("Equal", within, values)), to=FLOAT)


def share(graph: Graph, *flags: Value, of: int) -> Value:
    """(1, 1): how many of some values (1, n) are 1, over a number."""
    every = graph.node("Concat", *flags, axis=1) if len(flags) > 1 else flags[0]
    counted = graph.node("ReduceSum", every, graph.constant(AXIS), keepdims=1)
    return graph.node("Mul", counted, graph.number(1.0 / of))


def _numbers(graph: Graph, values: Value) -> Value:
    # Programs differ in what the larger of a number and none is, so that it is asked for first.
    return graph.node("Where", graph.node("IsNaN", values), graph.number(0.0), values)

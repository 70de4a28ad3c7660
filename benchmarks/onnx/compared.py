"""What the exported files of a model can do, beside what Play does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.onnx.sides import NumpyPart, NumpySteps, OnnxPart, OnnxSteps, exported
from benchmarks.onnx.turns import Compared
from neural_physics.interaction.poses import PosePlaces
from neural_physics.methods.contact_corrections.model_reading import correction_of
from neural_physics.methods.quasistatic_springs.pose_network import PoseNetwork
from neural_physics.methods.quasistatic_springs.skin_tensors import skin_in
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model

Numbers = Any  # an array of float32


def compared(model: Model, ys: Numbers) -> Iterator[Compared]:
    """What the exported files of a model can do, beside what Play does."""
    files = exported(model)
    if "step" in files:
        method = load_method(model)
        steps = OnnxSteps(model)
        steps.start(ys[0])
        yield Compared("step", steps.found, ys, NumpySteps(method), steps)
    for name in ("internal", "external"):
        if name in files:
            yield _correction(model, name, len(ys), OnnxPart(files[name], model, "c"))
    if "pose_network" in files:
        yield _poses(model, ys, OnnxPart(files["pose_network"], model, "coefficients"))


def _correction(model: Model, name: str, steps: int, onnx: OnnxPart) -> Compared:
    """A network of contact corrections; what it is given is drawn at random from what was trained."""
    _, vertices, d = model.tensors[f"{name}.basis"].shape
    correction = correction_of(model, name, len(model.tensors[f"{name}.mean"]), (vertices, d))
    assert correction is not None
    network = correction.network
    given = between(network.low, network.high, steps)
    return Compared(f"{name} network", network.outputs, given, NumpyPart(network), onnx, decoded=False)


def _poses(model: Model, ys: Numbers, onnx: OnnxPart) -> Compared:
    """The network of held poses, in the poses of a take that nobody has learned from."""
    places = PosePlaces.of(model.info.channels)
    assert places is not None
    network = PoseNetwork(model, skin_in(model, places.bones, places.keys), model.tensors["rest"])
    moves = places.pose(ys).moves
    found = network.coefficients(moves[0])[0].size
    return Compared("pose network", found, moves, NumpyPart(network.coefficients), onnx, decoded=False)


def between(low: Numbers, high: Numbers, steps: int) -> Numbers:
    """(steps, e) at random from a range (e,)."""
    share = np.random.default_rng(0).uniform(size=(steps, len(low)))
    return (low + share * (high - low)).astype(np.float32)

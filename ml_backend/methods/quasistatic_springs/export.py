"""The network of held poses (Jin 2022, section 3.2) as ONNX; skinning and springs are not in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ml_backend.exporting.clipping import bounded, changed, limited, share
from ml_backend.exporting.exported import Exported
from ml_backend.exporting.graph import Graph, Value
from ml_backend.exporting.perceptron import product, silu
from neural_physics.arrays import Floats, Indices
from neural_physics.interaction.poses import PosePlaces
from neural_physics.methods.perceptron import MOST_LAYERS
from neural_physics.methods.quasistatic_springs.pose_network import NETWORK, has_network
from neural_physics.methods.quasistatic_springs.pose_turns import AFTER, BEFORE, FLAT
from neural_physics.methods.quasistatic_springs.skin_tensors import skin_in
from neural_physics.models.model_file import Model
from neural_physics.skinning.skin import Shares

OBJECT = ""  # in place of a bone's name: what follows no bone


def export(model: Model) -> Sequence[Exported]:
    """pose_network.onnx; nothing of a model that has learned no held poses."""
    return [_pose_network(model)] if has_network(model) else []


class _Regions(NamedTuple):
    """Which shares R bones displace: all P together, of each bone its places among these."""

    shares: Shares
    owners: Indices
    bones: tuple[str, ...]


def _pose_network(model: Model) -> Exported:
    """What `PoseNetwork.coefficients` does, and what the bones' vertices are displaced by at rest."""
    regions = _regions(model)
    low, high = (model.tensor(NETWORK + name, len(regions.owners), -1) for name in ("low", "high"))
    count, inputs = low.shape
    seen = model.tensors[f"{NETWORK}seen"].astype(np.intp)
    graph = Graph("pose_network", "A part of a step: how a held pose displaces vertices at rest.")
    k = len(regions.bones) + 1
    about = "rows of the object's matrix, then the bones' ones: from the mesh at rest to the world, metres"
    moves = graph.input("moves", 1, k, 3, 4, about=about)
    x = _seen(graph, _turns(graph, moves, k), k, owners=regions.owners, seen=seen)
    within = limited(graph, x, low, high)
    z = _network(graph, model, graph.reshaped(within, count, inputs, 1))
    modes = model.tensors[f"{NETWORK}linear"].shape[1]
    z = bounded(graph, graph.reshaped(z, 1, count, modes))
    graph.output(z, "coefficients", 1, count, modes, about="of each bone's own bases")
    displaced = _displacements(graph, model, z, regions)
    p = len(regions.shares.bones)
    graph.output(displaced, "displacements", 1, p, 3, about="metres times shares, at rest, see displaced")
    counted = max(1, inputs * count - 6 * int((seen == regions.owners[:, None]).sum()))
    outside = share(graph, graph.reshaped(changed(graph, within, x), 1, count * inputs), of=counted)
    graph.output(outside, "outside", 1, 1, about="the share, 0 to 1, of inputs that was clipped")
    return Exported(graph, "network", ranges={"seen": (low, high)}, more={"displaced": _listed(regions)})


def _regions(model: Model) -> _Regions:
    places = PosePlaces.of(model.info.channels)
    assert places is not None  # the run time has been loaded from it
    every = Shares.of(skin_in(model, places.bones, places.keys))
    shares = every.some(model.tensors[f"{NETWORK}shares"].astype(np.intp))
    return _Regions(shares, np.array([bone for bone, _ in shares.parts]), places.bones)


def _listed(regions: _Regions) -> list[dict[str, object]]:
    """Which vertices the displacements are of, bone by bone."""
    names, shares = (OBJECT, *regions.bones), regions.shares
    return [{"bone": names[bone], "vertices": shares.vertices[part].tolist()} for bone, part in shares.parts]


def _turns(graph: Graph, moves: Value, count: int) -> Value:
    """(K + 1, 3, 3): right-handed unit axes, by Gram and Schmidt, as `turns_of`."""

    def column(number: int) -> Value:
        taken = graph.node("Gather", moves, graph.constant(np.array([number])), axis=3)
        return graph.reshaped(taken, count, 3, 1)

    x, y = _unit(graph, column(0)), column(1)
    along = graph.node("ReduceSum", graph.node("Mul", x, y), graph.constant(np.array([1])))
    y = _unit(graph, graph.node("Sub", y, graph.node("Mul", along, x)))

    def axes(value: Value, order: Indices) -> Value:
        return graph.node("Gather", value, graph.constant(order), axis=1)

    across = [graph.node("Mul", axes(x, a), axes(y, b)) for a, b in ((AFTER, BEFORE), (BEFORE, AFTER))]
    return graph.node("Concat", x, y, graph.node("Sub", *across), axis=2)


def _unit(graph: Graph, v: Value) -> Value:
    """Of each vector (K + 1, 3, 1)."""
    squares = graph.node("ReduceSum", graph.node("Mul", v, v), graph.constant(np.array([1])))
    length = graph.node("Max", graph.node("Sqrt", squares), graph.number(FLAT))
    return graph.node("Div", v, length)


def _seen(graph: Graph, turns: Value, count: int, *, owners: Indices, seen: Indices) -> Value:
    """(R, 6 m + 3) of turns (K + 1, 3, 3), as `SeenTurns`: the first two axes of each of m bones, and the
    world's up, in the axes of each of the R."""
    regions, m = seen.shape
    row, column = np.arange(3)[:, None, None], np.arange(2)
    places = (9 * seen[:, None, :, None] + 3 * row + column).reshape(regions, 3, 2 * m)
    flat = graph.reshaped(turns, 9 * count)
    others = graph.node("Gather", flat, graph.constant(places), axis=0)
    up = np.broadcast_to(np.array([[0.0], [0.0], [1.0]], np.float32), (regions, 3, 1))
    columns = graph.node("Concat", others, graph.constant(up), axis=2)
    own = graph.node("Gather", turns, graph.constant(owners), axis=0)
    found = graph.node("MatMul", graph.node("Transpose", own, perm=[0, 2, 1]), columns)
    return graph.reshaped(found, regions, 6 * m + 3)


def _network(graph: Graph, model: Model, x: Value) -> Value:
    """(R, u, 1) of the inputs (R, e, 1): of each bone its own layers, and what is linear in its inputs."""

    def multiplied(name: str, values: Value) -> Value:
        return graph.node("MatMul", graph.constant(model.tensor(f"{NETWORK}{name}", -1, -1, -1)), values)

    straight = multiplied("linear", x)
    for k in range(MOST_LAYERS):
        if f"{NETWORK}{k}.weight" not in model.tensors:
            break
        if k:
            x = silu(graph, x)
        bias = model.tensor(f"{NETWORK}{k}.bias", -1, -1)[..., None]
        x = graph.node("Add", multiplied(f"{k}.weight", x), graph.constant(bias))
    return graph.node("Add", straight, x)


def _displacements(graph: Graph, model: Model, z: Value, regions: _Regions) -> Value:
    """(1, P, 3): mean and bases, which are times the shares, of coefficients (1, R, u), bone by bone."""
    modes = model.tensors[f"{NETWORK}modes"].tolist()
    most = model.tensors[f"{NETWORK}linear"].shape[1]
    # It may be empty, where no bone has any.
    basis = model.tensor(f"{NETWORK}basis", len(model.tensors[f"{NETWORK}basis"]))
    flat = graph.reshaped(z, 1, len(modes) * most)
    first, found = 0, list[Value]()
    for number, ((_, part), used) in enumerate(zip(regions.shares.parts, modes, strict=True)):
        n = part.stop - part.start
        if not used:
            found.append(graph.constant(np.zeros((1, n, 3), np.float32)))
            continue
        own: Floats = basis[first : first + 3 * used * n].reshape(used, 3 * n)
        first += 3 * used * n
        row = graph.node("Gather", flat, graph.constant(number * most + np.arange(used)), axis=1)
        found.append(graph.reshaped(product(graph, row, own), 1, n, 3))
    mean = graph.constant(model.tensor(f"{NETWORK}mean", -1, 3))
    return graph.node("Add", graph.node("Concat", *found, axis=1), mean)

"""The network of held poses, in NumPy: x^net = skinning of what it displaces (Jin 2022, section 3.2).

One small network for each bone that carries anything. It sees how the bones around its own are turned, and
which way is up, in its own bone's axes, and gives coefficients of principal components of how its own bone's
vertices are displaced there. What the bones of a vertex say is blended by the skin's weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..displaced_skinning import DisplacedSkinning
from ..model_file import Model, damaged
from ..pose_turns import seen_turns, turns_of
from ..skinning import Shares, Skin
from .perceptron import MOST_LAYERS, silu

Floats = NDArray[np.float32]

NETWORK = "network."  # what all its tensors' names begin with


def has_network(model: Model) -> bool:
    """Whether a model holds a network of held poses, whole or not."""
    return any(name.startswith(NETWORK) for name in model.tensors)


class PoseNetwork:
    """Where vertices rest in a pose. Raises Problem("model_damaged").

    Tensors, for R bones that carry anything (the object is the first of all, where a vertex follows it), m
    others seen by each, e = 6 m + 3 inputs, u coefficients and P shares of the skin (see `skinning.Shares`):
    network.seen (R, m) int, 0 for the object, then the bones. network.low, high (R, e): what inputs are
    clipped to. network.linear (R, u, e), network.K.weight (R, out, in), network.K.bias (R, out): the
    coefficients are the last layer's outputs and linear times the inputs. network.mean (P, 3), network.basis
    (P, 3, u): metres times the share's weight.
    """

    def __init__(self, model: Model, skin: Skin, rest_positions: Floats) -> None:
        shares = Shares(skin)
        self._owners = np.array([bone for bone, _ in shares.parts])
        regions, count = len(self._owners), len(shares.bones)
        self._seen = model.indices(f"{NETWORK}seen", regions, -1, below=len(skin.bones) + 1)
        mean, basis = model.tensor(f"{NETWORK}mean", count, 3), model.tensor(f"{NETWORK}basis", count, 3, -1)
        inputs, modes = 6 * self._seen.shape[1] + 3, basis.shape[2]
        self._low, self._high = (model.tensor(NETWORK + name, regions, inputs) for name in ("low", "high"))
        self._linear = model.tensor(f"{NETWORK}linear", regions, modes, inputs)
        self._layers = _layers(model, regions, inputs, modes)
        self._scratch = [np.empty((regions, weight.shape[1], 1), np.float32) for weight, _ in self._layers]
        self._skinning = DisplacedSkinning(skin, rest_positions, mean, basis)
        self._coefficients = np.ones((regions, modes + 1), np.float32)
        # Where a bone sees itself there is nothing to be clipped.
        self._counted = max(1, inputs * regions - 6 * int((self._seen == self._owners[:, None]).sum()))

    def __call__(self, moves: Floats) -> tuple[Floats, float]:
        """(V, 3) float32, metres, world space, a new array; and the share of the inputs that were clipped.

        moves (K + 1, 3, 4): the object's, the bones'.
        """
        coefficients, outside = self.coefficients(moves)
        return self._skinning(moves, coefficients), outside

    def coefficients(self, moves: Floats) -> tuple[Floats, float]:
        """(R, u + 1) float32, reused by the next call, the last of each being 1; and the share as above."""
        seen = seen_turns(turns_of(moves), self._owners, self._seen)
        inputs = np.clip(seen, self._low, self._high)
        outside = np.count_nonzero(inputs != seen) / self._counted
        x = inputs[..., None]
        z = self._coefficients[:, :-1]
        np.copyto(z, (self._linear @ x)[..., 0])
        last = len(self._layers) - 1
        for k, ((weight, bias), scratch) in enumerate(zip(self._layers, self._scratch, strict=True)):
            x = weight @ x
            x += bias
            if k < last:
                silu(x, scratch)
        z += x[..., 0]
        return self._coefficients, outside


def _layers(model: Model, regions: int, inputs: int, outputs: int) -> list[tuple[Floats, Floats]]:
    """weight (R, out, in) and bias (R, out, 1) of each layer."""
    layers: list[tuple[Floats, Floats]] = []
    size = inputs
    while f"{NETWORK}{len(layers)}.weight" in model.tensors and len(layers) < MOST_LAYERS:
        name = f"{NETWORK}{len(layers)}"
        weight = model.tensor(f"{name}.weight", regions, -1, size)
        size = weight.shape[1]
        layers.append((weight, model.tensor(f"{name}.bias", regions, size)[..., None]))
    if not layers or size != outputs:
        raise damaged(model.path, f"its network of poses ends in {size} numbers, not {outputs}")
    return layers

"""The network of held poses, in NumPy: x^net = skinning of what it displaces (Jin 2022, section 3.2).

One small network for each bone that carries anything. It sees how the bones around its own are turned, and
which way is up, in its own bone's axes, and gives coefficients of principal components of how its own bone's
vertices are displaced there. What the bones of a vertex say is blended by the skin's weights.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...models.model_file import Model, damaged
from ...skinning.skin import Shares, Skin
from ..clipping import LARGEST, bounded
from ..perceptron import MOST_LAYERS, silu
from .displaced_skinning import DisplacedSkinning
from .pose_turns import SeenTurns, turns_of

NETWORK = "network."  # what all its tensors' names begin with
LARGEST_BASIS = 1e4  # metres: a basis moves vertices by less than 1


def has_network(model: Model) -> bool:
    """Whether a model holds a network of held poses, whole or not."""
    return any(name.startswith(NETWORK) for name in model.tensors)


class PoseNetwork:
    """Where vertices rest in a pose. Raises Problem("model_damaged").

    Tensors, for R bones that displace anything (the object is the first of all, where it does), m others
    seen by each, e = 6 m + 3 inputs, at most u coefficients and P of the skin's shares (see
    `skinning.Shares`): network.shares (P,) int, rising: those that are displaced. network.seen (R, m) int, 0
    for the object, then the bones. network.low, high (R, e): what inputs are clipped to. network.linear
    (R, u, e), network.K.weight (R, out, in), network.K.bias (R, out): the coefficients are the last layer's
    outputs and linear times the inputs. network.modes (R,) int: how many of them count. network.mean (P, 3),
    network.basis: metres times the bone's share, bone by bone (u_b, n_b, 3) for its n_b shares,
    one after the other.
    """

    def __init__(self, model: Model, skin: Skin, rest_positions: Floats) -> None:
        every = Shares.of(skin)
        displaced = model.indices(f"{NETWORK}shares", -1, below=len(every.bones))
        if (np.diff(displaced) <= 0).any():
            raise damaged(model.path, f"the tensor “{NETWORK}shares” does not rise")
        parts = every.some(displaced).parts
        owners, regions = np.array([bone for bone, _ in parts]), len(parts)
        seen = model.indices(f"{NETWORK}seen", regions, -1, below=len(skin.bones) + 1)
        self._seen, inputs = SeenTurns(owners, seen), 6 * seen.shape[1] + 3
        self._low, self._high = (model.tensor(NETWORK + name, regions, inputs) for name in ("low", "high"))
        self._linear = model.tensor(f"{NETWORK}linear", regions, -1, inputs)
        modes = self._linear.shape[1]
        self._layers = _layers(model, regions, inputs, modes)
        self._scratch = [np.empty((regions, weight.shape[1], 1), np.float32) for weight, _ in self._layers]
        mean = model.limited_tensor(f"{NETWORK}mean", len(displaced), 3, largest=LARGEST)
        sizes = [part.stop - part.start for _, part in parts]
        bases = _bases(model, model.indices(f"{NETWORK}modes", regions, below=modes + 1).tolist(), sizes)
        self._skinning = DisplacedSkinning(skin, rest_positions, displaced, mean, bases=bases, modes=modes)
        # Where a bone sees itself there is nothing to be clipped.
        self._counted = max(1, inputs * regions - 6 * int((seen == owners[:, None]).sum()))

    def __call__(self, moves: Floats) -> tuple[Floats, float]:
        """(V, 3) float32, metres, world space, a new array; and the share of the inputs that were clipped.

        moves (K + 1, 3, 4): the object's, the bones'.
        """
        coefficients, outside = self.coefficients(moves)
        return self._skinning(moves, coefficients), outside

    def coefficients(self, moves: Floats) -> tuple[Floats, float]:
        """(R, u) float32, a new array; and the share as above."""
        seen = self._seen(turns_of(moves))
        inputs = np.clip(seen, self._low, self._high)
        outside = np.count_nonzero(inputs != seen) / self._counted
        x = inputs[..., None]
        z: Floats = self._linear @ x
        last = len(self._layers) - 1
        for k, ((weight, bias), scratch) in enumerate(zip(self._layers, self._scratch, strict=True)):
            x = weight @ x
            x += bias
            if k < last:
                silu(x, scratch)
        z += x
        return bounded(z.reshape(-1)).reshape(len(z), -1), outside


def _bases(model: Model, modes: list[int], sizes: list[int]) -> list[Floats]:
    """(u_b, n_b, 3) of each bone."""
    ends = np.cumsum([0, *(3 * u * n for u, n in zip(modes, sizes, strict=True))])
    basis = model.limited_tensor(f"{NETWORK}basis", int(ends[-1]), largest=LARGEST_BASIS)
    cut = zip(modes, sizes, ends[:-1], ends[1:], strict=True)
    return [basis[first:end].reshape(u, n, 3) for u, n, first, end in cut]


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

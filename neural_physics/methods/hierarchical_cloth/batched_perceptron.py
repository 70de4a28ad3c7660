"""A small network for thousands of triangles at once, in NumPy, on the calling thread alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...models.model_file import Model, damaged
from ..perceptron import MOST_LAYERS, ZERO

# OpenBLAS shares out products of more multiplications than these among its threads, and waits for them
# (see `single_thread_products`). Blocks below it also leave what a block needs in the first-level cache.
MOST_MULTIPLICATIONS = 65536 * 4


@dataclass(frozen=True)
class Layers:
    """weight (out, in) and bias (out,) of each layer. linear (outputs, inputs): what is added to the last
    layer's, of the inputs themselves; None: nothing (the paper). limits (2, inputs): the least and most that
    the layers are shown of each input; None: all of it (the paper). `linear` sees what is beyond, too.
    """

    layers: list[tuple[Floats, Floats]]
    linear: Floats | None = None
    limits: Floats | None = None

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return int(self.layers[0][0].shape[1])

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return len(self.layers[-1][0])

    def tensors(self, prefix: str) -> dict[str, Floats]:
        """The tensors by name, as `layers_of` reads them."""
        given = {"linear": self.linear, "limits": self.limits}
        tensors = {f"{prefix}.{name}": array for name, array in given.items() if array is not None}
        for k, (weight, bias) in enumerate(self.layers):
            tensors |= {f"{prefix}.{k}.weight": weight, f"{prefix}.{k}.bias": bias}
        return tensors


class BatchedPerceptron:
    """Layers with ReLU between them (Oh 2018, Fig. 3), of columns: x (inputs, m) -> (outputs, m) float32."""

    def __init__(self, layers: Layers, columns: int) -> None:
        """columns: m."""
        self._layers = [
            (np.ascontiguousarray(weight, np.float32), np.asarray(bias, np.float32)[:, None])
            for weight, bias in layers.layers
        ]
        self._linear = None if layers.linear is None else np.ascontiguousarray(layers.linear, np.float32)
        largest = max(weight.size for weight, _ in self._layers)
        limits = layers.limits
        self._limits = None if limits is None else np.ascontiguousarray(limits, np.float32)[:, :, None]
        self._width = max(1, min(columns, MOST_MULTIPLICATIONS // largest))
        self._blocks = [slice(first, first + self._width) for first in range(0, columns, self._width)]
        self._scratch = [np.empty((len(w), self._width), np.float32) for w, _ in self._layers[:-1]]
        self._out = np.empty((layers.outputs, columns), np.float32)
        self._shown = np.empty((layers.inputs, self._width), np.float32)
        self._added = np.empty((layers.outputs, self._width), np.float32)

    def __call__(self, x: Floats) -> Floats:
        """The array is reused by the next call."""
        last = len(self._layers) - 1
        for block in self._blocks:
            below, out = x[:, block], self._out[:, block]
            if self._limits is not None:
                shown = self._shown[:, : below.shape[1]]
                np.maximum(below, self._limits[0], out=shown)
                below = np.minimum(shown, self._limits[1], out=shown)
            for k, (weight, bias) in enumerate(self._layers):
                above = out if k == last else self._scratch[k][:, : below.shape[1]]
                np.matmul(weight, below, out=above)
                above += bias
                if k < last:
                    np.maximum(above, ZERO, out=above)
                below = above
            if self._linear is not None:
                added = self._added[:, : out.shape[1]]
                np.matmul(self._linear, x[:, block], out=added)
                out += added
        return self._out


def layers_of(model: Model, prefix: str, inputs: int, outputs: int) -> Layers:
    """`PREFIX.K.weight` (out, in), `PREFIX.K.bias` (out,) and, where they are, `PREFIX.linear` and `.limits`.

    Raises Problem("model_damaged").
    """
    layers: list[tuple[Floats, Floats]] = []
    size = inputs
    while f"{prefix}.{len(layers)}.weight" in model.tensors and len(layers) < MOST_LAYERS:
        k = len(layers)
        weight = model.tensor(f"{prefix}.{k}.weight", -1, size)
        size = len(weight)
        layers.append((weight, model.tensor(f"{prefix}.{k}.bias", size)))
    if not layers or size != outputs:
        raise damaged(model.path, f"the network “{prefix}” ends in {size} numbers, not {outputs}")
    shapes = {"linear": (outputs, inputs), "limits": (2, inputs)}
    linear, limits = (
        model.tensor(f"{prefix}.{name}", *shape) if f"{prefix}.{name}" in model.tensors else None
        for name, shape in shapes.items()
    )
    return Layers(layers, linear, limits)

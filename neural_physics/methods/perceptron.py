"""A small feed-forward network in NumPy, allocating nothing per call but its result."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Floats
from ..models.model_file import Model, damaged
from ..models.single_thread_products import Product

MOST_LAYERS = 64


# NumPy takes longer to convert a number of Python than to use it on a whole layer.
ZERO, ONE, LOWEST = np.float32(0.0), np.float32(1.0), np.float32(-80.0)


def relu(x: Floats, _scratch: Floats) -> None:
    """max(x, 0), in place."""
    np.maximum(x, ZERO, out=x)


def silu(x: Floats, scratch: Floats) -> None:
    """x / (1 + exp(-x)), in place; exp(-x) is kept from overflowing. scratch: as long as x."""
    np.maximum(x, LOWEST, out=scratch)
    np.negative(scratch, out=scratch)
    np.exp(scratch, out=scratch)
    scratch += ONE
    x /= scratch


ACTIVATIONS: dict[str, Callable[[Floats, Floats], None]] = {"relu": relu, "silu": silu}


class Perceptron:
    """NAME.K.weight (out, in) and NAME.K.bias (out,) of a model, an activation between them.

    NAME.shortcut (out, in), if there is one, adds what follows from the inputs by one matrix.

    residual: whether each hidden layer but the first adds to the one before it; all have one width then.
    Raises Problem("model_damaged") when the layers do not lead from `inputs` to `outputs` numbers.
    """

    def __init__(
        self,
        model: Model,
        activation: str,
        inputs: int,
        outputs: int,
        *,
        name: str = "layers",
        residual: bool = False,
    ) -> None:
        path = model.path
        if activation not in ACTIVATIONS:
            raise damaged(path, f"the activation “{activation}” is unknown")
        self._activate, self._residual = ACTIVATIONS[activation], residual
        self._layers: list[tuple[Product, Floats, Floats]] = []
        size = inputs
        while f"{name}.{len(self._layers)}.weight" in model.tensors and len(self._layers) < MOST_LAYERS:
            k = len(self._layers)
            weight = model.tensor(f"{name}.{k}.weight", -1, size)
            size = len(weight)
            bias = model.tensor(f"{name}.{k}.bias", size)
            self._layers.append((Product(weight.T), bias, np.empty(size, np.float32)))
        self._shortcut = None
        if f"{name}.shortcut" in model.tensors:
            self._shortcut = Product(model.tensor(f"{name}.shortcut", outputs, inputs).T)
        if not self._layers or size != outputs:
            raise damaged(path, f"its network ends in {size} numbers, not {outputs}")
        if residual and len({len(bias) for _, bias, _ in self._layers[:-1]}) > 1:
            raise damaged(path, "the layers of its residual network are not all as wide")

    def __call__(self, x: Floats) -> Floats:
        """x (inputs,) float32 -> (outputs,) float32, the caller's to keep.

        Of x (n, inputs): (n, outputs), each row bit for bit as it is alone.
        """
        last, many = len(self._layers) - 1, x.ndim == 2
        straight = None if self._shortcut is None else self._shortcut(x)
        for k, (product, bias, scratch) in enumerate(self._layers):
            y = product(x)
            y += bias
            if k < last:
                self._activate(y, np.empty_like(y) if many else scratch)
                if k and self._residual:
                    y += x
            x = y
        return x.copy() if straight is None else x + straight

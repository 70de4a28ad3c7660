"""A network with tanh that also gives its derivatives, for corrections (Romero 2021, section 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles

LEAST_MARGIN = 1e-30  # models of before have none


@dataclass(frozen=True)
class TanhNetwork:
    """Hidden layers with tanh, the last one without.

    Inputs beyond the range low to high (i,) come no farther than `margin` (i,) beyond it, and the slower the
    farther they are: at a kink no step of Newton's would end. Then they are taken as (x - mean) * scale, each
    (i,). layers: weights (out, in) and biases (out,).
    """

    mean: Doubles
    scale: Doubles
    low: Doubles
    high: Doubles
    margin: Doubles
    layers: Sequence[tuple[Doubles, Doubles]]

    @property
    def outputs(self) -> int:
        """How many numbers come out."""
        return len(self.layers[-1][1])

    @property
    def varying(self) -> int:
        """How many of the inputs vary."""
        return int((self.scale > 0.0).sum())

    def outside(self, x: Doubles) -> float:
        """The share, 0 to 1, of the inputs that vary and are beyond their range and its margin."""
        varies = self.scale > 0.0
        beyond = varies & ((x < self.low - self.margin) | (x > self.high + self.margin))
        return float(beyond.sum()) / max(1, self.varying)

    def __call__(self, x: Doubles) -> Doubles:
        """(o,) of x (i,)."""
        return self.activations(x)[-1]

    def activations(self, x: Doubles) -> list[Doubles]:
        """What each layer gives of x (i,)."""
        within = np.minimum(np.maximum(x, self.low), self.high)
        y = (within + self.margin * self._saturation(x, within) - self.mean) * self.scale
        found = []
        last = len(self.layers) - 1
        for k, (weight, bias) in enumerate(self.layers):
            y = weight @ y + bias
            if k < last:
                y = np.tanh(y)
            found.append(y)
        return found

    def jacobian(self, x: Doubles, found: Sequence[Doubles]) -> Doubles:
        """(o, i): derivatives by x (i,), of its `activations`: what dr/dq (Romero 2021, eq. 3) is made of."""
        jacobian = self.layers[0][0] * self._slope(x)
        for (weight, _), y in zip(self.layers[1:], found[:-1], strict=True):
            jacobian = weight @ ((1.0 - y * y)[:, None] * jacobian)
        return jacobian

    def pulled(self, x: Doubles, found: Sequence[Doubles], by_outputs: Doubles) -> Doubles:
        """(i,): the derivatives of what has those `by_outputs` (o,), by x (i,): jacobian^T by_outputs.

        By back-propagation, which takes no longer than the outputs did.
        """
        back = by_outputs
        for (weight, _), y in zip(self.layers[:0:-1], found[-2::-1], strict=True):
            back = (back @ weight) * (1.0 - y * y)
        pulled: Doubles = (back @ self.layers[0][0]) * self._slope(x)
        return pulled

    def _slope(self, x: Doubles) -> Doubles:
        within = np.minimum(np.maximum(x, self.low), self.high)
        slope: Doubles = self.scale * np.where(
            self.margin > 0.0, 1.0 - self._saturation(x, within) ** 2, x == within
        )
        return slope

    def _saturation(self, x: Doubles, within: Doubles) -> Doubles:
        saturation: Doubles = np.tanh((x - within) / np.maximum(self.margin, LEAST_MARGIN))
        return saturation

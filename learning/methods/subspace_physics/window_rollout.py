"""The recurrence of Algorithm 1 and its gradient, back-propagation through time, written out in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learning.methods.subspace_physics.initial_model import Guesses
from neural_physics.arrays import Floats

Layer = tuple[Floats, Floats]  # weight (outputs, inputs), bias (outputs,)


@dataclass(frozen=True)
class Recurrence:
    """What is not trained. limits (2, u): what z is clipped to, as in Play."""

    limits: Floats
    residual: bool
    activation: str


@dataclass(frozen=True)
class Gradients:
    """Of a loss by what a rollout was made of: forcing and first as `WindowRollout` has them, each further
    layer, and the initial model's parameters (p,).
    """

    forcing: Floats
    first: Floats
    further: list[Layer]
    initial_model: Floats


class WindowRollout:
    """z_2 .. z_{s-1} (T, n, u) by equations 1 and 3, clipped (Holden 2019, Algorithm 1); T = s - 2."""

    def __init__(
        self,
        recurrence: Recurrence,
        z0: Floats,
        z1: Floats,
        forcing: Floats,
        *,
        guesses: Guesses,
        first: Floats,
        further: Sequence[Layer],
    ) -> None:
        """z0, z1 (n, u). first (h, 2 u + f): the first layer's weight for [z_bar, z] and what else the
        guesses show; forcing (T, n, h): what w and the bias add to its sums. With a shortcut, first has u
        rows more, and forcing u numbers: what goes to the output at once. further: the other layers.
        """
        self._recurrence, self._guesses = recurrence, guesses
        self._first, self._further = first, further
        frames, (n, u), kind = len(forcing), z1.shape, forcing.dtype
        low, high = recurrence.limits
        widths = [weight.shape[1] for weight, _ in further]
        self._width = widths[0]
        self._inputs = np.empty((frames, n, first.shape[1]), kind)
        self._hidden = [np.empty((frames, n, width), kind) for width in widths]
        silu = recurrence.activation == "silu"
        self._gates = [np.empty_like(each) for each in self._hidden] if silu else []
        self._raw, self._states = np.empty((frames, n, u), kind), np.empty((frames + 2, n, u), kind)
        self._states[0], self._states[1] = z0, z1
        for t in range(frames):
            x, now, out = self._inputs[t], self._states[t + 1], self._raw[t]
            guess = x[:, :u]
            guesses.guess(t, now, self._states[t], z_bar=guess, seen=x[:, 2 * u :])
            x[:, u : 2 * u] = now
            sums = x @ first.T
            sums += forcing[t]
            hidden = self._hidden[0][t]
            hidden[...] = sums[:, : self._width]
            self._activate(0, t)
            for k, (weight, bias) in enumerate(further[:-1], 1):
                hidden = np.matmul(hidden, weight.T, out=self._hidden[k][t])
                hidden += bias
                self._activate(k, t)
            weight, bias = further[-1]
            np.matmul(hidden, weight.T, out=out)
            out += bias
            if len(first) > self._width:
                out += sums[:, self._width :]
            if recurrence.residual:
                out += guess
            np.clip(out, low, high, out=self._states[t + 2])

    @property
    def states(self) -> Floats:
        """(T, n, u)."""
        return self._states[2:]

    def gradients(self, slope: Floats) -> Gradients:
        """The gradients where `slope` (T, n, u) is the loss's by the states; to be called once.

        Back through the whole window (Holden 2019, section 5.4).
        """
        frames, n, u = slope.shape
        weights = [weight for weight, _ in self._further]
        slopes = self._slopes()
        by_states = np.concatenate([np.zeros((2, n, u), slope.dtype), slope])
        by_raw = np.empty_like(slope)
        inside = self._raw == self.states
        by_first = np.empty((frames, n, len(self._first)), slope.dtype)
        by_sums = [by_first[..., : self._width], *(np.empty_like(each) for each in self._hidden[1:])]
        by_input = np.empty((n, self._first.shape[1]), slope.dtype)
        by_guess, by_now, by_seen = by_input[:, :u], by_input[:, u : 2 * u], by_input[:, 2 * u :]
        for t in range(frames - 1, -1, -1):
            below = np.multiply(by_states[t + 2], inside[t], out=by_raw[t])
            for k in range(len(by_sums) - 1, -1, -1):
                below = np.matmul(below, weights[k], out=by_sums[k][t])
                below *= slopes[k][t]
            if len(self._first) > self._width:
                by_first[t, :, self._width :] = by_raw[t]
            np.matmul(by_first[t], self._first, out=by_input)
            if self._recurrence.residual:
                by_guess += by_raw[t]
            by_states[t + 1] += by_now
            self._guesses.pull(t, by_guess, by_seen, by_now=by_states[t + 1], by_before=by_states[t])
        return Gradients(
            by_first,
            _rows(by_first).T @ _rows(self._inputs),
            [
                (_rows(above).T @ _rows(hidden), _rows(above).sum(0))
                for above, hidden in zip([*by_sums[1:], by_raw], self._hidden, strict=True)
            ],
            self._guesses.gradient(),
        )

    def _activate(self, layer: int, t: int) -> None:
        """Replace a layer's sums by what its units put out."""
        x = self._hidden[layer][t]
        if not self._gates:
            np.maximum(x, 0.0, out=x)
            return
        gate = np.negative(x, out=self._gates[layer][t])
        np.exp(np.minimum(gate, 80.0, out=gate), out=gate)  # beyond that silu is 0, and exp infinite
        gate += 1.0
        x *= np.reciprocal(gate, out=gate)

    def _slopes(self) -> list[Floats]:
        """The activation's derivative at all sums, by layer."""
        if not self._gates:
            return [(hidden > 0).astype(hidden.dtype) for hidden in self._hidden]
        for hidden, gate in zip(self._hidden, self._gates, strict=True):
            gate += hidden * (1.0 - gate)
        return self._gates


def _rows(x: Floats) -> Floats:
    return x.reshape(-1, x.shape[-1])

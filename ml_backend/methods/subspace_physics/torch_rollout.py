"""The network rolled out by torch: `window_rollout` on any of its devices, step by step the same.

Twice as fast as autograd on every operation of every frame: the gradients of the weights are found for all
frames in one product each. On a graphics card `graphed_rollout` makes it faster still.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from learning.methods.subspace_physics.initial_model import EachBasisByItself
from learning.methods.subspace_physics.network import Pullback, SubspaceNetwork
from neural_physics.arrays import Floats

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "silu": torch.nn.functional.silu}


class TorchRoller(ABC):
    """A `Roller` on a device of torch's."""

    def __init__(self, network: SubspaceNetwork, device: torch.device) -> None:
        self._network, self._device, self.device = network, device, str(device)
        self._limits, self._mixing = map(self.tensor, (network.recurrence.limits, network.input_mixing))

    def rollout(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """See `Roller`."""
        with torch.no_grad():
            return as_array(self.roll(*self.tensors(theta, z0, z1, w)))

    def with_pullback(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> tuple[Floats, Pullback]:
        """See `Roller`."""
        given = self.tensors(theta, z0, z1, w)
        rolled = self.roll(given[0].requires_grad_(), *given[1:])

        def pullback(slope: Floats) -> Floats:
            return as_array(torch.autograd.grad(rolled, given[0], self.tensor(slope))[0])

        return as_array(rolled.detach()), pullback

    @abstractmethod
    def roll(self, theta: Tensor, z0: Tensor, z1: Tensor, inputs: Tensor) -> Tensor:
        """z_2 .. z_{s-1} (s - 2, n, u) from z_0, z_1 (n, u).

        inputs (s - 2, n, i): what the network sees of w.
        """

    def tensors(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> list[Tensor]:
        """What `roll` takes."""
        return [self.tensor(each) for each in (theta, z0, z1, self._network.interaction_inputs(w))]

    def tensor(self, array: Floats) -> Tensor:
        """An array, on the device."""
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def _layers(self, theta: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor, list[tuple[Tensor, Tensor]]]:
        """What w and the bias add to the first layer, its weight for the states, and the other layers.

        A shortcut is more rows of the first layer, as in `window_rollout`.
        """
        sizes = self._network.sizes
        counts = [n for inputs, outputs in pairwise(sizes) for n in (inputs * outputs, outputs)]
        layers = sum(counts)
        parts = theta[:layers].split(counts)
        weights = [part.view(-1, inputs) for part, inputs in zip(parts[::2], sizes, strict=False)]
        straight = len(theta) - layers - len(self._network.initial_model.initial)
        unit = float(self._network.output_unit)
        shortcut = theta[layers : layers + straight].view(-1, sizes[0])
        first = torch.cat([weights[0], float(self._network.shortcut_unit) * shortcut])
        first = first @ self._mixing.T.to(theta.dtype)
        states = self._network.states
        bias = torch.cat([parts[1], parts[1].new_zeros(len(first) - len(parts[1]))])
        forcing = functional.linear(inputs, first[:, states:], bias)
        further = list(zip(weights[1:], parts[3::2], strict=True))
        further[-1] = unit * weights[-1], unit * parts[-1]
        return forcing, first[:, :states].contiguous(), further


class RecurrenceRoller(TorchRoller):
    """Where eq. 1 is the initial model."""

    def __init__(
        self, network: SubspaceNetwork, initial_model: EachBasisByItself, device: torch.device
    ) -> None:
        super().__init__(network, device)
        given = network.recurrence
        alpha, beta = self.tensor(initial_model.alpha), self.tensor(initial_model.beta)
        self._recurrence = TorchRecurrence(
            alpha, beta, self._limits, given.residual, activation=given.activation
        )

    def roll(self, theta: Tensor, z0: Tensor, z1: Tensor, inputs: Tensor) -> Tensor:
        """See `TorchRoller`."""
        forcing, first, further = self._layers(theta, inputs)
        rolled: Tensor = TorchRollout.apply(
            self._recurrence, z0, z1, forcing, first, *chain.from_iterable(further)
        )
        return rolled


@dataclass(frozen=True)
class TorchRecurrence:
    """See `window_rollout.Recurrence` and `initial_model.EachBasisByItself`."""

    alpha: Tensor
    beta: Tensor
    limits: Tensor
    residual: bool
    activation: str


class TorchRollout(torch.autograd.Function):
    """z_2 .. z_{s-1} (s - 2, n, u) by equations 1 and 3, clipped.

    Arguments: the recurrence; z_0, z_1 (n, u); forcing (s - 2, n, h), which is what w and the bias add
    to the first layer; the first layer's weight for [z_bar, z] (h, 2 u), both with u more where there is a
    shortcut; then weight and bias of each further layer. Gradients reach forcing, weights and biases.
    """

    @staticmethod
    def forward(  # noqa: PLR0917 (as torch calls it)
        ctx: Any,  # noqa: ANN401 (torch's own)
        recurrence: TorchRecurrence,
        z0: Tensor,
        z1: Tensor,
        forcing: Tensor,
        first: Tensor,
        *further: Tensor,
    ) -> Tensor:
        """The loop over the window: equations 1 and 3 in each frame (Holden 2019, Algorithm 1)."""
        frames, n, u = len(forcing), *z1.shape
        activate = ACTIVATIONS[recurrence.activation]
        both = recurrence.alpha + recurrence.beta
        low, high = recurrence.limits
        width = further[0].shape[1]
        inputs = z1.new_empty(frames, n, 2 * u)
        sums = [forcing.new_empty(frames, n, w.shape[1]) for w in further[::2]]
        states, raw = z1.new_empty(frames + 2, n, u), z1.new_empty(frames, n, u)
        states[0], states[1] = z0, z1
        for t in range(frames):
            x, now = inputs[t], states[t + 1]
            guess = x[:, :u]
            torch.mul(now, both, out=guess)
            guess.addcmul_(states[t], recurrence.beta, value=-1.0)
            x[:, u:] = now
            stacked = torch.addmm(forcing[t], x, first.T)
            hidden = sums[0][t].copy_(stacked[:, :width])
            for k in range(1, len(sums)):
                weight, bias = further[2 * k - 2], further[2 * k - 1]
                hidden = torch.addmm(bias, activate(hidden), weight.T, out=sums[k][t])
            out = torch.addmm(further[-1], activate(hidden), further[-2].T, out=raw[t])
            if len(first) > width:
                out += stacked[:, width:]
            if recurrence.residual:
                out += guess
            torch.clamp(out, low, high, out=states[t + 2])
        ctx.recurrence = recurrence
        ctx.save_for_backward(first, *further[::2], inputs, states, raw, *sums)
        return states[2:].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        """The gradient of Algorithm 1, back through the whole window (Holden 2019, section 5.4)."""
        recurrence, saved = ctx.recurrence, ctx.saved_tensors
        layers = (len(saved) - 2) // 2
        first, *weights = saved[:layers]
        inputs, states, raw = saved[layers : layers + 3]
        sums = saved[layers + 3 :]
        frames, n, u = grad.shape
        activations, slopes = zip(*(_with_slope(recurrence.activation, s) for s in sums), strict=True)
        inside = (raw == states[2:]).to(grad.dtype)
        both = recurrence.alpha + recurrence.beta
        grad_states = torch.cat([grad.new_zeros(2, n, u), grad])
        grad_out = torch.empty_like(grad)
        width = weights[0].shape[1]
        grad_stacked = grad.new_empty(frames, n, len(first))
        grad_sums = [grad_stacked[..., :width], *(torch.empty_like(s) for s in sums[1:])]
        for t in range(frames - 1, -1, -1):
            d = torch.mul(grad_states[t + 2], inside[t], out=grad_out[t])
            below = d
            for k in range(len(sums) - 1, -1, -1):
                below = torch.mul(below @ weights[k], slopes[k][t], out=grad_sums[k][t])
            if len(first) > width:
                grad_stacked[t, :, width:] = d
            grad_input = grad_stacked[t] @ first
            grad_guess = grad_input[:, :u]
            if recurrence.residual:
                grad_guess += d
            grad_states[t + 1] += grad_input[:, u:]
            grad_states[t + 1].addcmul_(grad_guess, both)
            grad_states[t].addcmul_(grad_guess, recurrence.beta, value=-1.0)
        grad_further: list[Tensor] = []
        for above, activation in zip([*grad_sums[1:], grad_out], activations, strict=True):
            grad_further += [_flat(above).T @ _flat(activation), _flat(above).sum(0)]
        grad_first = _flat(grad_stacked).T @ _flat(inputs)
        return None, None, None, grad_stacked, grad_first, *grad_further


def _with_slope(activation: str, x: Tensor) -> tuple[Tensor, Tensor]:
    """An activation of x and its derivative."""
    if activation == "relu":
        return torch.relu(x), (x > 0).to(x.dtype)
    gate = torch.sigmoid(x)
    y = x * gate
    return y, gate + y * (1.0 - gate)


def _flat(x: Tensor) -> Tensor:
    return x.reshape(-1, x.shape[-1])


def as_array(x: Tensor) -> Floats:
    """A tensor of any device as an array."""
    array: Floats = x.cpu().numpy()
    return array

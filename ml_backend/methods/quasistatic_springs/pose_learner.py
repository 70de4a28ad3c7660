"""The training of the networks of held poses, one for each bone, all at once (Jin 2022, section 3.2)."""

from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from learning.training.tensor_files import Tensors
from learning.training.validation_error import ValidationError
from ml_backend.methods.quasistatic_springs.pose_data import PoseData
from ml_backend.methods.quasistatic_springs.presets import SpringPreset
from ml_backend.training.learner_state import (
    load_optimiser,
    load_parameters,
    optimiser_state,
    parameters_state,
)

LAST_RATE = 0.01  # of the learning rate, where it falls
STILL = 1e-4  # an input that varies by less, of columns of unit length, is not looked at
NOTHING = 1e-12  # metres


class PoseLearner:
    """AdamW on what a ridge regression leaves. Between steps all is a function of seed and number.

    Networks share nothing, so that each is trained in units of its own: its loss is relative to what its
    bases show.
    """

    def __init__(self, data: PoseData, preset: SpringPreset, seed: int) -> None:
        self._preset, self._seed = preset, seed
        x, z = torch.from_numpy(data.inputs), torch.from_numpy(data.wanted)
        self._middle, spread = x.mean(0), x.std(0, correction=0)
        self._scale = torch.where(spread > STILL, 1.0 / spread.clamp(min=STILL), 0.0)
        self._size = z.square().sum(-1).mean(0).sqrt().clamp(min=NOTHING)  # (R,) metres
        self._inputs = (x - self._middle) * self._scale
        self._linear, self._constant = _ridge(self._inputs, z / self._size[:, None], preset.ridge)
        self._wanted = z / self._size[:, None] - self._straight(self._inputs)
        low, high = (torch.from_numpy(data.tensors()[name]) for name in ("low", "high"))
        held = torch.minimum(torch.maximum(torch.from_numpy(data.held_inputs), low), high)
        self._held_inputs = (held - self._middle) * self._scale
        self._held = torch.from_numpy(data.held_wanted)
        self._left, self._far = float(data.left.sum()), max(float(data.far.sum()), NOTHING)
        generator = torch.Generator().manual_seed(seed)
        _, regions, inputs = x.shape
        self._parameters: list[Tensor] = []
        sizes = [inputs, *[preset.width] * (preset.layers - 1), z.shape[2]]
        for k, (a, b) in enumerate(pairwise(sizes), 1):
            # The last layer is quiet at first, so that the network begins as the regression.
            gain = 0.1 if k == len(sizes) - 1 else math.sqrt(2.0)
            weight = torch.randn(regions, b, a, generator=generator) * (gain / math.sqrt(a))
            self._parameters += [weight.requires_grad_(), torch.zeros(regions, b).requires_grad_()]
        self._optimiser = torch.optim.AdamW(
            [
                {"params": self._parameters[::2], "weight_decay": preset.decay},
                {"params": self._parameters[1::2], "weight_decay": 0.0},
            ],
            lr=preset.learning_rate,
        )

    def step(self, number: int, share: float) -> float:
        """One step on a random batch of poses; the mean loss of the networks."""
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + number)
        count = len(self._inputs)
        at = torch.randint(count, (min(self._preset.batch, count),), generator=generator)
        self._optimiser.zero_grad(set_to_none=True)
        loss = (self._curved(self._inputs[at]) - self._wanted[at]).square().sum(-1).mean()
        loss.backward()
        fall = max(LAST_RATE, 0.5 * (1.0 + math.cos(math.pi * share)))
        for group in self._optimiser.param_groups:
            group["lr"] = self._preset.learning_rate * fall
        self._optimiser.step()
        return float(loss.detach())

    def validate(self) -> ValidationError:
        """How far the networks are off on held-out poses, over what skinning alone is: see `pose_data`."""
        with torch.no_grad():
            z = self._straight(self._held_inputs) + self._curved(self._held_inputs)
            off = (z * self._size[:, None] - self._held).square().sum()
        return ValidationError(math.sqrt((float(off) + self._left) / self._far))

    def weights(self) -> Tensors:
        """The layers as `PoseNetwork` has them, units folded in."""
        found = [p.detach().clone() for p in self._parameters]
        size = self._size[:, None]
        linear = self._linear * size[..., None] * self._scale[:, None]
        found[0] *= self._scale[:, None]
        found[1] -= (found[0] @ self._middle[..., None])[..., 0]
        found[-2] *= size[..., None]
        found[-1] += self._constant
        found[-1] *= size
        found[-1] -= (linear @ self._middle[..., None])[..., 0]
        tensors = {"linear": linear.numpy()}
        for k, (weight, bias) in enumerate(zip(found[::2], found[1::2], strict=True)):
            tensors |= {f"{k}.weight": weight.numpy(), f"{k}.bias": bias.numpy()}
        return tensors

    def state(self) -> Tensors:
        """Parameters and Adam's moments."""
        return parameters_state(self._parameters) | optimiser_state(self._optimiser, "moment")

    def restore(self, state: Tensors) -> None:
        """What `state` gave."""
        load_parameters(self._parameters, state)
        load_optimiser(self._optimiser, "moment", state)

    def _straight(self, x: Tensor) -> Tensor:
        """(n, R, u): what the regression says."""
        return torch.einsum("rue,nre->nru", self._linear, x) + self._constant

    def _curved(self, x: Tensor) -> Tensor:
        """(n, R, u): what the networks add."""
        x = x.transpose(0, 1)
        for k in range(0, len(self._parameters), 2):
            weight, bias = self._parameters[k : k + 2]
            x = torch.baddbmm(bias[:, None], x, weight.transpose(1, 2))
            if k + 2 < len(self._parameters):
                x = functional.silu(x)
        return x.transpose(0, 1)


def _ridge(x: Tensor, z: Tensor, strength: float) -> tuple[Tensor, Tensor]:
    """linear (R, u, e) and constant (R, u), of x (N, R, e) about 0 and z (N, R, u)."""
    constant = z.mean(0)
    columns = x.transpose(0, 1).double()
    gram = columns.transpose(1, 2) @ columns
    gram += strength * len(x) * torch.eye(x.shape[2], dtype=torch.float64)
    answers = columns.transpose(1, 2) @ (z - constant).transpose(0, 1).double()
    return torch.linalg.solve(gram, answers).transpose(1, 2).float(), constant

"""One training of the networks of all finer levels, each on its own pairs (Oh 2018, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from learning.training.tensor_files import Tensors
from learning.training.validation_error import ValidationError
from ml_backend.methods.hierarchical_cloth.errors import validation_error
from ml_backend.methods.hierarchical_cloth.pairs import Pairs, Shapes
from ml_backend.methods.hierarchical_cloth.presets import LevelPreset
from ml_backend.training.learner_state import (
    load_optimiser,
    load_parameters,
    optimiser_state,
    parameters_state,
)
from neural_physics.methods.hierarchical_cloth.batched_perceptron import Layers
from neural_physics.methods.hierarchical_cloth.networks import LevelNetworks

LAST_RATE = 0.01  # of the learning rate, where it falls
RIDGE = 1e-6  # of the features' mean square, so that what never varies gets no weight


class LevelLearner:
    """Adam on every level's network. Between steps everything is a function of the seed and the number."""

    def __init__(
        self, pairs: Sequence[Pairs], validation: Sequence[Shapes], preset: LevelPreset, seed: int
    ) -> None:
        """pairs: of level 1 and up. validation: whole shapes, of which every level is to be predicted."""
        self._preset, self._seed, self._validation = preset, seed, validation
        generator = torch.Generator().manual_seed(seed)
        self.levels = [LevelNetwork(of_level, preset, generator) for of_level in pairs]
        self._optimiser = torch.optim.Adam(
            [p for level in self.levels for p in level.parameters], lr=preset.learning_rate
        )

    @property
    def steps(self) -> int:
        """How many steps the preset's epochs take, over the most pairs that a level has."""
        most = max(level.count for level in self.levels)
        return max(1, math.ceil(self._preset.epochs * most / self._preset.batch))

    def step(self, number: int, share: float) -> float:
        """One step of Adam on a batch of each level's pairs (Oh 2018, section 4); the sum of losses."""
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + number)
        losses = [level.loss(generator) for level in self.levels]
        self._optimiser.zero_grad(set_to_none=True)
        loss = torch.stack(losses).sum()
        loss.backward()
        fall = 0.5 * (1.0 + math.cos(math.pi * share)) if self._preset.cosine else 1.0
        self._optimiser.param_groups[0]["lr"] = self._preset.learning_rate * max(LAST_RATE, fall)
        self._optimiser.step()
        return float(loss.detach())

    def validate(self) -> ValidationError:
        """The error of all finer levels from a true level 0, over that of linear subdivision."""
        layers = [level.layers() for level in self.levels]

        def networks(cloth: Shapes) -> LevelNetworks:
            rest = cloth.hierarchy.sorted(cloth.rest)
            return LevelNetworks(cloth.hierarchy, rest, [self._preset.form] * len(layers), layers)

        return validation_error(networks, self._validation)

    def weights(self) -> Tensors:
        """See `Learner`."""
        tensors: Tensors = {}
        for number, level in enumerate(self.levels, 1):
            tensors |= level.layers().tensors(f"levels.{number}")
        return tensors

    def state(self) -> Tensors:
        """See `Learner`."""
        return parameters_state(self._parameters()) | optimiser_state(self._optimiser, "moment")

    def restore(self, state: Tensors) -> None:
        """See `Learner`."""
        load_parameters(self._parameters(), state)
        load_optimiser(self._optimiser, "moment", state)

    def _parameters(self) -> list[Tensor]:
        return [p for level in self.levels for p in level.parameters]


class LevelNetwork:
    """One level's network, in units in which its inputs and targets are about 1."""

    def __init__(self, pairs: Pairs, preset: LevelPreset, generator: torch.Generator) -> None:
        self.count = len(pairs)
        self._preset = preset
        x = torch.from_numpy(pairs.features)
        y = torch.from_numpy(pairs.targets)
        self._x_scale = 1.0 / x.square().mean().sqrt().clamp(min=1e-12)
        inputs, outputs = x.shape[1], y.shape[1]
        self._flip = _mirror(inputs), _mirror(outputs)
        self._limits = torch.stack([x.amin(0), x.amax(0)])
        if preset.mirror:
            both = torch.cat([self._limits, self._limits * self._flip[0]])
            self._limits = torch.stack([both.amin(0), both.amax(0)])
        self._linear = torch.zeros(outputs, inputs)
        if preset.linear:
            self._linear = _least_squares(x, y, self._flip if preset.mirror else None)
            y = y - x @ self._linear.T
        # Errors count in metres, whatever the triangles' size; on the mean that is 1.
        size = torch.from_numpy(pairs.sizes)
        self._metres = float(size.square().mean().sqrt())
        self._weights = (size / self._metres)[:, None]
        self._y_scale = float((y * self._weights).square().mean().sqrt().clamp(min=1e-12))
        self._x, self._y = x * self._x_scale, y / self._y_scale
        self.parameters: list[Tensor] = []
        for a, b in pairwise([inputs, *preset.hidden, outputs]):
            weight = torch.randn(b, a, generator=generator) * math.sqrt(2.0 / a)
            self.parameters += [weight.requires_grad_(), torch.zeros(b).requires_grad_()]

    def loss(self, generator: torch.Generator) -> Tensor:
        """The loss of a random batch. "rmse": equation 7 in metres; "square": relative to the targets."""
        preset = self._preset
        at = torch.randint(self.count, (min(preset.batch, self.count),), generator=generator)
        x, y, weights = self._x[at], self._y[at], self._weights[at]
        if preset.mirror:
            turned = torch.rand(len(at), 1, generator=generator) < 0.5
            x = torch.where(turned, x * self._flip[0], x)
            y = torch.where(turned, y * self._flip[1], y)
        for k in range(0, len(self.parameters), 2):
            x = functional.linear(x, self.parameters[k], self.parameters[k + 1])
            if k + 2 < len(self.parameters):
                x = torch.relu(x)
        squares = ((x - y) * weights).square()
        if preset.loss == "rmse":
            return squares.sum(1).mean().sqrt() * (self._y_scale * self._metres)
        return squares.mean()

    def layers(self) -> Layers:
        """The layers as Play uses them: units are folded into the weights."""
        pairs = [p.detach().numpy().copy() for p in self.parameters]
        weights, biases = pairs[::2], pairs[1::2]
        weights[0] *= float(self._x_scale)
        weights[-1] *= self._y_scale
        biases[-1] *= self._y_scale
        linear = self._linear.numpy().copy() if self._preset.linear else None
        limits = self._limits.numpy().copy() if self._preset.limits else None
        return Layers(list(zip(weights, biases, strict=True)), linear, limits)


def _mirror(size: int) -> Tensor:
    """(size,): 1, and -1 for the last third, along the triangle's normal."""
    signs = torch.ones(size)
    signs[2 * size // 3 :] = -1.0
    return signs


def _least_squares(x: Tensor, y: Tensor, flip: tuple[Tensor, Tensor] | None) -> Tensor:
    """(outputs, inputs): what maps x to y best, and, with signs to flip, their mirror images."""
    a, b = x.double(), y.double()
    gram, mixed = a.T @ a, a.T @ b
    if flip is not None:
        signs, of_y = flip[0].double(), flip[1].double()
        gram = gram + signs[:, None] * gram * signs
        mixed = mixed + signs[:, None] * mixed * of_y
    ridge = RIDGE * gram.diagonal().mean().clamp(min=1e-30)
    solution = torch.linalg.solve(gram + ridge * torch.eye(len(gram), dtype=gram.dtype), mixed)
    return solution.T.float().contiguous()

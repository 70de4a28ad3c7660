"""Holden's network, rolled out over many windows at once, with gradients through all of it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, pairwise
from typing import Protocol

import numpy as np

from learning.methods.subspace_physics.initial_model import EachBasisByItself, InitialModel, fitted
from learning.methods.subspace_physics.network_units import OUTPUT_UNIT, SHORTCUT_UNIT, input_mixing
from learning.methods.subspace_physics.physical_body import PhysicalBody
from learning.methods.subspace_physics.physical_model import PhysicalModel
from learning.methods.subspace_physics.presets import SubspacePreset
from learning.methods.subspace_physics.window_rollout import Layer, Recurrence, WindowRollout
from learning.training.muon import Matrix
from learning.training.subspace_data import SubspaceData
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats

# What a network adds at first, beside its units' size: to eq. 1, and to a guess that is better.
LAST_GAIN, LAST_GAIN_ON_PHYSICS = 0.1, 0.01

# From the slope (s - 2, n, u) of a loss by a rollout's states to that by the parameters (p,).
Pullback = Callable[[Floats], Floats]


class Roller(Protocol):
    """What rolls a network out: NumPy, or a graphics card."""

    @property
    def device(self) -> str:
        """Where it computes, as a training says it: "cpu" or "cuda"."""

    def rollout(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """z_2 .. z_{s-1} (s - 2, n, u) from z_0, z_1 (n, u) and w_0 .. w_{s-1} (s, n, v).

        The loop over the window (Holden 2019, Algorithm 1).
        """

    def with_pullback(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> tuple[Floats, Pullback]:
        """`rollout`, and its pullback, to be called once."""


class SubspaceNetwork:
    """Equations 1 and 3. All parameters lie in one vector, theta: weight and bias of layer after layer, the
    shortcut's weight, if there is one, and those of the initial model.

    initial: theta before training. input_mixing (inputs, inputs), output_unit, shortcut_unit: what the
    inputs, the output and the shortcut's part of it are multiplied by, see `network_units`; the inputs are
    z_bar, z, what else the network sees of the initial model, and w.
    """

    device = "cpu"

    def __init__(
        self, data: SubspaceData, preset: SubspacePreset, seed: int, body: PhysicalBody | None = None
    ) -> None:
        """body: what the initial model is made of, where it is a physical one."""
        u, v = data.training.z.shape[1], data.training.w.shape[1]
        hidden = max(1, round(preset.width * u))
        self.interaction_velocity = preset.interaction_velocity
        self.initial_model = _initial_model(data, preset, body)
        self.states = 2 * u + self.initial_model.features
        inputs = self.states + v * (2 if preset.interaction_velocity else 1)
        self.sizes = [inputs, *[hidden] * (preset.layers - 1), u]
        last_gain = LAST_GAIN if body is None else LAST_GAIN_ON_PHYSICS
        self.input_mixing = input_mixing(
            data,
            preset.emphasis,
            self.initial_model,
            w=inputs - self.states,
            unit_changes=preset.unit_changes,
        )
        self.output_unit = np.array(OUTPUT_UNIT if preset.unit_changes else 1.0, np.float32)
        self.shortcut_unit = np.array(SHORTCUT_UNIT if preset.unit_changes else 1.0, np.float32)
        layers = _initial_theta(self.sizes, seed, last_gain)
        self._shortcut_at = len(layers) if preset.shortcut else None
        shortcut = self._initial_shortcut() if preset.shortcut else np.empty(0, np.float32)
        self.initial = np.concatenate([layers, shortcut, self.initial_model.initial])
        limits = np.stack([data.training.z.min(0), data.training.z.max(0)])
        self.recurrence = Recurrence(limits, preset.residual, activation=preset.activation)

    @property
    def matrices(self) -> list[Matrix]:
        """Where each layer's weight is in theta, and the shortcut's."""
        found = self._layers
        if self._shortcut_at is not None:
            found.append((self._shortcut_at, (self.sizes[-1], self.sizes[0])))
        return found

    def layers(self, theta: Floats) -> list[Layer]:
        """Each layer in a parameter vector, as Play uses them."""
        views: list[Layer] = []
        for first, (outputs, inputs) in self._layers:
            bias = first + outputs * inputs
            weight = theta[first:bias].reshape(outputs, inputs)
            views.append((weight if views else weight @ self.input_mixing.T, theta[bias : bias + outputs]))
        weight, bias_of_last = views[-1]
        views[-1] = (weight * self.output_unit, bias_of_last * self.output_unit)
        return views

    def shortcut(self, theta: Floats) -> Floats:
        """(u, inputs), as Play uses it; (0, inputs) without one."""
        u, inputs = self.sizes[-1], self.sizes[0]
        if self._shortcut_at is None:
            return np.empty((0, inputs), theta.dtype)
        weight = theta[self._shortcut_at : self._shortcut_at + u * inputs].reshape(u, inputs)
        shortcut: Floats = self.shortcut_unit * (weight @ self.input_mixing.T)
        return shortcut

    def interaction_inputs(self, w: Floats) -> Floats:
        """(s - 2, n, v) or (s - 2, n, 2 v): what the network sees of w (s, n, v)."""
        return np.concatenate([w[2:], w[2:] - w[1:-1]], -1) if self.interaction_velocity else w[2:]

    def rollout(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """See `Roller`."""
        return self._rolled(theta, z0, z1, w).states

    def with_pullback(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> tuple[Floats, Pullback]:
        """See `Roller`."""
        rolled, inputs = self._rolled(theta, z0, z1, w), self.interaction_inputs(w)

        def pullback(slope: Floats) -> Floats:
            by = rolled.gradients(slope)
            forcing = by.forcing.reshape(-1, by.forcing.shape[-1])
            weight = np.concatenate([by.first, forcing.T @ inputs.reshape(-1, inputs.shape[-1])], 1)
            weight @= self.input_mixing
            hidden, unit, (last, last_bias) = self.sizes[1], self.output_unit, by.further[-1]
            layers = [(weight[:hidden], forcing[:, :hidden].sum(0)), *by.further[:-1]]
            layers.append((unit * last, unit * last_bias))
            parts = [*chain.from_iterable(layers), self.shortcut_unit * weight[hidden:], by.initial_model]
            return np.concatenate([part.ravel() for part in parts])

        return rolled.states, pullback

    def tensors(self, theta: Floats) -> Tensors:
        """The network's part of a model file."""
        result = self.initial_model.tensors(self._of_initial_model(theta))
        for k, (weight, bias) in enumerate(self.layers(theta)):
            result[f"layers.{k}.weight"], result[f"layers.{k}.bias"] = weight.copy(), bias.copy()
        if self._shortcut_at is not None:
            result["layers.shortcut"] = self.shortcut(theta)
        return result

    @property
    def _layers(self) -> list[Matrix]:
        """Where each layer's weight is in theta."""
        found, first = [], 0
        for inputs, outputs in pairwise(self.sizes):
            found.append((first, (outputs, inputs)))
            first += inputs * outputs + outputs
        return found

    def _initial_shortcut(self) -> Floats:
        """(u inputs,): what springs and colliders would change is added as it is, and nothing else."""
        shortcut = np.zeros((self.sizes[-1], self.sizes[0]), np.float32)
        if count := self.initial_model.changes:
            changes = slice(self.states - count, self.states)
            units = self.shortcut_unit * self.input_mixing.diagonal()[changes]
            shortcut[:, changes] = np.diag(1.0 / units)
        return shortcut.ravel()

    def _of_initial_model(self, theta: Floats) -> Floats:
        return theta[len(theta) - len(self.initial_model.initial) :]

    def _rolled(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> WindowRollout:
        (weight, bias), *further = self.layers(theta)
        shortcut = self.shortcut(theta)
        weight = np.concatenate([weight, shortcut])
        # What w adds to the first layer does not depend on z, so it is found for all frames at once.
        forcing = self.interaction_inputs(w) @ weight[:, self.states :].T
        forcing[..., : len(bias)] += bias
        first = np.ascontiguousarray(weight[:, : self.states])
        guesses = self.initial_model.window(self._of_initial_model(theta), w[2:])
        return WindowRollout(self.recurrence, z0, z1, forcing, guesses=guesses, first=first, further=further)


def _initial_model(data: SubspaceData, preset: SubspacePreset, body: PhysicalBody | None) -> InitialModel:
    if body is not None:
        return PhysicalModel(body, data, preset.physics_steps)
    alpha, beta = fitted(data.training)
    if not preset.initial_model:
        alpha, beta = np.ones_like(alpha), np.zeros_like(beta)
    return EachBasisByItself(alpha, beta)


def _initial_theta(sizes: list[int], seed: int, last_gain: float) -> Floats:
    """He's initialisation; a small last layer, so that training starts near the initial model."""
    random = np.random.default_rng(seed)
    parts = []
    for k, (inputs, outputs) in enumerate(pairwise(sizes)):
        gain = last_gain if k == len(sizes) - 2 else 2.0**0.5
        drawn = random.standard_normal(outputs * inputs, np.float32)
        parts += [drawn * np.float32(gain / inputs**0.5), np.zeros(outputs, np.float32)]
    return np.concatenate(parts)

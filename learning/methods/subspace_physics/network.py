"""Holden's network, rolled out over many windows at once, with gradients through all of it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, pairwise
from typing import Protocol

import numpy as np

from learning.methods.subspace_physics.presets import SubspacePreset
from learning.methods.subspace_physics.window_rollout import Layer, Recurrence, WindowRollout
from learning.training.subspace_data import Sequences, SubspaceData
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats

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


def initial_model(data: Sequences) -> tuple[Floats, Floats]:
    """alpha and beta (u,) float32 by eq. 2: for each basis a least-squares fit of its own."""
    now, before, change = [], [], []
    for run in data.runs():
        z = data.z[run].astype(np.float64)
        now.append(z[2:])
        before.append(z[1:-1])
        change.append(z[1:-1] - z[:-2])
    a, b, target = np.concatenate(before), np.concatenate(change), np.concatenate(now)
    aa, ab, bb = (a * a).sum(0), (a * b).sum(0), (b * b).sum(0)
    at, bt = (a * target).sum(0), (b * target).sum(0)
    systems = np.stack([np.stack([aa, ab], -1), np.stack([ab, bb], -1)], -2)
    # The pseudo-inverse, as a basis that never moves has no velocity to fit.
    fitted = (np.linalg.pinv(systems, hermitian=True) @ np.stack([at, bt], -1)[..., None])[..., 0]
    return fitted[:, 0].astype(np.float32), fitted[:, 1].astype(np.float32)


class SubspaceNetwork:
    """Equations 1 and 3. All parameters lie in one vector, theta, layer by layer: weight, then bias.

    initial: theta before training. input_scale (inputs,): what the network's inputs are multiplied by.
    """

    device = "cpu"

    def __init__(self, data: SubspaceData, preset: SubspacePreset, seed: int) -> None:
        u, v = data.training.z.shape[1], data.training.w.shape[1]
        hidden = max(1, round(preset.width * u))
        self.interaction_velocity = preset.interaction_velocity
        inputs = 2 * u + v * (2 if preset.interaction_velocity else 1)
        self.sizes = [inputs, *[hidden] * (preset.layers - 1), u]
        self.initial = _initial_theta(self.sizes, seed)
        alpha, beta = initial_model(data.training)
        if not preset.initial_model:
            alpha, beta = np.ones_like(alpha), np.zeros_like(beta)
        self.input_scale = _input_scale(data, preset.emphasis, inputs)
        limits = np.stack([data.training.z.min(0), data.training.z.max(0)])
        self.recurrence = Recurrence(alpha, beta, limits, preset.residual, activation=preset.activation)

    def layers(self, theta: Floats) -> list[Layer]:
        """Each layer in a parameter vector, as Play uses them."""
        views: list[Layer] = []
        first = 0
        for inputs, outputs in pairwise(self.sizes):
            weight = theta[first : first + inputs * outputs].reshape(outputs, inputs)
            if not views:
                weight = weight * self.input_scale
            first += inputs * outputs
            views.append((weight, theta[first : first + outputs]))
            first += outputs
        return views

    def interaction_inputs(self, w: Floats) -> Floats:
        """(s - 2, n, v) or (s - 2, n, 2 v): what the network sees of w (s, n, v)."""
        return np.concatenate([w[2:], w[2:] - w[1:-1]], -1) if self.interaction_velocity else w[2:]

    def rollout(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """See `Roller`."""
        return self._rolled(theta, z0, z1, self.interaction_inputs(w)).states

    def with_pullback(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> tuple[Floats, Pullback]:
        """See `Roller`."""
        inputs = self.interaction_inputs(w)
        rolled = self._rolled(theta, z0, z1, inputs)

        def pullback(slope: Floats) -> Floats:
            by = rolled.gradients(slope)
            forcing = by.forcing.reshape(-1, by.forcing.shape[-1])
            weight = np.concatenate([by.first, forcing.T @ inputs.reshape(-1, inputs.shape[-1])], 1)
            layers = [(weight * self.input_scale, forcing.sum(0)), *by.further]
            return np.concatenate([part.ravel() for part in chain.from_iterable(layers)])

        return rolled.states, pullback

    def tensors(self, theta: Floats) -> Tensors:
        """The network's part of a model file."""
        result: Tensors = {"alpha": self.recurrence.alpha, "beta": self.recurrence.beta}
        for k, (weight, bias) in enumerate(self.layers(theta)):
            result[f"layers.{k}.weight"], result[f"layers.{k}.bias"] = weight.copy(), bias.copy()
        return result

    def _rolled(self, theta: Floats, z0: Floats, z1: Floats, inputs: Floats) -> WindowRollout:
        (weight, bias), *further = self.layers(theta)
        states = 2 * z0.shape[1]
        # What w adds to the first layer does not depend on z, so it is found for all frames at once.
        forcing = inputs @ weight[:, states:].T + bias
        first = np.ascontiguousarray(weight[:, :states])
        return WindowRollout(self.recurrence, z0, z1, forcing, first=first, further=further)


def _input_scale(data: SubspaceData, emphasis: float, inputs: int) -> Floats:
    """(inputs,) float32; the root mean square over z is 1."""
    scale = data.deviations**emphasis
    scale /= np.sqrt((scale**2).mean())
    rest = np.ones(inputs - 2 * len(scale), np.float32)
    return np.concatenate([scale, scale, rest]).astype(np.float32)


def _initial_theta(sizes: list[int], seed: int) -> Floats:
    """He's initialisation; a small last layer, so that training starts near the initial model."""
    random = np.random.default_rng(seed)
    parts = []
    for k, (inputs, outputs) in enumerate(pairwise(sizes)):
        gain = 0.1 if k == len(sizes) - 2 else 2.0**0.5
        drawn = random.standard_normal(outputs * inputs, np.float32)
        parts += [drawn * np.float32(gain / inputs**0.5), np.zeros(outputs, np.float32)]
    return np.concatenate(parts)

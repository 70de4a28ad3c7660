"""Holden's network, rolled out over many windows at once, with gradients through all of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ml_backend.methods.subspace_physics.presets import SubspacePreset
from ml_backend.methods.subspace_physics.window_rollout import Recurrence, WindowRollout
from ml_backend.training.subspace_data import Sequences, SubspaceData
from ml_backend.training.tensor_files import Tensors


def initial_model(data: Sequences) -> tuple[np.ndarray, np.ndarray]:
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
    """Equations 1 and 3. All parameters lie in one vector, `theta`, layer by layer: weight, then bias."""

    def __init__(self, data: SubspaceData, preset: SubspacePreset, seed: int, device: torch.device) -> None:
        u, v = data.training.z.shape[1], data.training.w.shape[1]
        hidden = max(1, round(preset.width * u))
        self._interaction_velocity = preset.interaction_velocity
        inputs = 2 * u + v * (2 if preset.interaction_velocity else 1)
        self.sizes = [inputs, *[hidden] * (preset.layers - 1), u]
        self.theta = _initial_theta(self.sizes, seed).to(device).requires_grad_()
        alpha, beta = initial_model(data.training)
        if not preset.initial_model:
            alpha, beta = np.ones_like(alpha), np.zeros_like(beta)
        self._input_scale = torch.from_numpy(_input_scale(data, preset.emphasis, inputs)).to(device)
        limits = np.stack([data.training.z.min(0), data.training.z.max(0)])
        self.recurrence = Recurrence(
            torch.from_numpy(alpha).to(device),
            torch.from_numpy(beta).to(device),
            torch.from_numpy(limits).to(device),
            preset.residual,
            activation=preset.activation,
        )

    def layers(self, theta: Tensor) -> list[tuple[Tensor, Tensor]]:
        """(weight (out, in), bias (out,)) of each layer in a parameter vector, as Play uses them."""
        views: list[tuple[Tensor, Tensor]] = []
        first = 0
        for inputs, outputs in pairwise(self.sizes):
            weight = theta[first : first + inputs * outputs].view(outputs, inputs)
            if not views:
                weight = weight * self._input_scale
            first += inputs * outputs
            views.append((weight, theta[first : first + outputs]))
            first += outputs
        return views

    def rollout(self, theta: Tensor, z0: Tensor, z1: Tensor, w: Tensor) -> Tensor:
        """z_2 .. z_{s-1} (s - 2, n, u) from z_0, z_1 (n, u) and w_0 .. w_{s-1} (s, n, v).

        The loop over the window (Holden 2019, Algorithm 1).
        """
        (weight, bias), *further = self.layers(theta)
        u = z0.shape[1]
        w_inputs = w[2:]
        if self._interaction_velocity:
            w_inputs = torch.cat([w_inputs, w_inputs - w[1:-1]], -1)
        # What w adds to the first layer does not depend on z, so it is found for all frames at once.
        forcing = functional.linear(w_inputs, weight[:, 2 * u :], bias)
        tensors = (tensor for layer in further for tensor in layer)
        rolled: Tensor = WindowRollout.apply(
            self.recurrence, z0, z1, forcing, weight[:, : 2 * u].contiguous(), *tensors
        )
        return rolled

    def tensors(self, theta: Tensor) -> Tensors:
        """The network's part of a model file."""
        recurrence = self.recurrence
        result: Tensors = {"alpha": recurrence.alpha.cpu().numpy(), "beta": recurrence.beta.cpu().numpy()}
        for k, (weight, bias) in enumerate(self.layers(theta.detach().cpu())):
            result[f"layers.{k}.weight"] = weight.numpy().copy()
            result[f"layers.{k}.bias"] = bias.numpy().copy()
        return result


def _input_scale(data: SubspaceData, emphasis: float, inputs: int) -> np.ndarray:
    """(inputs,) float32: what the network's inputs are multiplied by; the root mean square over z is 1."""
    scale = data.deviations**emphasis
    scale /= np.sqrt((scale**2).mean())
    rest = np.ones(inputs - 2 * len(scale), np.float32)
    return np.concatenate([scale, scale, rest]).astype(np.float32)


def _initial_theta(sizes: list[int], seed: int) -> Tensor:
    """He's initialisation; a small last layer, so that training starts near the initial model."""
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for k, (inputs, outputs) in enumerate(pairwise(sizes)):
        gain = 0.1 if k == len(sizes) - 2 else 2.0**0.5
        parts.append(torch.randn(outputs * inputs, generator=generator) * gain / inputs**0.5)
        parts.append(torch.zeros(outputs))
    return torch.cat(parts)

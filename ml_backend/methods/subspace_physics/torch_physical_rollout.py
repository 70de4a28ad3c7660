"""The network rolled out by torch where its initial model is a physical one; autograd finds the gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn import functional

from learning.methods.subspace_physics.network import SubspaceNetwork
from learning.methods.subspace_physics.physical_model import (
    INERTIA,
    OF_ALL,
    OF_ONE,
    OF_RADIUS,
    PhysicalModel,
)
from learning.methods.subspace_physics.reduced_forces import LEAST
from ml_backend.methods.subspace_physics.torch_rollout import ACTIVATIONS, TorchRoller
from neural_physics.arrays import Floats


class PhysicalRoller(TorchRoller):
    """Where a physical model is the initial model."""

    def __init__(self, network: SubspaceNetwork, initial_model: PhysicalModel, device: torch.device) -> None:
        super().__init__(network, device)
        self._physical = TorchPhysicalModel(initial_model, self.tensor)

    def roll(self, theta: Tensor, z0: Tensor, z1: Tensor, inputs: Tensor) -> Tensor:
        """See `TorchRoller`."""
        network, given = self._network, self._network.recurrence
        activate, (low, high) = ACTIVATIONS[given.activation], self._limits
        forcing, first, further = self._layers(theta, inputs)
        width = network.sizes[1]
        parameters = theta[len(theta) - len(network.initial_model.initial) :]
        guesses = self._physical.window(parameters, inputs)
        states = [z0, z1]
        for t in range(len(inputs)):
            z_bar, *seen = guesses.guess(t, states[-1], states[-2])
            sums = forcing[t] + torch.cat([z_bar, states[-1], *seen], 1) @ first.T
            x, straight = sums[:, :width], sums[:, width:]
            for weight, bias in further:
                x = functional.linear(activate(x), weight, bias)
            if straight.shape[1]:
                x = x + straight
            z = z_bar + x if given.residual else x
            states.append(torch.clamp(z, low, high))
        return torch.stack(states[2:])


class TorchPhysicalModel:
    """Implicit steps of springs and contact on a device of torch's."""

    def __init__(self, model: PhysicalModel, tensor: Callable[[Floats], Tensor]) -> None:
        """tensor: brings an array to the device."""
        body = model.body
        self._model, self._centres = model, [int(at) for at in body.centres]
        self._stiffness, self._lengths = tensor(body.stiffness), tensor(body.lengths)
        self._spring_basis, self._spring_mean = tensor(body.spring_basis), tensor(body.spring_mean)
        self._point_basis, self._point_mean = tensor(body.point_basis), tensor(body.point_mean)
        self._masses, self._gravity = tensor(body.masses), tensor(body.gravity)
        self._response, self._radii = tensor(body.response), tensor(body.radii)
        self._to_y, self._y_mean = tensor(model.to_y), tensor(model.y_mean)

    def window(self, parameters: Tensor, inputs: Tensor) -> TorchPhysicalWindow:
        """The guesses of a window; inputs (T, n, i): w, and what else the network sees of it."""
        w = inputs[:, :, : len(self._to_y)]
        y = w @ self._to_y.to(w.dtype) + self._y_mean
        centres = [y[:, :, at : at + 3] for at in self._centres]
        return TorchPhysicalWindow(self, parameters, centres)


class TorchPhysicalWindow:
    """The guesses of one window."""

    def __init__(self, of: TorchPhysicalModel, parameters: Tensor, centres: list[Tensor]) -> None:
        """centres: of each ball, (T, n, 3)."""
        p: Any = of._model.parameters(cast(Any, parameters))  # torch's tensors are cut as arrays are
        root = of._response.to(parameters.dtype)
        one, of_all = torch.eye(len(root), dtype=root.dtype, device=root.device), OF_ALL * p.scales
        self._of, self._centres, self._steps = of, centres, of._model.steps
        self._alpha, self._beta, self._gravity = 1.0 + p.alpha, INERTIA + p.beta, of._gravity + p.gravity
        stiffness = of._stiffness[: len(p.stretch)]
        self._stretch = stiffness * torch.exp(OF_ONE * p.stretch + of_all[0])
        self._compression = stiffness * torch.exp(OF_ONE * p.compression + of_all[1])
        self._push = of._model.body.push * torch.exp(of_all[2])
        self._radii = of._radii * (1.0 + OF_RADIUS * p.radii)
        self._elastic, self._contact = (root @ (one + part) @ root.T for part in (p.elastic, p.contact))

    def guess(self, t: int, now: Tensor, before: Tensor) -> list[Tensor]:
        """z_bar (n, u) after two states, and what else the network sees of it."""
        s = self._alpha * now + self._beta * (now - before) + self._gravity
        q = s
        for k in range(self._steps):
            change = (self._of._masses * (s - q) - self._force(q)) @ self._elastic[k].T
            if self._centres:
                change = change + self._pushed(t, q) @ self._contact[k].T
            q = q + change
        guess = [s, self._pushed(t, q) @ self._contact[-1].T] if self._centres else [s]
        return [*guess, q - s] if self._steps else guess

    def _force(self, q: Tensor) -> Tensor:
        of, n = self._of, len(q)
        basis = of._spring_basis.to(q.dtype)
        along = (q @ basis).view(n, *of._spring_mean.shape) + of._spring_mean
        ratio = of._lengths / along.square().sum(1).clamp_min(LEAST).sqrt()
        stiffness = torch.where(ratio < 1.0, self._stretch, self._compression)
        return (along * (stiffness * (1.0 - ratio))[:, None]).view(n, -1) @ basis.T

    def _pushed(self, t: int, q: Tensor) -> Tensor:
        of, n = self._of, len(q)
        basis = of._point_basis.to(q.dtype)
        places = (q @ basis).view(n, *of._point_mean.shape) + of._point_mean
        total = torch.zeros_like(places)
        for centre, radius in zip(self._centres, self._radii, strict=True):
            away = places - centre[t][:, :, None]
            distance = away.square().sum(1).clamp_min(LEAST).sqrt()
            total = total + away * (radius / distance - 1.0).clamp_min(0.0)[:, None]
        return self._push * (total.view(n, -1) @ basis.T)

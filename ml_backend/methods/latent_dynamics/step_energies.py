"""The incremental potential of steps, of PCA coefficients alone (Li et al. 2025, equations 1 and 4)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ml_backend.methods.latent_dynamics.physics import FrameTensors, LatentPhysics

RIGID = 1e-9  # how far axes may be from unit length, and square to each other, to be taken for that


class StepEnergies:
    """E of a batch of steps (Li 2025, eq. 4), in J, of the coefficients c that they may end in.

    step: what came before and what acts, in full space. now, before (n, K): c_{t-1} and c_{t-2}.
    """

    def __init__(
        self, physics: LatentPhysics, now: Tensor, before: Tensor, frames: FrameTensors, *, at: Tensor
    ) -> None:
        self._physics, self._frames, self._at = physics, frames, at
        with torch.no_grad():
            last = physics.positions(now, frames, at - 1)
            self.step = physics.step(last, physics.positions(before, frames, at - 2), frames, at)
            predicted = physics.potential.predicted(self.step)
            self._inertia = _inertia(physics, predicted, frames, at)

    def __call__(self, c: Tensor, numbers: Tensor | slice = slice(None)) -> Tensor:
        """(k,) of c (k, K), of those steps with these numbers."""
        physics, at, c = self._physics, self._at[numbers], c.double()
        energy = physics.elastic_energies(c, self._frames, at) + self._inertia(c, numbers)
        if physics.potential.has_other:
            x = physics.positions(c, self._frames, at)
            energy = energy + physics.potential.other(x, self.step.of(numbers))
        return energy


@dataclass(frozen=True)
class Quadratic:
    """1/2 c A c + b c + e, of n samples: second (n or 1, K, K), first (n, K), constant (n,)."""

    second: Tensor
    first: Tensor
    constant: Tensor

    def __call__(self, c: Tensor, numbers: Tensor | slice) -> Tensor:
        """(k,) of c (k, K), of the samples with these numbers."""
        if len(self.second) == 1:
            bent = c @ self.second[0]
        else:
            bent = torch.einsum("nkl,nl->nk", self.second[numbers], c)
        return ((0.5 * bent + self.first[numbers]) * c).sum(1) + self.constant[numbers]


def _inertia(physics: LatentPhysics, predicted: Tensor, frames: FrameTensors, at: Tensor) -> Quadratic:
    """1 / (2 dt^2) |x - x^|_M^2 of c, exactly, to be asked again and again without touching a vertex.

    E_inertial (Li 2025, eq. 4), and what of E_external is in x^.
    """
    axes, dt = frames.world[at, :3, :3], physics.dt
    nothing = physics.mass.new_zeros(len(at), len(physics.mass))
    away = physics.positions(nothing, frames, at) - predicted
    turned = (away @ axes).reshape(len(at), -1)
    stretch = axes.transpose(1, 2) @ axes
    if float((stretch - torch.eye(3).to(stretch)).abs().max()) < RIGID:
        stretch = stretch[:1]  # the same for all, and much smaller
    second = torch.einsum("klde,nde->nkl", physics.mass, stretch) / dt**2
    constant = 0.5 * (physics.potential.moving * away.square().sum(-1)).sum(-1) / dt**2
    return Quadratic(second, turned @ physics.weighted.T / dt**2, constant)

"""Contact with the moving rigid colliders of a scene, as an energy that is finite everywhere.

Beyond the paper.

The solver's barrier is infinite inside a collider, where a network that learns may well be. Here each point
that is nearer than `reach` costs k / 2 (reach - gap)^2: within the reach about what the barrier costs, and
inside it pushes outwards however deep. Friction has no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ml_backend.simulation.surroundings import CONTACT_STIFFNESS, REACH, half_thickness, surface_of
from neural_physics.datasets.body import Body
from neural_physics.energies.colliders.collider import Collider


class ContactEnergy:
    """The energy of contact of P points of a body with C colliders."""

    def __init__(
        self, colliders: Sequence[Collider], points: Tensor, stiffness: Tensor, reach: float, *, offset: float
    ) -> None:
        """points (P,): vertices of the body. stiffness (P,), N/m. reach, m; offset: half the thickness, m."""
        self._colliders, self._points = list(colliders), points
        self._stiffness, self._reach, self._offset = stiffness, reach, offset

    def __call__(self, x: Tensor, poses: Tensor) -> Tensor:
        """(n,) J of vertices (n, B, 3) and poses (n, C, 4, 4), world_from_collider, rotation and place."""
        at = x[:, self._points]
        energy = x.new_zeros(len(x))
        for number, collider in enumerate(self._colliders):
            rotation, place = poses[:, number, :3, :3], poses[:, number, None, :3, 3]
            own = (at - place) @ rotation
            gaps = _Distance.apply(collider, own.reshape(-1, 3)).view(at.shape[:2]) - self._offset
            pressed = (self._reach - gaps).clamp(min=0.0)
            energy = energy + 0.5 * (self._stiffness * pressed * pressed).sum(1)
        return energy


def contact_energy(
    colliders: Sequence[Collider], body: Body, dt: float, device: torch.device
) -> ContactEnergy | None:
    """Contact of the free outer vertices, as stiff as the solver's; None where there is nothing to touch.

    dt: of a step, s.
    """
    if not colliders:
        return None
    outer = np.arange(body.vertex_count)
    if body.settings.kind == "solid":
        outer = np.unique(surface_of(body))
    free = outer[~body.pinned[outer]]
    stiffness = CONTACT_STIFFNESS * body.masses[free] / dt**2
    reach = REACH * float(np.linalg.norm(np.ptp(body.rest_positions, axis=0)))
    return ContactEnergy(
        colliders,
        torch.from_numpy(free).to(device),
        torch.from_numpy(stiffness).to(device),
        reach,
        offset=half_thickness(body),
    )


class _Distance(torch.autograd.Function):
    """Signed distances (k,) of points (k, 3) in a collider's own axes, m, by the solver's own shapes."""

    @staticmethod
    def forward(ctx: Any, collider: Collider, points: Tensor) -> Tensor:  # noqa: ANN401 (torch's own)
        at = points.detach().cpu().double().numpy()
        ctx.save_for_backward(torch.from_numpy(collider.gradient(at)).to(points))
        return torch.from_numpy(collider.distance(at)).to(points)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor]:  # noqa: ANN401
        return None, grad[:, None] * ctx.saved_tensors[0]

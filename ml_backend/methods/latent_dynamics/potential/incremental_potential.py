"""The variational form of one implicit-Euler step, in torch: what the integrator is trained on (eq. 4).

    E(x_t) = 1 / (2 dt^2) |x_t - x^|_M^2 + V(x_t) + D(x_t) + contact + w_bc |x_t - x_t*|^2,
    x^ = 2 x_{t-1} - x_{t-2} + dt^2 M^-1 f(x_{t-1}, v_{t-1}),

of all that the bundled solver minimises, in its own terms: V of `body_energy`, forces of weight, wind and
air, Rayleigh's damping of the stiffness. All positions are in the world's axes, in metres; energies in J.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ml_backend.methods.latent_dynamics.potential.body_energy import BodyEnergy
from ml_backend.methods.latent_dynamics.potential.contact_energy import ContactEnergy
from ml_backend.methods.latent_dynamics.potential.dissipation import Dissipation
from ml_backend.simulation.surroundings import surface_of
from neural_physics.datasets.body import Body
from neural_physics.energies.air import edge_forces, triangle_forces


@dataclass(frozen=True)
class Step:
    """A batch of steps: what came before, and what acts; n of them.

    before, earlier (n, B, 3): x_{t-1} and x_{t-2}, m. wind (n, 3): the air's velocity as the step begins,
    m/s. held (n, B, 3): where the pinned vertices are as it ends; the others' rows are not used.
    poses (n, C, 4, 4): world_from_collider as it ends.
    """

    before: Tensor
    earlier: Tensor
    wind: Tensor
    held: Tensor
    poses: Tensor

    def of(self, numbers: Tensor | slice) -> Step:
        """Some steps of the batch."""
        return Step(*(each[numbers] for each in vars(self).values()))


class IncrementalPotential:
    """E(x_t) of a body (Li 2025, eqs. 1 and 4).

    dt: of a step, s; boundary_weight: w_bc, N/m; contact: None where nothing is near.
    """

    def __init__(
        self,
        body: Body,
        dt: float,
        air_density: float,
        boundary_weight: float,
        *,
        contact: ContactEnergy | None,
        device: torch.device,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        def tensor(array: np.ndarray) -> Tensor:
            return torch.tensor(array, dtype=dtype, device=device)

        self.elastic = BodyEnergy(body, device, dtype)
        self._contact = contact
        self._dt, self._air_density, self._boundary_weight = dt, air_density, boundary_weight
        self._masses, self._gravity = tensor(body.masses), tensor(body.gravity)
        self.free = torch.from_numpy(~body.pinned).to(device)
        self.moving = self._masses * self.free
        self._dissipation = Dissipation(body, dt) if body.settings.damping else None
        self._settings = body.settings
        surface = body.elements if body.settings.kind == "rod" else surface_of(body)
        shares = body.masses / np.maximum(np.bincount(surface.ravel(), minlength=body.vertex_count), 1)
        self._surface = torch.from_numpy(surface.astype(np.int64)).to(device)
        self._surface_masses = tensor(shares[surface].sum(1))

    def predicted(self, step: Step) -> Tensor:
        """x^ (n, B, 3): where the body would be if nothing held it together.

        E_external (Li 2025, eq. 4) is in it: weight, wind and drag.
        """
        moved = step.before - step.earlier
        force = self._masses[:, None] * self._gravity + self._air(step, moved / self._dt)
        return step.before + moved + self._dt**2 * force / self._masses[:, None]

    def __call__(self, x: Tensor, step: Step, predicted: Tensor | None = None) -> Tensor:
        """(n,) J of positions (n, B, 3) (Li 2025, eqs. 1 and 4).

        predicted: what that of this step gave, where it is known.
        """
        predicted = self.predicted(step) if predicted is None else predicted
        away = x - predicted
        energy = self.elastic(x) + 0.5 / self._dt**2 * (self.moving * (away * away).sum(-1)).sum(-1)
        return energy + self.other(x, step)

    @property
    def has_other(self) -> bool:
        """Whether there is anything but inertia and elasticity, weight and air."""
        return bool(self._dissipation or self._contact or self._boundary_weight)

    def other(self, x: Tensor, step: Step) -> Tensor:
        """(n,) J: of damping, contact and the boundary, which is E_bc (Li 2025, eq. 4)."""
        energy = x.new_zeros(len(x))
        if self._dissipation is not None:
            energy = energy + self._dissipation(x - step.before, step.before)
        if self._contact is not None:
            energy = energy + self._contact(x, step.poses)
        if self._boundary_weight:
            off = (x - step.held)[:, ~self.free]
            energy = energy + self._boundary_weight * (off * off).sum((1, 2))
        return energy

    def _air(self, step: Step, velocities: Tensor) -> Tensor:
        """(n, B, 3) N, by the velocities at the start of the step; see `neural_physics.energies.air`."""
        if not self._air_density:
            return torch.zeros_like(velocities)
        at, v = step.before[:, self._surface], velocities[:, self._surface]
        wind, masses = step.wind[:, None], self._surface_masses
        if self._settings.kind == "rod":
            radius = self._settings.radius
            forces = edge_forces(at, v, masses, radius, wind=wind, dt=self._dt, air_density=self._air_density)
        else:
            closed = self._settings.kind == "solid"
            forces = triangle_forces(
                at, v, masses, wind, dt=self._dt, air_density=self._air_density, closed=closed
            )
        corners = self._surface.shape[1]
        shared = torch.zeros_like(velocities)
        return shared.index_add(1, self._surface.T.reshape(-1), (forces / corners).repeat(1, corners, 1))

"""Many small minimisations side by side: where the steps of a batch of latent states end."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

SUFFICIENT_DECREASE = 1e-4  # Armijo's: of the decrease that the slope promises
SHORTER = 0.3  # of a step that has not decreased
LONGEST = 1.0  # of a step in any latent, which have about unit size
LEAST_CURVATURE = 1e-10

# Energies (k,) in J of latents (k, L), of those of a batch with these numbers (k,).
Energies = Callable[[Tensor, Tensor], Tensor]


def minimise(
    energies: Energies, z: Tensor, inverse: Tensor, tolerance: float, *, evaluations: int
) -> tuple[Tensor, Tensor]:
    """Latents (n, L) near the minimum of each energy, from z (n, L), and how much energy that was below z, J.

    BFGS for each on its own (Nocedal and Wright 1999, algorithm 6.1), from the inverse Hessian (L, L) or
    (n, L, L); a trial that is no decrease is shortened. Each of at most so many evaluations is of all that
    promise more than `tolerance`, J, of decrease. What comes back is the best that was found.
    """
    n, latents = z.shape
    z, inverse = z.detach().double().clone(), inverse.double().expand(n, latents, latents).clone()
    everything = torch.arange(n, device=z.device)
    value, slope = _with_slope(energies, z, everything)
    start = value.clone()
    share = torch.ones(n, dtype=torch.float64, device=z.device)
    for _ in range(evaluations - 1):
        direction = -torch.einsum("nij,nj->ni", inverse, slope)
        promised = -0.5 * (slope * direction).sum(1)
        active = torch.nonzero(promised * share > tolerance)[:, 0]
        if not len(active):
            break
        longest = direction[active].abs().amax(1).clamp(min=1e-12)
        length = torch.minimum(share[active], LONGEST / longest)
        moved = length[:, None] * direction[active]
        tried = z[active] + moved
        new_value, new_slope = _with_slope(energies, tried, active)
        enough = value[active] - SUFFICIENT_DECREASE * 2.0 * length * promised[active]
        better = new_value <= enough  # and so not where it is not a number
        taken = active[better]
        change = (new_slope - slope[active])[better]
        inverse[taken] = _updated(inverse[taken], moved[better], change)
        z[taken], value[taken], slope[taken] = tried[better], new_value[better], new_slope[better]
        share[taken] = 1.0
        share[active[~better]] *= SHORTER
    return z, start - value


def _with_slope(energies: Energies, z: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
    z = z.detach().requires_grad_()
    with torch.enable_grad():
        value = energies(z, numbers)
        (slope,) = torch.autograd.grad(value.sum(), z)
    return value.detach().double(), slope.double()


def _updated(inverse: Tensor, moved: Tensor, change: Tensor) -> Tensor:
    """The BFGS update, left out where the curvature along the step is not positive."""
    curvature = (moved * change).sum(1)
    good = curvature > LEAST_CURVATURE * moved.norm(dim=1) * change.norm(dim=1)
    rho = torch.where(good, 1.0 / torch.where(good, curvature, 1.0), 0.0)[:, None, None]
    left = torch.eye(moved.shape[1], dtype=moved.dtype, device=moved.device) - rho * (
        moved[:, :, None] * change[:, None, :]
    )
    return left @ inverse @ left.transpose(1, 2) + rho * moved[:, :, None] * moved[:, None, :]

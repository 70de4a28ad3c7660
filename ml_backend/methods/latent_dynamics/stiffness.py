"""How stiff a body is along its bases, and along its latents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ml_backend.methods.latent_dynamics.autoencoder import Autoencoder
from neural_physics.arrays import Doubles


@dataclass(frozen=True)
class Stiffness:
    """Second derivatives of the elastic energy by c, J/m^2: each (m, K, K), at shapes c (m, K)."""

    c: Doubles
    each: Doubles

    @property
    def mean(self) -> Doubles:
        """(K, K), without its negative part."""
        return _positive(self.each.mean(0))

    def with_inertia(self, inertia: Doubles) -> Tensor:
        """(m, K, K) of a step's potential, each without its negative part."""
        return torch.from_numpy(_positive(self.each) + inertia)

    def nearest(self, c: Tensor) -> Tensor:
        """(n,): the number of the shape that each of c (n, K) is nearest to."""
        return torch.cdist(c.double(), torch.from_numpy(self.c).to(c.device)).argmin(1)


def slopes_of(coder: Autoencoder, z: Tensor) -> Tensor:
    """(n, K, L) float64: of decoded c by latents (n, L)."""
    coder.eval()

    def decoded(one: Tensor) -> Tensor:
        result: Tensor = coder.decode(one[None])[0]
        return result

    return torch.stack([torch.autograd.functional.jacobian(decoded, one) for one in z]).double()


def in_latents(coder: Autoencoder, stiffness: Stiffness, inertia: np.ndarray) -> Tensor:
    """(m, L, L), J: second derivatives of a step's potential by latents, each at the shape it belongs to.

    inertia (K, K), J/m^2. By a stiffness that is averaged over shapes all that turns would seem stiff.
    """
    with torch.no_grad():
        device = coder.amplitudes.device
        z = coder.encode(torch.from_numpy(stiffness.c.astype(np.float32)).to(device))
    slopes = slopes_of(coder, z)
    stiff = stiffness.with_inertia(inertia).to(device)
    return slopes.transpose(1, 2) @ stiff @ slopes


def scaling_of(hessians: Tensor) -> Tensor:
    """(L, L): takes a vector whose square length is an energy, J, on average over (m, L, L), to latents.

    An optimiser then sees all latents alike, however stiff the body is along them.
    """
    values, vectors = torch.linalg.eigh(hessians.mean(0))
    scaled: Tensor = (vectors / values.clamp(min=1e-9 * float(values.max())).sqrt()) @ vectors.T
    return scaled.float()


def _positive(matrices: Doubles) -> Doubles:
    """Symmetric (..., K, K) without their negative parts."""
    values, vectors = np.linalg.eigh(matrices)
    result: Doubles = (vectors * np.maximum(values, 0.0)[..., None, :]) @ vectors.swapaxes(-1, -2)
    return result

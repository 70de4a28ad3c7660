"""What latents mean in full space: shapes, energies, and how stiff the body is seen from its latents."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ml_backend.methods.incremental_potential import IncrementalPotential, Step
from ml_backend.methods.latent_autoencoder import Autoencoder
from ml_backend.methods.latent_data import Frames, LatentData
from neural_physics.body import Body

STIFFNESS_FRAMES = 12  # frames whose stiffness is averaged


class LatentPhysics:
    """Positions of the body in the world's axes, and the potential of steps, from PCA coefficients.

    All in float64, as the elastic energies of stiff bodies are small differences.
    """

    def __init__(
        self, data: LatentData, body: Body, potential: IncrementalPotential, dt: float, device: torch.device
    ) -> None:
        def tensor(array: np.ndarray) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array, np.float64)).to(device)

        self.potential, self.dt = potential, dt
        self._mean, self._basis = tensor(data.mean.ravel()), tensor(data.basis.reshape(len(data.basis), -1))
        self._offsets = tensor(data.motion.offsets.reshape(len(data.motion.offsets), data.mean.size))
        self._pinned = torch.from_numpy(np.flatnonzero(body.pinned)).to(device)
        self._tensor = tensor
        self._mass = tensor(np.repeat(np.where(body.pinned, 0.0, body.masses), 3))

    def frames(self, frames: Frames) -> FrameTensors:
        """The same as tensors."""
        names = ("offsets", "world", "wind", "held", "poses")
        return FrameTensors(*(self._tensor(getattr(frames, name)) for name in names))

    def positions(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        """(n, B, 3), m, in the world's axes, of c (n, K) at frames (n,)."""
        flat = self._mean + c.double() @ self._basis + frames.offsets[at] @ self._offsets
        return _to_world(frames.world[at], flat.view(len(c), -1, 3))

    def step(self, before: Tensor, earlier: Tensor, frames: FrameTensors, at: Tensor) -> Step:
        """The step to frames (n,) from positions (n, B, 3) of the two frames before them."""
        held = torch.zeros_like(before)
        if len(self._pinned):
            held[:, self._pinned] = _to_world(frames.world[at], frames.held[at])
        return Step(before, earlier, frames.wind[at - 1], held, frames.poses[at])

    def stiffness(self, data: LatentData, seed: int) -> np.ndarray:
        """(K, K), J/m^2: second derivatives of the elastic energy by c, averaged over some training frames.

        By central differences of the gradient, and without its negative part.
        """
        frames = data.training
        rng = np.random.default_rng(seed)
        picked = np.sort(rng.permutation(len(frames.c))[:STIFFNESS_FRAMES])
        at, tensors = torch.from_numpy(picked), self.frames(frames)
        c = self._tensor(frames.c[picked])
        h = 1e-4 * float(np.sqrt((frames.c**2).sum(1).mean()))
        columns = []
        for k in range(c.shape[1]):
            moved = torch.zeros_like(c[0])
            moved[k] = h
            slopes = [self._elastic_gradient(c + sign * moved, tensors, at).mean(0) for sign in (1.0, -1.0)]
            columns.append((slopes[0] - slopes[1]) / (2.0 * h))
        matrix = torch.stack(columns).cpu().numpy()
        values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
        result: np.ndarray = (vectors * np.maximum(values, 0.0)) @ vectors.T
        return result

    def inertia(self) -> np.ndarray:
        """(K, K), J/m^2: those of a step's kinetic term, the mass of what is free over dt^2."""
        result: np.ndarray = ((self._basis * self._mass) @ self._basis.T / self.dt**2).cpu().numpy()
        return result

    def elastic_energies(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        """(n,) J."""
        return self.potential.elastic(self.positions(c, frames, at))

    def _elastic_gradient(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        c = c.detach().requires_grad_()
        (slope,) = torch.autograd.grad(self.elastic_energies(c, frames, at).sum(), c)
        return slope


class FrameTensors:
    """Of `latent_data.Frames`, as tensors: offsets, world, wind, held and poses."""

    def __init__(self, offsets: Tensor, world: Tensor, wind: Tensor, held: Tensor, poses: Tensor) -> None:
        self.offsets, self.world, self.wind, self.held, self.poses = offsets, world, wind, held, poses


def latent_scaling(coder: Autoencoder, metric: np.ndarray, z: Tensor) -> Tensor:
    """(L, L): takes a vector whose square length is an energy, J, on average over z (n, L), to latents.

    metric (K, K), J/m^2. An optimiser then sees all latents alike, however stiff the body is along them.
    """
    stiff = torch.from_numpy(metric).to(z.device)
    coder.eval()

    def decoded(one: Tensor) -> Tensor:
        result: Tensor = coder.decode(one[None])[0]
        return result

    slopes = torch.stack([torch.autograd.functional.jacobian(decoded, one) for one in z]).double()
    energy = torch.einsum("nkl,kj,njm->lm", slopes, stiff, slopes) / len(z)
    values, vectors = torch.linalg.eigh(energy)
    scaled: Tensor = (vectors / values.clamp(min=1e-9 * float(values.max())).sqrt()) @ vectors.T
    return scaled.float()


def _to_world(world: Tensor, positions: Tensor) -> Tensor:
    """(n, B, 3) by world_from_frame (n, 4, 4)."""
    return positions @ world[:, :3, :3].transpose(1, 2) + world[:, None, :3, 3]

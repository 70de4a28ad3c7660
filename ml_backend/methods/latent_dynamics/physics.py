"""What latents mean in full space: shapes, energies, and how stiff the body is seen from its latents."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ml_backend.methods.latent_dynamics.acting_frames import Acting
from ml_backend.methods.latent_dynamics.cubature_energy import CubatureEnergy
from ml_backend.methods.latent_dynamics.data import LatentData
from ml_backend.methods.latent_dynamics.potential.body_energy import BodyEnergy
from ml_backend.methods.latent_dynamics.potential.incremental_potential import IncrementalPotential, Step
from ml_backend.methods.latent_dynamics.stiffness import Stiffness
from neural_physics.arrays import Indices
from neural_physics.datasets.body import Body

STIFFNESS_FRAMES = 24  # frames whose stiffness is looked at


class LatentPhysics:
    """Positions of the body in the world's axes, and the potential of steps, from PCA coefficients.

    All in float64, as the elastic energies of stiff bodies are small differences.
    mass (K, K, 3, 3), kg: sums of each two bases' products over what is free; weighted (K, 3 B), kg: the
    bases times the masses of what is free.
    """

    def __init__(
        self,
        data: LatentData,
        body: Body,
        potential: IncrementalPotential,
        dt: float,
        *,
        device: torch.device,
        cubature: CubatureEnergy | None = None,
    ) -> None:
        """cubature: whose elastic energy is taken for the whole body's."""
        self.potential, self.dt = potential, dt
        self._whole = _Shapes(data, slice(None), device)
        self._elastic: BodyEnergy | CubatureEnergy = potential.elastic
        self._sampled = self._whole
        if cubature is not None:
            self._sampled, self._elastic = _Shapes(data, cubature.vertices, device), cubature
        self._pinned = torch.from_numpy(np.flatnonzero(body.pinned)).to(device)
        self.device = device
        basis = self._whole.basis.view(len(data.basis), -1, 3)
        weighted = potential.moving[:, None] * basis
        self.mass = torch.einsum("kbd,lbe->klde", weighted, basis)
        self.weighted = weighted.reshape(len(basis), -1)

    def frames(self, frames: Acting) -> FrameTensors:
        """What acts at these frames, as tensors."""
        names = ("offsets", "world", "wind", "held", "poses")
        return FrameTensors(**{name: _tensor(getattr(frames, name), self.device) for name in names})

    def positions(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        """(n, B, 3), m, in the world's axes, of c (n, K) at frames (n,)."""
        return self._whole.positions(c, frames, at)

    def step(self, before: Tensor, earlier: Tensor, frames: FrameTensors, at: Tensor) -> Step:
        """The step to frames (n,) from positions (n, B, 3) of the two frames before them."""
        held = torch.zeros_like(before)
        if len(self._pinned):
            held[:, self._pinned] = _to_world(frames.world[at], frames.held[at])
        return Step(before, earlier, frames.wind[at - 1], held, poses=frames.poses[at])

    def elastic_energies(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        """(n,) J."""
        return self._elastic(self._sampled.positions(c, frames, at))

    def stiffness(self, data: LatentData, seed: int) -> Stiffness:
        """The stiffness at some training frames, by central differences of the gradient."""
        frames = data.training
        rng = np.random.default_rng(seed)
        picked = np.sort(rng.permutation(len(frames.c))[:STIFFNESS_FRAMES])
        at, tensors = torch.from_numpy(picked), self.frames(frames)
        c = _tensor(frames.c[picked], self.device)
        h = 1e-4 * float(np.sqrt((frames.c**2).sum(1).mean()))
        columns = []
        for k in range(c.shape[1]):
            moved = torch.zeros_like(c[0])
            moved[k] = h
            up, down = (self._elastic_gradient(c + sign * moved, tensors, at) for sign in (1.0, -1.0))
            columns.append((up - down) / (2.0 * h))
        each = torch.stack(columns, 1).cpu().numpy()
        return Stiffness(frames.c[picked], 0.5 * (each + each.swapaxes(1, 2)))

    def inertia(self) -> np.ndarray:
        """(K, K), J/m^2: those of a step's kinetic term, the mass of what is free over dt^2."""
        result: np.ndarray = (self.weighted @ self._whole.basis.T / self.dt**2).cpu().numpy()
        return result

    def _elastic_gradient(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        c = c.detach().requires_grad_()
        (slope,) = torch.autograd.grad(self.elastic_energies(c, frames, at).sum(), c)
        return slope


class FrameTensors:
    """What acts at some frames (see `Acting`), as tensors: offsets, world, wind, held and poses."""

    def __init__(self, offsets: Tensor, world: Tensor, wind: Tensor, held: Tensor, *, poses: Tensor) -> None:
        self.offsets, self.world, self.wind, self.held, self.poses = offsets, world, wind, held, poses


class _Shapes:
    """Positions of some vertices (S,)."""

    def __init__(self, data: LatentData, vertices: Indices | slice, device: torch.device) -> None:
        def flat(array: np.ndarray) -> Tensor:
            some = array[:, vertices]
            return _tensor(some.reshape(len(some), 3 * some.shape[1]), device)

        self._mean, self.basis = flat(data.mean[None])[0], flat(data.basis)
        self._offsets = flat(data.motion.offsets)

    def positions(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        """(n, S, 3), m, in the world's axes, of c (n, K) at frames (n,)."""
        flat = self._mean + c.double() @ self.basis + frames.offsets[at] @ self._offsets
        return _to_world(frames.world[at], flat.view(len(c), -1, 3))


def _to_world(world: Tensor, positions: Tensor) -> Tensor:
    """(n, B, 3) by world_from_frame (n, 4, 4)."""
    return positions @ world[:, :3, :3].transpose(1, 2) + world[:, None, :3, 3]


def _tensor(array: np.ndarray, device: torch.device) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, np.float64)).to(device)

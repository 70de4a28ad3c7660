"""What latents mean in full space: shapes, energies, and how stiff the body is seen from its latents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ml_backend.methods.acting_frames import Acting
from ml_backend.methods.body_energy import BodyEnergy
from ml_backend.methods.incremental_potential import IncrementalPotential, Step
from ml_backend.methods.latent_autoencoder import Autoencoder
from ml_backend.methods.latent_data import LatentData
from ml_backend.methods.thinned_energy import ThinnedEnergy
from neural_physics.body import Body

STIFFNESS_FRAMES = 24  # frames whose stiffness is looked at
RIGID = 1e-9  # how far axes may be from unit length, and square to each other, to be taken for that


class LatentPhysics:
    """Positions of the body in the world's axes, and the potential of steps, from PCA coefficients.

    All in float64, as the elastic energies of stiff bodies are small differences.
    """

    def __init__(
        self,
        data: LatentData,
        body: Body,
        potential: IncrementalPotential,
        dt: float,
        device: torch.device,
        thin: ThinnedEnergy | None = None,
    ) -> None:
        """thin: whose elastic energy is taken for the whole body's."""
        self.potential, self.dt = potential, dt
        self._whole = _Shapes(data, slice(None), device)
        self._elastic: BodyEnergy | ThinnedEnergy = potential.elastic
        self._sampled = self._whole
        if thin is not None:
            self._sampled, self._elastic = _Shapes(data, thin.vertices, device), thin
        self._pinned = torch.from_numpy(np.flatnonzero(body.pinned)).to(device)
        self._device = device
        basis = self._whole.basis.view(len(data.basis), -1, 3)
        weighted = potential.moving[:, None] * basis
        self._mass = torch.einsum("kbd,lbe->klde", weighted, basis)
        self._weighted = weighted.reshape(len(basis), -1)

    def frames(self, frames: Acting) -> FrameTensors:
        """The same as tensors."""
        names = ("offsets", "world", "wind", "held", "poses")
        return FrameTensors(*(_tensor(getattr(frames, name), self._device) for name in names))

    def positions(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        """(n, B, 3), m, in the world's axes, of c (n, K) at frames (n,)."""
        return self._whole.positions(c, frames, at)

    def step(self, before: Tensor, earlier: Tensor, frames: FrameTensors, at: Tensor) -> Step:
        """The step to frames (n,) from positions (n, B, 3) of the two frames before them."""
        held = torch.zeros_like(before)
        if len(self._pinned):
            held[:, self._pinned] = _to_world(frames.world[at], frames.held[at])
        return Step(before, earlier, frames.wind[at - 1], held, frames.poses[at])

    def elastic_energies(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        """(n,) J."""
        return self._elastic(self._sampled.positions(c, frames, at))

    def inertia_about(self, predicted: Tensor, frames: FrameTensors, at: Tensor) -> Quadratic:
        """1 / (2 dt^2) |x - x^|_M^2 of c, exactly, to be asked again and again without touching a vertex."""
        axes = frames.world[at, :3, :3]
        away = self._whole.positions(self._mass.new_zeros(len(at), len(self._mass)), frames, at) - predicted
        turned = (away @ axes).reshape(len(at), -1)
        stretch = axes.transpose(1, 2) @ axes
        if float((stretch - torch.eye(3).to(stretch)).abs().max()) < RIGID:
            stretch = stretch[:1]  # the same for all, and much smaller
        second = torch.einsum("klde,nde->nkl", self._mass, stretch) / self.dt**2
        constant = 0.5 * (self.potential.moving * away.square().sum(-1)).sum(-1) / self.dt**2
        return Quadratic(second, turned @ self._weighted.T / self.dt**2, constant)

    def stiffness(self, data: LatentData, seed: int) -> Stiffness:
        """At some training frames, by central differences of the gradient."""
        frames = data.training
        rng = np.random.default_rng(seed)
        picked = np.sort(rng.permutation(len(frames.c))[:STIFFNESS_FRAMES])
        at, tensors = torch.from_numpy(picked), self.frames(frames)
        c = _tensor(frames.c[picked], self._device)
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
        result: np.ndarray = (self._weighted @ self._whole.basis.T / self.dt**2).cpu().numpy()
        return result

    def _elastic_gradient(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        c = c.detach().requires_grad_()
        (slope,) = torch.autograd.grad(self.elastic_energies(c, frames, at).sum(), c)
        return slope


class StepEnergies:
    """E of a batch of steps, in J, of the coefficients c that they may end in.

    step: what came before and what acts, in full space. now, before (n, K): c_{t-1} and c_{t-2}.
    """

    def __init__(
        self, physics: LatentPhysics, now: Tensor, before: Tensor, frames: FrameTensors, at: Tensor
    ) -> None:
        self._physics, self._frames, self._at = physics, frames, at
        with torch.no_grad():
            last = physics.positions(now, frames, at - 1)
            self.step = physics.step(last, physics.positions(before, frames, at - 2), frames, at)
            predicted = physics.potential.predicted(self.step)
            self._inertia = physics.inertia_about(predicted, frames, at)

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


@dataclass(frozen=True)
class Stiffness:
    """Second derivatives of the elastic energy by c, J/m^2: each (m, K, K), at shapes c (m, K)."""

    c: NDArray[np.float64]
    each: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        """(K, K), without its negative part."""
        return _positive(self.each.mean(0))

    def with_inertia(self, inertia: NDArray[np.float64]) -> Tensor:
        """(m, K, K) of a step's potential, each without its negative part."""
        return torch.from_numpy(_positive(self.each) + inertia)

    def nearest(self, c: Tensor) -> Tensor:
        """(n,): the number of the shape that each of c (n, K) is nearest to."""
        return torch.cdist(c.double(), torch.from_numpy(self.c).to(c.device)).argmin(1)


class FrameTensors:
    """Of `Acting`, as tensors: offsets, world, wind, held and poses."""

    def __init__(self, offsets: Tensor, world: Tensor, wind: Tensor, held: Tensor, poses: Tensor) -> None:
        self.offsets, self.world, self.wind, self.held, self.poses = offsets, world, wind, held, poses


class _Shapes:
    """Positions of some vertices (S,)."""

    def __init__(self, data: LatentData, vertices: NDArray[np.intp] | slice, device: torch.device) -> None:
        def flat(array: np.ndarray) -> Tensor:
            some = array[:, vertices]
            return _tensor(some.reshape(len(some), 3 * some.shape[1]), device)

        self._mean, self.basis = flat(data.mean[None])[0], flat(data.basis)
        self._offsets = flat(data.motion.offsets)

    def positions(self, c: Tensor, frames: FrameTensors, at: Tensor) -> Tensor:
        """(n, S, 3), m, in the world's axes, of c (n, K) at frames (n,)."""
        flat = self._mean + c.double() @ self.basis + frames.offsets[at] @ self._offsets
        return _to_world(frames.world[at], flat.view(len(c), -1, 3))


def slopes_of(coder: Autoencoder, z: Tensor) -> Tensor:
    """(n, K, L) float64: of decoded c by latents (n, L)."""
    coder.eval()

    def decoded(one: Tensor) -> Tensor:
        result: Tensor = coder.decode(one[None])[0]
        return result

    return torch.stack([torch.autograd.functional.jacobian(decoded, one) for one in z]).double()


def latent_scaling(coder: Autoencoder, metric: np.ndarray, z: Tensor) -> Tensor:
    """(L, L): takes a vector whose square length is an energy, J, on average over z (n, L), to latents.

    metric (K, K), J/m^2. An optimiser then sees all latents alike, however stiff the body is along them.
    """
    stiff, slopes = torch.from_numpy(metric).to(z.device), slopes_of(coder, z)
    energy = torch.einsum("nkl,kj,njm->lm", slopes, stiff, slopes) / len(z)
    values, vectors = torch.linalg.eigh(energy)
    scaled: Tensor = (vectors / values.clamp(min=1e-9 * float(values.max())).sqrt()) @ vectors.T
    return scaled.float()


def _positive(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Symmetric (..., K, K) without their negative parts."""
    values, vectors = np.linalg.eigh(matrices)
    result: NDArray[np.float64] = (vectors * np.maximum(values, 0.0)[..., None, :]) @ vectors.swapaxes(-1, -2)
    return result


def _to_world(world: Tensor, positions: Tensor) -> Tensor:
    """(n, B, 3) by world_from_frame (n, 4, 4)."""
    return positions @ world[:, :3, :3].transpose(1, 2) + world[:, None, :3, 3]


def _tensor(array: np.ndarray, device: torch.device) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, np.float64)).to(device)

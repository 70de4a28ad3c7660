"""Eq. 1 and a cell, rolled out by torch over many windows and by NumPy frame by frame."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from zlib import crc32

import numpy as np
import torch
from torch import Tensor

from benchmarks.subspace_physics.baselines.cells import Arrays, Cell, Memory
from benchmarks.subspace_physics.baselines.parameters import Array
from learning.methods.subspace_physics.initial_model import fitted
from learning.methods.subspace_physics.network import Pullback
from learning.training.muon import Matrix
from learning.training.subspace_data import Sequences, SubspaceData
from learning.training.tensor_files import Tensors
from neural_physics.arrays import Floats


class CellNetwork:
    """z_t = z_bar_t + what the cell adds, clipped: what `SubspaceLearner` takes for a network and its roller.

    States are rows [z, memory, 1] where the cell remembers something, so that a window which goes on where
    the one before it ended goes on with its memory; the last number is 0 at true states, of which no memory
    is known. True states may also be z alone.
    """

    device = "cpu"

    def __init__(self, data: SubspaceData, cell: Cell) -> None:
        self.cell, self.initial = cell, cell.initial
        z = data.training.z
        self.bases = z.shape[1]
        alpha, beta = fitted(data.training)
        own = {"alpha_beta": alpha + beta, "beta": beta, "low": z.min(0), "high": z.max(0)}
        self._constants: Tensors = own | cell.constants

    @property
    def matrices(self) -> list[Matrix]:
        """See `SubspaceNetwork`."""
        return self.cell.layout.matrices()

    @property
    def step_weights(self) -> int:
        """How many parameters each step needs: all but those for the beginning of a rollout."""
        return len(self.initial) - sum(self.cell.remembers) * (2 * self.bases + 1)

    def tensors(self, theta: Floats) -> Tensors:
        """What is kept of it."""
        return {"theta": theta.copy()}

    def states_of(self, data: SubspaceData) -> SubspaceData:
        """The data with its states as rows of this network."""
        return with_memory(data, sum(self.cell.remembers))

    def rollout(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """See `Roller`."""
        with torch.inference_mode():
            return self._rolled(torch.from_numpy(theta), z0, z1, w, random=None).numpy()

    def with_pullback(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> tuple[Floats, Pullback]:
        """See `Roller`. Chance follows from the windows, so that a resumed training draws the same."""
        parameters = torch.tensor(theta, requires_grad=True)
        random = np.random.default_rng([crc32(z0.tobytes()), crc32(z1.tobytes())])
        states = self._rolled(parameters, z0, z1, w, random=random)

        def pullback(slope: Floats) -> Floats:
            return np.asarray(torch.autograd.grad(states, parameters, torch.from_numpy(slope))[0].numpy())

        return states.detach().numpy(), pullback

    def step(
        self,
        p: Arrays,
        before: Array,
        now: Array,
        *,
        w: Array,
        w_before: Array,
        memory: Memory,
        xp: ModuleType,
    ) -> tuple[Array, Memory]:
        """z_t (n, u) after the states before and now (n, u), with w_t and w_{t-1} (n, v)."""
        z_bar = now * p["alpha_beta"] - before * p["beta"]
        change, memory = self.cell.change(p, xp.concatenate([z_bar, now, w, w - w_before], -1), memory, xp)
        return xp.clip(z_bar + change, p["low"], p["high"]), memory

    def arrays(self, theta: Array, xp: ModuleType) -> Arrays:
        """What a cell is given: its parameters, and what is not trained."""
        return self.cell.layout.views(theta) | {
            name: xp.asarray(constant, dtype=theta.dtype) for name, constant in self._constants.items()
        }

    def _rolled(
        self, theta: Tensor, z0: Floats, z1: Floats, w: Floats, *, random: np.random.Generator | None
    ) -> Tensor:
        p, forcing, u = self.arrays(theta, torch), torch.from_numpy(np.ascontiguousarray(w)), self.bases
        first, second = (torch.from_numpy(np.ascontiguousarray(z)) for z in (z0, z1))
        before, now = first[:, :u], second[:, :u]
        memory = self.cell.begin(p, before, now, xp=torch, random=random)
        if self.cell.remembers and second.shape[1] > u:
            known, carried = second[:, -1:] > 0.5, second[:, u:-1].split(self.cell.remembers, -1)
            memory = tuple(torch.where(known, *each) for each in zip(carried, memory, strict=True))
        made = []
        for t in range(2, len(w)):
            z, memory = self.step(
                p, before, now, w=forcing[t], w_before=forcing[t - 1], memory=memory, xp=torch
            )
            before, now = now, z
            made.append(torch.cat([z, *memory, torch.ones(len(z), 1)], -1) if self.cell.remembers else z)
        return torch.stack(made)


class Stepper:
    """A trained network stepped frame by frame in NumPy, as a game would."""

    def __init__(self, network: CellNetwork, theta: Floats) -> None:
        self._network, self._p = network, network.arrays(theta, np)
        self._memory: Memory = ()

    def begin(self, z0: Floats, z1: Floats, w: Floats) -> None:
        """Start from two true states (u,); w (v,): at the second."""
        self._before, self._now, self._w = z0[None], z1[None], w[None]
        self._memory = self._network.cell.begin(self._p, self._before, self._now, xp=np, random=None)

    def step(self, w: Floats) -> Floats:
        """z (u,) at the next frame, whose w (v,) this is."""
        z, self._memory = self._network.step(
            self._p, self._before, self._now, w=w[None], w_before=self._w, memory=self._memory, xp=np
        )
        self._before, self._now, self._w = self._now, z, w[None]
        return np.asarray(z[0])


def with_memory(data: SubspaceData, width: int) -> SubspaceData:
    """States [z, memory (width), whether it is known], which count for nothing but z; z alone for width 0."""
    if not width:
        return data

    def wider(of: Sequences) -> Sequences:
        return replace(of, z=np.pad(of.z, ((0, 0), (0, width + 1))))

    return replace(
        data,
        deviations=np.pad(data.deviations, (0, width + 1)),
        training=wider(data.training),
        validation=wider(data.validation),
    )

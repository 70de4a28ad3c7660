"""One training run of subspace neural physics: Algorithm 1, and its validation rollouts."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from torch import Tensor

from ml_backend.methods.subspace_physics.network import SubspaceNetwork
from ml_backend.methods.subspace_physics.presets import SubspacePreset
from ml_backend.training.subspace_data import SubspaceData
from ml_backend.training.subspace_validation import SubspaceValidation
from ml_backend.training.tensor_files import Tensors
from ml_backend.training.validation_rollouts import ROLLOUT

LARGEST_GRADIENT = 1.0
WARM_UP = 50  # steps until the full learning rate
CARRY_FROM, CARRY_TO = 0.2, 0.5  # shares of the training between which `Preset.carry` is reached


class SubspaceLearner:
    """Algorithm 1 of the paper on windows of the training data."""

    def __init__(
        self, data: SubspaceData, preset: SubspacePreset, fps: float, seed: int, *, device: torch.device
    ) -> None:
        self._preset, self._fps, self._seed, self._device = preset, fps, seed, device
        self.network = SubspaceNetwork(data, preset, seed, device)
        theta = self.network.theta
        self._average = theta.detach().clone()
        self._optimiser = torch.optim.AdamW(
            [theta], lr=preset.learning_rate, weight_decay=preset.weight_decay, amsgrad=True
        )
        self._sequences = data.training
        self._z, self._w = (torch.from_numpy(a).to(device) for a in (data.training.z, data.training.w))
        weights = data.deviations**2
        self._metres = torch.from_numpy(weights / weights.sum()).to(device)
        self._starts: dict[int, Tensor] = {}
        self._ends = torch.from_numpy(data.training.ends).to(device)
        self._carried = Carried(preset.batch, self._z.shape[1], device)
        self._validation = SubspaceValidation(data, device)

    def step(self, number: int, share: float) -> float:
        """One step of AmsGrad on a batch of windows (Holden 2019, Algorithm 1); its loss."""
        preset = self._preset
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + number)
        window = self._window(share)
        frames, z0, z1 = self._begin(share, window, generator)
        z = self._z[frames]
        rolled = self.network.rollout(self.network.theta, z0, z1, self._w[frames])
        self._carried.after(frames[-2], torch.cat([z1[None], rolled.detach()]))
        loss = self.loss(rolled, z, z1)
        self._optimiser.zero_grad()
        loss.backward()
        self._optimiser.param_groups[0]["lr"] = self._learning_rate(number, share)
        torch.nn.utils.clip_grad_norm_([self.network.theta], LARGEST_GRADIENT)
        self._optimiser.step()
        decay = 0.0 if preset.average == 0 else min(1.0 - 1.0 / preset.average, number / (number + 10))
        self._average.lerp_(self.network.theta.detach(), 1.0 - decay)
        return loss.item()

    def validate(self) -> float:
        """See `Learner`."""
        return self._validation.error(partial(self.network.rollout, self._average))

    def weights(self) -> Tensors:
        """See `Learner`."""
        return self.network.tensors(self._average)

    def state(self) -> Tensors:
        """See `Learner`."""
        moments = self._optimiser.state_dict()["state"].get(0, {})
        state = {"theta": self.network.theta.detach(), "average": self._average, **moments}
        state |= {f"carried.{name}": tensor for name, tensor in vars(self._carried).items()}
        return {name: tensor.cpu().numpy().copy() for name, tensor in state.items()}

    def restore(self, state: Tensors) -> None:
        """See `Learner`."""
        tensors = {name: torch.from_numpy(array.copy()) for name, array in state.items()}
        with torch.no_grad():
            self.network.theta.copy_(tensors.pop("theta"))
        self._average.copy_(tensors.pop("average"))
        for name in vars(self._carried):
            setattr(self._carried, name, tensors.pop(f"carried.{name}").to(self._device))
        saved = self._optimiser.state_dict()
        self._optimiser.load_state_dict({**saved, "state": {0: tensors} if tensors else {}})

    def loss(self, rolled: Tensor, z: Tensor, z1: Tensor) -> Tensor:
        """The loss of z_2 .. z_{s-1} (s - 2, n, u), rolled out from z_1 (n, u), where z (s, n, u) is true.

        The preset's loss "paper" is L_pos + L_vel (Holden 2019, Algorithm 1).
        """
        if self._preset.loss == "metres":
            return ((rolled - z[2:]).square().mean((0, 1)) * self._metres).sum()
        velocity = torch.diff(torch.cat([z1[None], rolled]), dim=0) - torch.diff(z[1:], dim=0)
        return (rolled - z[2:]).abs().mean() + velocity.abs().mean() * self._fps

    def _begin(self, share: float, window: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Frames (s, n) of this step's windows, and the two states each starts from (n, u).

        True ones with the noise r_0 and r_1 (Holden 2019, Algorithm 1), or what is carried on.
        """
        preset, held = self._preset, self._carried
        starts = self._window_starts(window)
        picked = starts[torch.randint(len(starts), (preset.batch,), generator=generator)].to(self._device)
        noise = preset.noise * torch.randn(2, preset.batch, self._z.shape[1], generator=generator)
        noise = noise.to(self._device)
        drawn = torch.rand(preset.batch, generator=generator).to(self._device)
        risen = (share - CARRY_FROM) / (CARRY_TO - CARRY_FROM)
        run = torch.searchsorted(self._ends, held.frame, right=True).clamp(max=len(self._ends) - 1)
        fits = (held.frame + window <= self._ends[run]) & (held.age < ROLLOUT)
        goes_on = fits & (drawn < preset.carry * min(1.0, max(0.0, risen)))
        held.age = torch.where(goes_on, held.age, 0)
        first = torch.where(goes_on, held.frame, picked)
        z0 = torch.where(goes_on[:, None], held.before, self._z[first] + noise[0])
        z1 = torch.where(goes_on[:, None], held.now, self._z[first + 1] + noise[1])
        return torch.arange(window, device=self._device)[:, None] + first, z0, z1

    def _window(self, share: float) -> int:
        """Frames per window: growing, since long windows of a poor model teach nothing."""
        preset = self._preset
        grown_by = min(1.0, share / preset.growth) if preset.growth else 1.0
        grown = round(preset.first_window * (preset.window / preset.first_window) ** grown_by)
        return min(grown, int(np.diff(self._sequences.ends, prepend=0).max()))

    def _window_starts(self, window: int) -> Tensor:
        if window not in self._starts:
            self._starts = {window: torch.from_numpy(self._sequences.starts(window))}
        return self._starts[window]

    def _learning_rate(self, number: int, share: float) -> float:
        preset = self._preset
        if preset.decay is not None:
            epochs = number * preset.batch / len(self._z)
            return preset.learning_rate * preset.decay**epochs
        warm = min(1.0, (number + 1) / WARM_UP)
        return preset.learning_rate * warm * 0.5 * (1.0 + np.cos(np.pi * share))


class Carried:
    """Where the last step's windows ended in the model's own prediction, one row for each.

    frame (n,): of the first of the two states; before, now (n, u): the states; age (n,): frames since
    they were true, beyond every rollout's length while there are none.
    """

    def __init__(self, count: int, bases: int, device: torch.device) -> None:
        self.frame = torch.zeros(count, dtype=torch.int64, device=device)
        self.before = torch.zeros(count, bases, device=device)
        self.now = torch.zeros(count, bases, device=device)
        self.age = torch.full((count,), ROLLOUT, device=device)

    def after(self, frame: Tensor, states: Tensor) -> None:
        """Take the last two of z_1 .. z_{s-1} (s - 1, n, u); frame (n,): of the first of them."""
        self.frame, self.before, self.now = frame, states[-2].clone(), states[-1].clone()
        self.age = self.age + len(states) - 1

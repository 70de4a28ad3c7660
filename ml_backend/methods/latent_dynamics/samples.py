"""States that latent dynamics learns to step from: true, noisy, and those the network comes to."""

from __future__ import annotations

import torch
from torch import Tensor

from ml_backend.methods.latent_dynamics.data import LatentData
from ml_backend.methods.latent_dynamics.presets import LatentPreset
from ml_backend.methods.latent_dynamics.step import Integrator, raw_inputs

# Frames t (n,), z_{t-1} and z_{t-2} (n, L).
States = tuple[Tensor, Tensor, Tensor]


class StateSampler:
    """Draws states to take steps from; z (N, L): of all training frames, s (M, v): of all that acts.

    imagined (2, n, L): z of `LatentData.imagined`.
    """

    def __init__(
        self, data: LatentData, z: Tensor, imagined: Tensor, s: Tensor, *, preset: LatentPreset
    ) -> None:
        frames, device = data.training, z.device
        self.z, self._s, self._preset = z, s, preset
        self.steps = torch.from_numpy(frames.steps()).to(device)
        self._acted = torch.from_numpy(data.acting.steps()).to(device)
        self._ends = torch.from_numpy(data.acting.ends).to(device)
        self._spreads = torch.stack([z.std(0), (z[self.steps] - z[self.steps - 1]).std(0)])
        self._now = torch.cat([z[self.steps - 1], imagined[0]])
        self._before = torch.cat([z[self.steps - 2], imagined[1]])
        mixed = preset.mixed and preset.loss != "supervised"  # whose truth is that of one frame
        self._mixed = mixed and data.motion.exact and not data.absolute

    def raw(self, at: Tensor, now: Tensor, before: Tensor) -> Tensor:
        """(n, i), the network's inputs."""
        return raw_inputs(now, before, self._s[at], self._s[at - 1], s_earlier=self._s[at - 2])

    def known(self, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Inputs and latents z_{t-1} of all states there are, which span what a network may come to."""
        at = self.steps
        raw = [self.raw(at, self.z[at - 1], self.z[at - 2])]
        if self._mixed:
            count = max(len(self._acted), len(self._now))
            acted, states = (
                _all_of(n, count, generator).to(at.device) for n in (len(self._acted), len(self._now))
            )
            raw.append(self.raw(self._acted[acted], self._now[states], self._before[states]))
        return torch.cat(raw), torch.cat([self.z, self._now])

    def drawn(self, count: int, network: Integrator, share: float, generator: torch.Generator) -> States:
        """True ones, as many with noise, some that the network carried on.

        share: of the training that is done. In its first half what is carried on goes further and further:
        where a network goes that knows little yet there is nothing to learn.
        """
        preset = self._preset
        at = self._frames(count, generator)
        parts = [(at, self.z[at - 1], self.z[at - 2])]
        if preset.noise or preset.swing:
            parts.append(self._noisy(count, generator))
        if preset.carried:
            furthest = 1 + round((preset.carry_frames - 1) * min(1.0, 2.0 * share))
            parts.append(self._carried(round(preset.carried * count), furthest, network, generator))
        frames, ahead, behind = (torch.cat(each) for each in zip(*parts, strict=True))
        return frames, ahead, behind

    def _noisy(self, count: int, generator: torch.Generator) -> States:
        """States with uniform noise on both latents (Li 2025, eq. 5); with `swing` another one."""
        preset = self._preset
        at, now, before = self._states(count, generator)
        noise = 2.0 * torch.rand(2, *now.shape, generator=generator).to(now.device) - 1.0
        if preset.swing:
            shift = preset.noise * self._spreads[0] * noise[0]
            return at, now + shift, before + shift + preset.swing * self._spreads[1] * noise[1]
        spread = torch.stack([now, before]).std((0, 1))
        return at, now + preset.noise * spread * noise[0], before + preset.noise * spread * noise[1]

    def _carried(self, count: int, furthest: int, network: Integrator, generator: torch.Generator) -> States:
        """Where the network comes to in up to so many frames."""
        at, now, before = self._states(count, generator)
        ages = torch.randint(1, furthest + 1, (count,), generator=generator)
        last = self._ends[torch.searchsorted(self._ends, at, right=True)] - 1
        stop = torch.minimum(at + ages.to(at.device), last)
        with torch.no_grad():
            for _ in range(int((stop - at).max())):
                goes_on = (at < stop)[:, None]
                ahead = network.clipped(network(self.raw(at, now, before)))
                now, before = torch.where(goes_on, ahead, now), torch.where(goes_on, now, before)
                at = torch.where(goes_on[:, 0], at + 1, at)
        return at, now, before

    def _states(self, count: int, generator: torch.Generator) -> States:
        """True ones; where they are mixed, also imagined ones, of other frames: pins may move so from any."""
        if not self._mixed:
            at = self._frames(count, generator)
            return at, self.z[at - 1], self.z[at - 2]
        at = self._acted[
            torch.randint(len(self._acted), (count,), generator=generator).to(self._acted.device)
        ]
        other = half_true(count, len(self.steps), len(self._now), generator).to(at.device)
        return at, self._now[other], self._before[other]

    def _frames(self, count: int, generator: torch.Generator) -> Tensor:
        picked = torch.randint(len(self.steps), (count,), generator=generator)
        return self.steps[picked.to(self.steps.device)]


class Solved:
    """The last so many samples whose steps were solved: inputs, z_t (n, L), and what each counts.

    filled: how many there have been, ever.
    """

    def __init__(self, count: int, inputs: int, latents: int, device: torch.device) -> None:
        self.raw = torch.zeros(count, inputs, device=device)
        self.z = torch.zeros(count, latents, device=device)
        self.weights = torch.zeros(count, device=device)
        self.filled = torch.zeros(1, dtype=torch.int64, device=device)

    def add(self, raw: Tensor, z: Tensor, weights: Tensor) -> None:
        """Add samples in the place of the oldest."""
        places = (self.filled + torch.arange(len(z), device=z.device)) % len(self.z)
        self.raw[places], self.z[places], self.weights[places] = raw, z, weights
        self.filled += len(z)

    def drawn(self, count: int, generator: torch.Generator) -> Tensor:
        """The places of so many of them."""
        there = min(int(self.filled), len(self.z))
        return torch.randint(there, (count,), generator=generator).to(self.z.device)


def half_true(count: int, true: int, every: int, generator: torch.Generator) -> Tensor:
    """(count,): numbers below `every`, of which each second one is below `true`.

    True shapes come first and imagined ones after them: however much is imagined, what was baked is what the
    model is asked for.
    """
    picked = torch.randint(every, (count,), generator=generator)
    picked[::2] = torch.randint(true, (-(-count // 2),), generator=generator)
    return picked


def _all_of(n: int, count: int, generator: torch.Generator) -> Tensor:
    """(count,): the numbers below n in any order, each at least once if count is not less than n."""
    rounds = [torch.randperm(n, generator=generator) for _ in range(-(-count // n))]
    return torch.cat(rounds)[:count]

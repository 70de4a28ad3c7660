"""The integrator of latents and its self-supervised training (Li et al. 2025, section 3.3)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ml_backend.methods.incremental_potential import Step
from ml_backend.methods.latent_autoencoder import LARGEST_GRADIENT, WARM_UP, Autoencoder
from ml_backend.methods.latent_data import Frames, LatentData
from ml_backend.methods.latent_minimum import minimise
from ml_backend.methods.latent_networks import (
    ResidualNetwork,
    load_module,
    load_optimiser,
    module_state,
    optimiser_state,
)
from ml_backend.methods.latent_physics import LatentPhysics, latent_scaling
from ml_backend.methods.latent_presets import LatentPreset
from ml_backend.tensor_files import Tensors

ROLLOUT = 600  # frames of a validation rollout, at most
TILE_EVERY = 150  # frames from the start of one to that of the next
SCALING_FRAMES = 64
STILL = 1e-6  # standard deviation of an input that only rounding moves
SOLVED = 1e-4  # of the energy in what a step changes of the motion: what of it may be left
WIDER = 0.1  # of the range of the training data: how far beyond it z and inputs may go


class Integrator(nn.Module):
    """Equation 3. z_t (n, L) of z_{t-1}, z_{t-2} and of s, what the body reacts to, at three frames.

    The inputs are z_{t-1}, its change, s_t, its change and the change of that (`raw_inputs`), each less its
    mean over the training data and over its deviation. linear: the model of the motion that the network adds
    to where it is residual, by least squares. scaling (L, L): of what the network adds.
    """

    mean: Tensor
    scale: Tensor
    low: Tensor
    high: Tensor
    z_low: Tensor
    z_high: Tensor
    linear: Tensor
    start: Tensor
    scaling: Tensor

    def __init__(
        self, raw: Tensor, target: Tensor, silent: Tensor, scaling: Tensor, preset: LatentPreset
    ) -> None:
        """raw (N, i), target (N, L) z_t: of all training steps. silent (i,): inputs not to be looked at."""
        super().__init__()
        self.latents = target.shape[1]
        mean, spread = raw.mean(0), raw.std(0, unbiased=False)
        still = (spread <= STILL) | silent
        scale = torch.where(still, 0.0, 1.0 / torch.where(still, 1.0, spread))
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        inputs = (raw - mean) * scale
        low, high = inputs.amin(0), inputs.amax(0)
        self.register_buffer("low", low - WIDER * (high - low))
        self.register_buffer("high", high + WIDER * (high - low))
        z_low, z_high = target.amin(0), target.amax(0)
        self.register_buffer("z_low", z_low - WIDER * (z_high - z_low))
        self.register_buffer("z_high", z_high + WIDER * (z_high - z_low))
        linear = torch.zeros(self.latents, raw.shape[1])
        start = target.mean(0)
        if preset.residual:
            linear = _ridge(inputs, target - start).T
        self.register_buffer("linear", linear)
        self.register_buffer("start", start)
        self.register_buffer("scaling", scaling if preset.residual else torch.eye(self.latents))
        self.network = ResidualNetwork(
            raw.shape[1], self.latents, preset.layers, preset.width, normalised=False, quiet=preset.residual
        )

    def forward(self, raw: Tensor) -> Tensor:
        """(n, L), not yet clipped."""
        x = torch.clamp((raw - self.mean) * self.scale, self.low, self.high)
        z: Tensor = self.start + x @ self.linear.T + self.network(x) @ self.scaling.T
        return z

    def clipped(self, z: Tensor) -> Tensor:
        """Within the range of the training data, as Play clips."""
        return torch.minimum(torch.maximum(z, self.z_low), self.z_high)

    def tensors(self) -> Tensors:
        """For the model file; the scaling goes into the network's last layer, the start into its bias."""
        found = self.network.tensors("layers")
        last = f"layers.{len(self.network.hidden)}"
        scaling = self.scaling.cpu().numpy()
        found[f"{last}.weight"] = scaling @ found[f"{last}.weight"]
        found[f"{last}.bias"] = scaling @ found[f"{last}.bias"] + self.start.cpu().numpy()
        names = {"mean": "input_mean", "scale": "input_scale", "low": "input_low", "high": "input_high"}
        names |= {"z_low": "z_low", "z_high": "z_high", "linear": "linear"}
        return found | {name: getattr(self, key).cpu().numpy().copy() for key, name in names.items()}


def raw_inputs(z: Tensor, z_before: Tensor, s: Tensor, s_before: Tensor, s_earlier: Tensor) -> Tensor:
    """(n, i) of z_{t-1}, z_{t-2} (n, L) and s_t, s_{t-1}, s_{t-2} (n, v)."""
    change, before = s - s_before, s_before - s_earlier
    return torch.cat([z, z - z_before, s, change, change - before], 1)


class IntegratorLearner:
    """Equations 4 to 6. See `ml_backend.training.Learner`."""

    def __init__(
        self,
        data: LatentData,
        coder: Autoencoder,
        physics: LatentPhysics,
        stiffness: np.ndarray,
        preset: LatentPreset,
        seed: int,
        device: torch.device,
    ) -> None:
        """stiffness (K, K): see `AutoencoderLearner`. The coder stays as it is, its normalisations too."""
        torch.manual_seed(seed)
        self._preset, self._seed, self._physics, self._coder = preset, seed, physics, coder.eval()
        coder.requires_grad_(False)
        frames = data.training
        self._frames = physics.frames(frames)
        self._s = torch.from_numpy(frames.s.astype(np.float32)).to(device)
        with torch.no_grad():
            self.z = coder.encode(torch.from_numpy(frames.c.astype(np.float32)).to(device))
        self._steps = torch.from_numpy(frames.steps()).to(device)
        self._ends = torch.from_numpy(frames.ends).to(device)
        z, at = self.z, self._steps
        some = torch.linspace(0, len(z) - 1, min(SCALING_FRAMES, len(z))).long()
        scaling = latent_scaling(coder, stiffness + physics.inertia(), z[some])
        raw = self._raw(at, z[at - 1], z[at - 2])
        silent = torch.zeros(raw.shape[1], dtype=torch.bool, device=device)
        if not data.absolute:
            after_s = 2 * z.shape[1] + self._s.shape[1]
            silent[after_s - 3 : after_s] = True
        self.network = Integrator(raw, z[at], silent, scaling, preset).to(device)
        self._parameters = list(self.network.network.parameters())
        self._average = [parameter.detach().clone() for parameter in self._parameters]
        self._optimiser = torch.optim.AdamW(self._parameters, lr=preset.learning_rate, weight_decay=1e-5)
        self._spreads = torch.stack([z.std(0), (z[at] - z[at - 1]).std(0)])
        self._mean_speed = self._find_mean_speed()
        self._to_energy = torch.linalg.inv(scaling)  # z to what has an energy for its square
        self._inverse = scaling @ scaling.T
        jolts = (z[at] - 2.0 * z[at - 1] + z[at - 2]) @ self._to_energy.T
        self._tolerance = SOLVED * float(jolts.square().sum(1).mean())
        kept = preset.memory if preset.loss == "solved" else 0
        self._solved = Solved(kept, raw.shape[1], z.shape[1], device)
        self._validation = LatentValidation(data.validation, coder, device)

    def step(self, number: int, share: float) -> float:
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + number)
        loss = {
            "solved": self._solved_loss,
            "potential": self._potential_loss,
            "supervised": self._true_loss,
        }[self._preset.loss](number, generator)
        self._optimiser.zero_grad()
        loss.backward()
        preset = self._preset
        rate = preset.learning_rate
        if preset.falling:
            rate *= min(1.0, (number + 1) / WARM_UP) * 0.5 * (1.0 + np.cos(np.pi * share))
        self._optimiser.param_groups[0]["lr"] = rate
        torch.nn.utils.clip_grad_norm_(self._parameters, LARGEST_GRADIENT)
        self._optimiser.step()
        decay = 0.0 if preset.average == 0 else min(1.0 - 1.0 / preset.average, number / (number + 10))
        with torch.no_grad():
            for average, parameter in zip(self._average, self._parameters, strict=True):
                average.lerp_(parameter, 1.0 - decay)
        return loss.item()

    def validate(self) -> float:
        with _Swapped(self._parameters, self._average):
            return self._validation.error(self.network)

    def weights(self) -> Tensors:
        with _Swapped(self._parameters, self._average):
            return module_state(self.network, "integrator")

    def state(self) -> Tensors:
        state = module_state(self.network, "integrator") | optimiser_state(self._optimiser, "adam")
        state |= {f"average.{k}": each.cpu().numpy().copy() for k, each in enumerate(self._average)}
        return state | {
            f"solved.{name}": each.cpu().numpy().copy() for name, each in vars(self._solved).items()
        }

    def restore(self, state: Tensors) -> None:
        load_module(self.network, "integrator", state)
        load_optimiser(self._optimiser, "adam", state)
        for k, average in enumerate(self._average):
            average.copy_(torch.from_numpy(state[f"average.{k}"].copy()))
        for name, old in vars(self._solved).items():
            setattr(self._solved, name, torch.from_numpy(state[f"solved.{name}"].copy()).to(old.device))

    def _solved_loss(self, number: int, generator: torch.Generator) -> Tensor:
        """How far the network is from the minima of the potential, as energies to the second order."""
        preset, solved = self._preset, self._solved
        if number % preset.solve_every == 0:
            self._solve(generator)
        picked = solved.drawn(preset.batch, generator)
        away = (self.network(solved.raw[picked]) - solved.z[picked]) @ self._to_energy.T
        return (away.square().sum(1) * solved.weights[picked]).mean()

    def _solve(self, generator: torch.Generator) -> None:
        """Find where the steps of new samples end, in latents, from where the network says."""
        at, now, before = self._samples(self._preset.solved, generator)
        raw = self._raw(at, now, before)
        step, predicted, weights = self._beginning(at, now, before)
        with torch.no_grad():
            guess = self.network.clipped(self.network(raw))

        def energies(z: Tensor, numbers: Tensor) -> Tensor:
            x = self._physics.positions(self._coder.decode(z.float()), self._frames, at[numbers])
            return self._physics.potential(x, step.of(numbers), predicted[numbers])

        z, _ = minimise(energies, guess, self._inverse, self._tolerance, self._preset.evaluations)
        self._solved.add(raw, self.network.clipped(z.float()), weights.float())

    def _potential_loss(self, number: int, generator: torch.Generator) -> Tensor:
        """Equation 4, balanced by equation 6."""
        at, now, before = self._samples(self._preset.batch, generator)
        z = self.network(self._raw(at, now, before))
        step, predicted, weights = self._beginning(at, now, before)
        x = self._physics.positions(self._coder.decode(z), self._frames, at)
        with torch.no_grad():  # no gradient sees it, but whoever looks at the loss does
            still = self._physics.potential(step.before, step, predicted)
        return ((self._physics.potential(x, step, predicted) - still) * weights).mean()

    def _true_loss(self, number: int, generator: torch.Generator) -> Tensor:
        """The square distance from what the solver did (Fig. 8)."""
        at, now, before = self._samples(self._preset.batch, generator)
        away = self.network(self._raw(at, now, before)) - self.z[at]
        return (away / self._spreads[0]).square().mean()

    def _raw(self, at: Tensor, now: Tensor, before: Tensor) -> Tensor:
        return raw_inputs(now, before, self._s[at], self._s[at - 1], self._s[at - 2])

    def _beginning(self, at: Tensor, now: Tensor, before: Tensor) -> tuple[Step, Tensor, Tensor]:
        """The steps to frames (n,) from decoded latents, x^ (n, B, 3), and what each counts (n,), 1/J."""
        physics, decode = self._physics, self._coder.decode
        with torch.no_grad():
            last = physics.positions(decode(now), self._frames, at - 1)
            earlier = physics.positions(decode(before), self._frames, at - 2)
            step = physics.step(last, earlier, self._frames, at)
            return step, physics.potential.predicted(step), self._weights(last, earlier)

    def _samples(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Frames (n,), z_{t-1} and z_{t-2} (n, L): true ones, as many with noise, some carried on."""
        preset = self._preset
        at = self._drawn(count, generator)
        now, before = self.z[at - 1], self.z[at - 2]
        parts = [(at, now, before)]
        if preset.noise or preset.swing:
            noise = 2.0 * torch.rand(2, *now.shape, generator=generator).to(now.device) - 1.0
            if preset.swing:
                shift = preset.noise * self._spreads[0] * noise[0]
                noisy = now + shift, before + shift + preset.swing * self._spreads[1] * noise[1]
            else:
                spread = torch.stack([now, before]).std((0, 1))
                noisy = now + preset.noise * spread * noise[0], before + preset.noise * spread * noise[1]
            parts.append((at, *noisy))
        if preset.carried:
            parts.append(self._carried(round(preset.carried * count), generator))
        frames, ahead, behind = (torch.cat(each) for each in zip(*parts, strict=True))
        return frames, ahead, behind

    def _carried(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """As `_samples`, where the network itself has come to from true states, some frames before."""
        at = self._drawn(count, generator)
        now, before = self.z[at - 1], self.z[at - 2]
        ages = torch.randint(1, self._preset.carry_frames + 1, (count,), generator=generator)
        last = self._ends[torch.searchsorted(self._ends, at, right=True)] - 1
        stop = torch.minimum(at + ages.to(at.device), last)
        with torch.no_grad():
            for _ in range(int((stop - at).max())):
                goes_on = (at < stop)[:, None]
                ahead = self.network.clipped(self.network(self._raw(at, now, before)))
                now, before = torch.where(goes_on, ahead, now), torch.where(goes_on, now, before)
                at = torch.where(goes_on[:, 0], at + 1, at)
        return at, now, before

    def _drawn(self, count: int, generator: torch.Generator) -> Tensor:
        picked = torch.randint(len(self._steps), (count,), generator=generator)
        return self._steps[picked.to(self._steps.device)]

    def _weights(self, last: Tensor, earlier: Tensor) -> Tensor:
        """(n,), 1/J but for a factor: one over each sample's mean speed (eq. 6), or over that of all."""
        if not self._preset.balance:
            return torch.ones(len(last), dtype=last.dtype, device=last.device) / self._mean_speed
        speed = ((last - earlier) / self._physics.dt).norm(dim=-1).mean(1)
        return 1.0 / speed.clamp(min=self._preset.floor * self._mean_speed)

    def _find_mean_speed(self) -> float:
        """m/s, of the vertices over the training data."""
        some = self._steps[:: max(1, len(self._steps) // 500)]
        with torch.no_grad():
            now, before = (
                self._physics.positions(self._coder.decode(self.z[at]), self._frames, at)
                for at in (some, some - 1)
            )
        return max(float(((now - before) / self._physics.dt).norm(dim=-1).mean()), 1e-9)


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
        """In the place of the oldest."""
        places = (self.filled + torch.arange(len(z), device=z.device)) % len(self.z)
        self.raw[places], self.z[places], self.weights[places] = raw, z, weights
        self.filled += len(z)

    def drawn(self, count: int, generator: torch.Generator) -> Tensor:
        """The places of so many of them."""
        there = min(int(self.filled), len(self.z))
        return torch.randint(there, (count,), generator=generator).to(self.z.device)


class _Swapped:
    """Within it, parameters have other values."""

    def __init__(self, parameters: list[nn.Parameter], values: list[Tensor]) -> None:
        self._parameters, self._values = parameters, values

    def __enter__(self) -> None:
        self._own = [parameter.detach().clone() for parameter in self._parameters]
        self._set(self._values)

    def __exit__(self, *_: object) -> None:
        self._set(self._own)

    def _set(self, values: list[Tensor]) -> None:
        with torch.no_grad():
            for parameter, value in zip(self._parameters, values, strict=True):
                parameter.copy_(value)


class LatentValidation:
    """Rollouts over the validation spans as Play would run them: from two true states, clipped."""

    def __init__(self, frames: Frames, coder: Autoencoder, device: torch.device) -> None:
        tiles = [tile for run in frames.runs() for tile in _tiles(run)]
        longest = max(tile.stop - tile.start for tile in tiles)
        at = np.stack([np.minimum(np.arange(t.start, t.start + longest), t.stop - 1) for t in tiles], 1)
        counted = np.stack([np.arange(longest) < t.stop - t.start for t in tiles], 1)[2:]
        self._coder = coder
        self._c = torch.from_numpy(frames.c.astype(np.float32)).to(device)
        self._s = torch.from_numpy(frames.s.astype(np.float32)).to(device)
        self._at = torch.from_numpy(at).to(device)
        self._counted = torch.from_numpy(counted).to(device)
        within = (frames.c**2).sum(1)
        self._beyond = float(frames.beyond[at[2:]][counted].sum())
        self._total = float(within[at[2:]][counted].sum()) + self._beyond

    def error(self, network: Integrator) -> float:
        """The root of the mean square error over all vertices, relative to predicting the mean shape."""
        with torch.no_grad():
            z = self._coder.encode(self._c[self._at[:2].reshape(-1)])
            before, now = z.view(2, self._at.shape[1], -1)
            wrong = 0.0
            for t in range(2, len(self._at)):
                s, s_before, s_earlier = (self._s[self._at[t - k]] for k in range(3))
                raw = raw_inputs(now, before, s, s_before, s_earlier)
                now, before = network.clipped(network(raw)), now
                away = (self._coder.decode(now) - self._c[self._at[t]]).square().sum(1)
                wrong += float((away * self._counted[t - 2]).sum(dtype=torch.float64))
        return float(np.sqrt((wrong + self._beyond) / self._total))


def _tiles(run: slice) -> list[slice]:
    """Overlapping ones: more starts make the measure less a matter of chance."""
    last = max(run.start, run.stop - ROLLOUT)
    return [slice(start, min(start + ROLLOUT, run.stop)) for start in range(run.start, last + 1, TILE_EVERY)]


def _ridge(inputs: Tensor, target: Tensor) -> Tensor:
    """(i, L): least squares, held back a little where the data say little."""
    x, y = inputs.double(), target.double()
    gram = x.T @ x / len(x) + 1e-6 * torch.eye(x.shape[1], dtype=torch.float64, device=x.device)
    return torch.linalg.solve(gram, x.T @ y / len(x)).float()

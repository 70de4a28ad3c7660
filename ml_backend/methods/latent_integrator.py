"""The integrator of latents and its self-supervised training (Li et al. 2025, section 3.3)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ml_backend.methods.latent_autoencoder import LARGEST_GRADIENT, WARM_UP, Autoencoder
from ml_backend.methods.latent_data import Frames, LatentData
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
WIDER = 0.1  # of the range of the training data: how far beyond it z and inputs may go


class Integrator(nn.Module):
    """Equation 3. z_t (n, L) of z_{t-1}, z_{t-2} and of s, what the body reacts to, at three frames.

    The inputs are z_{t-1}, its change, s_t, its change and the change of that (`raw_inputs`), each less its
    mean over the training data and over its deviation. linear: the model of the motion that the network adds
    to where it is residual, by least squares. scaling (L, L): of what the network adds.
    """

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
        """stiffness (K, K): see `AutoencoderLearner`. The coder stays as it is, and so do its normalisations."""
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
        raw = raw_inputs(z[at - 1], z[at - 2], self._s[at], self._s[at - 1], self._s[at - 2])
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
        count = round(preset.carried * preset.batch) if preset.loss == "potential" else 0
        self._carried = Carried(count, z.shape[1], device)
        self._validation = LatentValidation(data.validation, coder, device)

    def step(self, number: int, share: float) -> float:
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + number)
        at, now, before = self._begin(generator)
        raw = raw_inputs(now, before, self._s[at], self._s[at - 1], self._s[at - 2])
        z = self.network(raw)
        loss = self._loss(z, now, before, at)
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
        count = len(self._carried.frame)
        if count:
            ahead = self.network.clipped(z.detach()[-count:])
            self._carried.after(at[-count:], now[-count:], ahead, self._ends, preset.carry_frames)
        return loss.item()

    def validate(self) -> float:
        with self._averaged():
            return self._validation.error(self.network)

    def weights(self) -> Tensors:
        with self._averaged():
            return module_state(self.network, "integrator")

    def state(self) -> Tensors:
        state = module_state(self.network, "integrator") | optimiser_state(self._optimiser, "adam")
        state |= {f"average.{k}": each.cpu().numpy().copy() for k, each in enumerate(self._average)}
        return state | {
            f"carried.{name}": each.cpu().numpy().copy() for name, each in vars(self._carried).items()
        }

    def restore(self, state: Tensors) -> None:
        load_module(self.network, "integrator", state)
        load_optimiser(self._optimiser, "adam", state)
        for k, average in enumerate(self._average):
            average.copy_(torch.from_numpy(state[f"average.{k}"].copy()))
        for name, old in vars(self._carried).items():
            setattr(self._carried, name, torch.from_numpy(state[f"carried.{name}"].copy()).to(old.device))

    def _begin(self, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Frames (n,), z_{t-1} and z_{t-2} (n, L): true ones, the same with noise, and those carried on."""
        preset, device = self._preset, self.z.device
        picked = torch.randint(len(self._steps), (preset.batch,), generator=generator)
        at = self._steps[picked.to(device)]
        now, before = self.z[at - 1], self.z[at - 2]
        parts = [(at, now, before)]
        if preset.noise or preset.swing:
            noise = 2.0 * torch.rand(2, *now.shape, generator=generator).to(device) - 1.0
            if preset.swing:
                shift = preset.noise * self._spreads[0] * noise[0]
                noisy = now + shift, before + shift + preset.swing * self._spreads[1] * noise[1]
            else:
                spread = torch.stack([now, before]).std((0, 1))
                noisy = now + preset.noise * spread * noise[0], before + preset.noise * spread * noise[1]
            parts.append((at, *noisy))
        held = self._carried
        if len(held.frame):
            fresh = held.frame < 0
            anew = self._steps[torch.randint(len(self._steps), fresh.shape, generator=generator).to(device)]
            frame = torch.where(fresh, anew, held.frame)
            parts.append(
                (
                    frame,
                    torch.where(fresh[:, None], self.z[frame - 1], held.now),
                    torch.where(fresh[:, None], self.z[frame - 2], held.before),
                )
            )
        at, now, before = (torch.cat(each) for each in zip(*parts, strict=True))
        return at, now, before

    def _loss(self, z: Tensor, now: Tensor, before: Tensor, at: Tensor) -> Tensor:
        if self._preset.loss == "supervised":
            return ((z - self.z[at]) / self._spreads[0]).square().mean()
        physics, coder = self._physics, self._coder
        with torch.no_grad():
            last = physics.positions(coder.decode(now), self._frames, at - 1)
            earlier = physics.positions(coder.decode(before), self._frames, at - 2)
            step = physics.step(last, earlier, self._frames, at)
            predicted = physics.potential.predicted(step)
            # The energy of the state before is taken off: no gradient sees it, but whoever looks at the loss.
            still = physics.potential(last, step, predicted)
            weights = self._weights(last, earlier)
        energy = physics.potential(physics.positions(coder.decode(z), self._frames, at), step, predicted)
        return ((energy - still) * weights).mean()

    def _weights(self, last: Tensor, earlier: Tensor) -> Tensor:
        """(n,), 1/J: one over each sample's mean speed (eq. 6), or over that of all."""
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

    def _averaged(self) -> _Swapped:
        return _Swapped(self._parameters, self._average)


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


class Carried:
    """Samples that go on from the model's own prediction.

    frame (n,): that comes next, -1 where the sample begins anew from the truth; now, before (n, L): the two
    states before it; age (n,): frames since they were true.
    """

    def __init__(self, count: int, latents: int, device: torch.device) -> None:
        self.frame = torch.full((count,), -1, dtype=torch.int64, device=device)
        self.now = torch.zeros(count, latents, device=device)
        self.before = torch.zeros(count, latents, device=device)
        self.age = torch.zeros(count, dtype=torch.int64, device=device)

    def after(self, frame: Tensor, now: Tensor, ahead: Tensor, ends: Tensor, most: int) -> None:
        """What follows: `ahead` (n, L) is the state at `frame` (n,), `now` the one before."""
        run = torch.searchsorted(ends, frame, right=True)
        begun = self.frame < 0
        self.age = torch.where(begun, 1, self.age + 1)
        # Ages are spread out, as all began together.
        last = (frame + 1 >= ends[run]) | (self.age >= most)
        self.frame = torch.where(last, -1, frame + 1)
        self.now, self.before = ahead, now


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

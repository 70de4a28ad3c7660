"""The network that takes a body's latents one step further (Li et al. 2025, equation 3)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from learning.training.tensor_files import Tensors
from ml_backend.methods.latent_dynamics.networks import ResidualNetwork
from ml_backend.methods.latent_dynamics.presets import LatentPreset

STILL = 1e-6  # standard deviation of an input that only rounding moves
MOST_RATE = 0.998  # of what a step leaves of a motion of the linear model
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
        self, raw: Tensor, z: Tensor, silent: Tensor, scaling: Tensor, *, preset: LatentPreset
    ) -> None:
        """raw (N, i), z (M, L): of all that it will see. silent (i,): inputs not to be looked at."""
        super().__init__()
        self.latents = z.shape[1]
        mean, spread = raw.mean(0), raw.std(0, unbiased=False)
        still = (spread <= STILL) | silent
        scale = torch.where(still, 0.0, 1.0 / torch.where(still, 1.0, spread))
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        inputs = (raw - mean) * scale
        low, high = inputs.amin(0), inputs.amax(0)
        self.register_buffer("low", low - WIDER * (high - low))
        self.register_buffer("high", high + WIDER * (high - low))
        z_low, z_high = z.amin(0), z.amax(0)
        self.register_buffer("z_low", z_low - WIDER * (z_high - z_low))
        self.register_buffer("z_high", z_high + WIDER * (z_high - z_low))
        self.register_buffer("linear", torch.zeros(self.latents, raw.shape[1], device=raw.device))
        self.register_buffer("start", z.mean(0))
        self.register_buffer("scaling", scaling if preset.residual else torch.eye(self.latents))
        self.network = ResidualNetwork(
            raw.shape[1], self.latents, preset.layers, preset.width, normalised=False, quiet=preset.residual
        )

    def forward(self, raw: Tensor) -> Tensor:
        """(n, L), not yet clipped."""
        x = torch.clamp((raw - self.mean) * self.scale, self.low, self.high)
        z: Tensor = self.start + x @ self.linear.T + self.network(x) @ self.scaling.T
        return z

    def fit_linear(self, raw: Tensor, target: Tensor) -> None:
        """Take the linear model from samples: raw (n, i), target z_t (n, L)."""
        x = torch.clamp((raw - self.mean) * self.scale, self.low, self.high)
        self.linear = _ridge(x, target - self.start).T.contiguous()
        self._damp()

    def _damp(self) -> None:
        """Let all motions of the linear model decay, where some of them grow for want of better samples.

        z_t = P z_{t-1} + Q (z_{t-1} - z_{t-2}): with P + Q and Q multiplied by r and r^2 all rates are, by r.
        """
        n, scale = self.latents, self.scale.double()
        p, q = (self.linear.double()[:, k : k + n] * scale[k : k + n] for k in (0, n))
        one = torch.eye(n, dtype=p.dtype, device=p.device)
        companion = torch.cat([torch.cat([p + q, -q], 1), torch.cat([one, torch.zeros_like(one)], 1)])
        r = MOST_RATE / float(torch.linalg.eigvals(companion).abs().max().clamp(min=MOST_RATE))
        damped = r * (p + q) - r**2 * q, r**2 * q
        seen = scale[: 2 * n] > 0.0
        inverse = torch.where(seen, 1.0 / torch.where(seen, scale[: 2 * n], 1.0), 0.0)
        self.linear[:, : 2 * n] = (torch.cat(damped, 1) * inverse).float()

    def clipped(self, z: Tensor) -> Tensor:
        """z clipped to the range of the training data, as Play does it."""
        return torch.minimum(torch.maximum(z, self.z_low), self.z_high)

    def tensors(self) -> Tensors:
        """The model's tensors; the scaling goes into the network's last layer, the start into its bias."""
        found = self.network.tensors("layers")
        last = f"layers.{len(self.network.hidden)}"
        scaling = self.scaling.cpu().numpy()
        found[f"{last}.weight"] = scaling @ found[f"{last}.weight"]
        found[f"{last}.bias"] = scaling @ found[f"{last}.bias"] + self.start.cpu().numpy()
        names = {"mean": "input_mean", "scale": "input_scale", "low": "input_low", "high": "input_high"}
        names |= {"z_low": "z_low", "z_high": "z_high", "linear": "linear"}
        return found | {name: getattr(self, key).cpu().numpy().copy() for key, name in names.items()}


def raw_inputs(z: Tensor, z_before: Tensor, s: Tensor, s_before: Tensor, *, s_earlier: Tensor) -> Tensor:
    """The inputs (n, i) of I (Li 2025, eq. 3): of z_{t-1}, z_{t-2} (n, L), s_t, s_{t-1}, s_{t-2} (n, v)."""
    change, before = s - s_before, s_before - s_earlier
    return torch.cat([z, z - z_before, s, change, change - before], 1)


def _ridge(inputs: Tensor, target: Tensor) -> Tensor:
    """(i, L): least squares, held back a little where the data say little."""
    x, y = inputs.double(), target.double()
    gram = x.T @ x / len(x) + 1e-6 * torch.eye(x.shape[1], dtype=torch.float64, device=x.device)
    return torch.linalg.solve(gram, x.T @ y / len(x)).float()

"""The autoencoder: PCA coefficients of a body to a few latents and back (Li et al. 2025, section 3.2).

The first layer of the encoder and the last of the decoder are PCA bases and stay so: all data lie in them, so
that what the paper trains there the layer next to it can do as well, and no step has to touch a vertex.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from learning.training.tensor_files import Tensors
from learning.training.validation_error import ValidationError
from ml_backend.methods.latent_dynamics.data import LatentData
from ml_backend.methods.latent_dynamics.networks import ResidualNetwork, load_module, module_state
from ml_backend.methods.latent_dynamics.presets import LatentPreset
from ml_backend.methods.latent_dynamics.samples import half_true
from ml_backend.training.learner_state import load_optimiser, optimiser_state

WARM_UP = 50  # steps until the full learning rate
LARGEST_GRADIENT = 1.0


class Autoencoder(nn.Module):
    """E and D. Takes and gives c (n, K), in metres; latents z (n, L) of about unit size.

    scale: m, what c is divided by. shortcut: whether the first L coefficients are handed around the networks,
    each by its own deviation (deviations (K,), m).
    """

    amplitudes: Tensor
    into: Tensor
    back: Tensor

    def __init__(self, deviations: np.ndarray, preset: LatentPreset) -> None:
        super().__init__()
        k, latents = len(deviations), min(preset.latents, len(deviations))
        layers, width = preset.coder_layers, preset.coder_width
        self.encoder = ResidualNetwork(k, latents, layers, width, normalised=True, quiet=preset.shortcut)
        self.decoder = ResidualNetwork(latents, k, layers, width, normalised=True, quiet=preset.shortcut)
        self.scale = float(deviations[0])
        around = np.zeros((latents, k), np.float32)
        if preset.shortcut:
            around[range(latents), range(latents)] = deviations[:latents] / self.scale
        # Each latent moves the decoder's network as far as it moves the body: what hardly moves anything has
        # few frames that show what goes with it.
        share = deviations[:latents] / self.scale if preset.shortcut else np.ones(latents)
        self.register_buffer("amplitudes", torch.from_numpy(share.astype(np.float32)))
        inverse = np.divide(1.0, around, out=np.zeros_like(around), where=around > 0.0)
        self.register_buffer("into", torch.from_numpy(inverse))  # (L, K)
        self.register_buffer("back", torch.from_numpy(around.T.copy()))  # (K, L)

    def encode(self, c: Tensor) -> Tensor:
        """z (n, L): E (Li 2025, eq. 2)."""
        unit = c / self.scale
        z: Tensor = self.encoder(unit) + unit @ self.into.T
        return z

    def decode(self, z: Tensor) -> Tensor:
        """c (n, K), m: D (Li 2025, eq. 2)."""
        unit: Tensor = self.decoder(z * self.amplitudes) + z @ self.back.T
        return unit * self.scale

    def tensors(self) -> Tensors:
        """Both networks for the model file; `scale` is left to whoever writes the bases."""
        found = self.encoder.tensors("encoder") | self.decoder.tensors("decoder")
        found["decoder.0.weight"] = found["decoder.0.weight"] * self.amplitudes.cpu().numpy()
        found["encoder.around"] = self.into.cpu().numpy().copy()
        found["decoder.around"] = self.back.cpu().numpy().copy()
        return found


class AutoencoderLearner:
    """Equation 2, and the elastic energy of what is wrong beside it. See `training.loop.Learner`."""

    def __init__(
        self,
        data: LatentData,
        stiffness: np.ndarray,
        preset: LatentPreset,
        seed: int,
        *,
        device: torch.device,
    ) -> None:
        """stiffness (K, K), J/m^2: the elastic energy's second derivatives by c, about the training data."""
        torch.manual_seed(seed)
        self._preset, self._seed = preset, seed
        training, validation = data.training, data.validation
        shapes, self._true = np.concatenate([training.c, data.imagined[0]]), len(training.c)
        self._c = torch.from_numpy(shapes.astype(np.float32)).to(device)
        self._held_out = torch.from_numpy(validation.c.astype(np.float32)).to(device)
        self._beyond = float(validation.beyond.sum())
        self._total = float((validation.c**2).sum()) + self._beyond
        self.coder = Autoencoder(training.c.std(0), preset).to(device)
        self._elastic = self._elastic_metric(training.c, stiffness, preset.elastic).to(device)
        nearness = (
            torch.eye(len(stiffness), dtype=torch.float64, device=device) / (training.c**2).sum(1).mean()
        )
        self._metric = (nearness + self._elastic).float()
        self._optimiser = torch.optim.AdamW(self.coder.parameters(), lr=preset.coder_rate, weight_decay=1e-4)

    def step(self, number: int, share: float) -> float:
        """One step of AdamW on the reconstruction loss (Li 2025, eq. 2) and the elastic energy; their sum."""
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + number)
        picked = half_true(self._preset.coder_batch, self._true, len(self._c), generator)
        c = self._c[picked.to(self._c.device)]
        self.coder.train()
        away = self.coder.decode(self.coder.encode(c)) - c
        loss = ((away @ self._metric) * away).sum(1).mean()
        self._optimiser.zero_grad()
        loss.backward()
        rate = self._preset.coder_rate
        if self._preset.falling:
            rate *= min(1.0, (number + 1) / WARM_UP) * 0.5 * (1.0 + np.cos(np.pi * share))
        self._optimiser.param_groups[0]["lr"] = rate
        torch.nn.utils.clip_grad_norm_(self.coder.parameters(), LARGEST_GRADIENT)
        self._optimiser.step()
        return loss.item()

    def validate(self) -> ValidationError:
        """The root mean square distance relative to that from the mean shape, and the weighted energy."""
        self.coder.eval()
        with torch.no_grad():
            away = (self.coder.decode(self.coder.encode(self._held_out)) - self._held_out).double()
            wrong = (float(away.square().sum()) + self._beyond) / self._total
            energy = float(((away @ self._elastic) * away).sum(1).mean())
        return ValidationError(float(np.sqrt(wrong + energy)))

    def weights(self) -> Tensors:
        """See `Learner`."""
        return module_state(self.coder, "coder")

    def state(self) -> Tensors:
        """See `Learner`."""
        return module_state(self.coder, "coder") | optimiser_state(self._optimiser, "adam")

    def restore(self, state: Tensors) -> None:
        """See `Learner`."""
        load_module(self.coder, "coder", state)
        load_optimiser(self._optimiser, "adam", state)

    def _elastic_metric(self, c: np.ndarray, stiffness: np.ndarray, weight: float) -> Tensor:
        """(K, K), 1/m^2: energies over what they are, to the second order, of all that moves."""
        energy = float((stiffness * (c.T @ c / len(c))).sum())
        return torch.from_numpy(weight * stiffness / energy if energy > 0.0 else 0.0 * stiffness)

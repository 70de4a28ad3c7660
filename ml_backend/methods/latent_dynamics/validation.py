"""How far rollouts of latent dynamics are off what the solver did."""

from __future__ import annotations

import numpy as np
import torch

from learning.training.validation_rollouts import tiled
from ml_backend.methods.latent_dynamics.autoencoder import Autoencoder
from ml_backend.methods.latent_dynamics.data import Frames
from ml_backend.methods.latent_dynamics.step import Integrator, raw_inputs


class LatentValidation:
    """Rollouts over the validation spans as Play would run them: from two true states, clipped."""

    def __init__(self, frames: Frames, coder: Autoencoder, device: torch.device) -> None:
        at, counts = tiled(frames.runs())
        counted = counts[2:]
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
                raw = raw_inputs(now, before, s, s_before, s_earlier=s_earlier)
                now, before = network.clipped(network(raw)), now
                away = (self._coder.decode(now) - self._c[self._at[t]]).square().sum(1)
                wrong += float((away * self._counted[t - 2]).sum(dtype=torch.float64))
        return float(np.sqrt((wrong + self._beyond) / self._total))

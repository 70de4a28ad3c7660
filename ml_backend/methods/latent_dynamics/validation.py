"""How far rollouts of latent dynamics are off what the solver did."""

from __future__ import annotations

import numpy as np
import torch

from learning.training.validation_error import ValidationError, of_frames
from learning.training.validation_rollouts import tiled
from ml_backend.methods.latent_dynamics.autoencoder import Autoencoder
from ml_backend.methods.latent_dynamics.data import Frames
from ml_backend.methods.latent_dynamics.step import Integrator, raw_inputs


class LatentValidation:
    """Rollouts over the validation spans as Play would run them: from two true states, clipped."""

    def __init__(self, frames: Frames, coder: Autoencoder, device: torch.device, *, vertices: int) -> None:
        """vertices: how many the frames' distances are summed over."""
        at, counts = tiled(frames.runs())
        counted = counts[2:]
        self._coder = coder
        self._c = torch.from_numpy(frames.c.astype(np.float32)).to(device)
        self._s = torch.from_numpy(frames.s.astype(np.float32)).to(device)
        self._at = torch.from_numpy(at).to(device)
        self._counted = counted
        within = (frames.c**2).sum(1)
        self._vertices = vertices
        self._beyond = frames.beyond[at[2:]]
        self._total = float((within[at[2:]] + self._beyond)[counted].mean())

    def error(self, network: Integrator) -> ValidationError:
        """Over all vertices of the body, relative to predicting the mean shape."""
        with torch.no_grad():
            z = self._coder.encode(self._c[self._at[:2].reshape(-1)])
            before, now = z.view(2, self._at.shape[1], -1)
            squares = []
            for t in range(2, len(self._at)):
                s, s_before, s_earlier = (self._s[self._at[t - k]] for k in range(3))
                raw = raw_inputs(now, before, s, s_before, s_earlier=s_earlier)
                now, before = network.clipped(network(raw)), now
                away = (self._coder.decode(now) - self._c[self._at[t]]).square().sum(1)
                squares.append((away.double().cpu().numpy() + self._beyond[t - 2])[self._counted[t - 2]])
        floor = float(np.sqrt(self._beyond[self._counted].mean() / max(self._total, 1e-30)))
        return of_frames(np.concatenate(squares) / self._vertices, self._total / self._vertices, floor)

"""The linear model that the integrator adds to, of motions whose rates are known."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ml_backend.methods.latent_dynamics.presets import LatentPreset
from ml_backend.methods.latent_dynamics.step import Integrator, raw_inputs

pytestmark = pytest.mark.torch


def fitted(rate, turn=0.4, force=0.3):
    """Of two latents that go round by `turn` a frame and grow by `rate`, the first pushed by s."""
    generator = torch.Generator().manual_seed(0)
    z, before = torch.randn(2, 400, 2, generator=generator).double()
    s = torch.randn(400, 1, generator=generator).double()
    push = torch.tensor([[force, 0.0]]).double()
    target = 2.0 * rate * np.cos(turn) * z - rate**2 * before + s @ push
    raw = raw_inputs(z, before, s, s, s_earlier=s)
    preset = LatentPreset(layers=2, width=4)
    silent = torch.zeros(raw.shape[1], dtype=torch.bool)
    network = Integrator(raw.float(), target.float(), silent, torch.zeros(2, 2), preset=preset)
    network.fit_linear(raw.float(), target.float())
    return network


def moving_after(network, frames):
    """How far a latent still goes in a frame after so many of them from 1, with nothing pushing."""
    z, before = torch.ones(1, 2), torch.ones(1, 2)
    s = torch.zeros(1, 1)
    with torch.no_grad():
        for _ in range(frames):
            z, before = network(raw_inputs(z, before, s, s, s_earlier=s)), z
    return float((z - before).abs().max())


def test_what_decays_is_learned_as_it_is():
    network = fitted(0.95)
    z, before, s = torch.tensor([[0.3, -0.2]]), torch.tensor([[0.1, 0.4]]), torch.tensor([[0.5]])
    with torch.no_grad():
        found = network(raw_inputs(z, before, s, s, s_earlier=s))
    expected = 2.0 * 0.95 * np.cos(0.4) * z - 0.95**2 * before + torch.tensor([[0.15, 0.0]])
    assert found.numpy() == pytest.approx(expected.numpy(), abs=1e-3)


def test_what_grows_is_made_to_decay():
    network = fitted(1.2)
    assert 0.05 < moving_after(network, 100) < 3.0  # 1.2 ** 100 is 8e7
    assert moving_after(network, 3000) < 0.01

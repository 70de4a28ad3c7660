"""How stiff a body is along its latents, against differences of what a decoder makes of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ml_backend.methods.latent_dynamics.autoencoder import Autoencoder
from ml_backend.methods.latent_dynamics.presets import LatentPreset
from ml_backend.methods.latent_dynamics.stiffness import Stiffness, in_latents, scaling_of

pytestmark = pytest.mark.torch
K, SHAPES = 6, 4


@pytest.fixture
def coder():
    torch.manual_seed(0)
    preset = LatentPreset(latents=3, coder_layers=3, coder_width=16, shortcut=True)
    made = Autoencoder(np.linspace(0.6, 0.1, K), preset)
    for parameter in made.decoder.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return made.eval()


def positive(rng):
    root = rng.normal(size=(SHAPES, K, K))
    return root @ root.swapaxes(1, 2)


def test_each_shape_s_stiffness_is_seen_along_the_latents_there(coder):
    rng = np.random.default_rng(1)
    stiffness, inertia = Stiffness(0.2 * rng.normal(size=(SHAPES, K)), positive(rng)), positive(rng)[0]
    found = in_latents(coder, stiffness, inertia)
    h = 1e-3
    with torch.no_grad():
        z = coder.encode(torch.from_numpy(stiffness.c.astype(np.float32)))
        for k in range(SHAPES):
            steps = h * torch.eye(3)
            slopes = (coder.decode(z[k] + steps) - coder.decode(z[k] - steps)).double().T / (2 * h)
            expected = slopes.T @ torch.from_numpy(stiffness.each[k] + inertia) @ slopes
            assert torch.allclose(found[k], expected, rtol=2e-2, atol=2e-2 * float(expected.abs().max()))


def test_scaled_latents_have_their_square_for_an_energy_on_average():
    rng = np.random.default_rng(2)
    hessians = torch.from_numpy(positive(rng))
    scaling = scaling_of(hessians).double()
    noise = torch.from_numpy(rng.normal(size=(20_000, K))) @ scaling.T
    energies = torch.einsum("ni,mij,nj->nm", noise, hessians, noise).mean(1)
    assert float(energies.mean()) == pytest.approx(K, rel=0.05)
    assert torch.allclose(
        scaling.T @ hessians.mean(0) @ scaling, torch.eye(K, dtype=torch.float64), atol=1e-4
    )

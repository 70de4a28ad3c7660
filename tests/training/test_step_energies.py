"""The potential of steps by coefficients alone, against that of the positions they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from swinging_strips import FPS, bake, silent, strip

from ml_backend.methods.incremental_potential import IncrementalPotential
from ml_backend.methods.latent_data import of_body, prepare
from ml_backend.methods.latent_physics import LatentPhysics, StepEnergies
from ml_backend.spans import split
from neural_physics.reporting import StopRequest

pytestmark = pytest.mark.torch
CPU = torch.device("cpu")


@pytest.mark.parametrize("stretched", [False, True])
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_in_axes_that_turn_and_stretch_it_is_the_potential_of_the_positions(tmp_path, damping, stretched):
    dataset = bake(tmp_path, strip(damping=damping), 80, ("training",), turning=True)
    data = prepare(*map(of_body, split(dataset)), dataset, dataset.body, 12, CPU, silent, StopRequest())
    potential = IncrementalPotential(dataset.body, 1 / FPS, 1.225, 1e3, None, CPU)
    physics = LatentPhysics(data, dataset.body, potential, 1 / FPS, CPU)
    stretch = np.diag([1.3, 0.8, 1.1, 1.0] if stretched else np.ones(4))
    frames = physics.frames(replace(data.training, world=data.training.world @ stretch))
    at, generator = torch.arange(5, 15), torch.Generator().manual_seed(0)
    truth = torch.from_numpy(data.training.c)
    c = truth[at] + 0.02 * torch.randn(10, 12, generator=generator).double()
    energies = StepEnergies(physics, truth[at - 1], truth[at - 2], frames, at)
    expected = potential(physics.positions(c, frames, at), energies.step)
    assert energies(c).numpy() == pytest.approx(expected.numpy(), rel=1e-9)
    some = torch.tensor([7, 2])
    assert energies(c[some], some).numpy() == pytest.approx(expected[some].numpy(), rel=1e-9)

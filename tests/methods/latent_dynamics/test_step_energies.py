"""The potential of steps by coefficients alone, against that of the positions they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from swinging_strips import FPS, bake, silent, strip

from learning.training.spans import split
from ml_backend.methods.latent_dynamics.data import of_body, prepare
from ml_backend.methods.latent_dynamics.physics import LatentPhysics
from ml_backend.methods.latent_dynamics.potential.incremental_potential import IncrementalPotential
from ml_backend.methods.latent_dynamics.step_energies import StepEnergies
from neural_physics.jobs.events import StopRequest

pytestmark = pytest.mark.torch
CPU = torch.device("cpu")


def baked(folder, **settings):
    """What a swinging strip of 12 bases and its physics are like."""
    dataset = bake(folder, strip(**settings), 80, ("training",), turning=True)
    data = prepare(
        *map(of_body, split(dataset)),
        dataset,
        dataset.body,
        bases=12,
        emit=silent,
        stop=StopRequest(),
    )
    potential = IncrementalPotential(dataset.body, 1 / FPS, 1.225, 1e3, contact=None, device=CPU)
    return data, potential, LatentPhysics(data, dataset.body, potential, 1 / FPS, device=CPU)


@pytest.mark.parametrize("stretched", [False, True])
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_in_axes_that_turn_and_stretch_it_is_the_potential_of_the_positions(tmp_path, damping, stretched):
    data, potential, physics = baked(tmp_path, damping=damping)
    stretch = np.diag([1.3, 0.8, 1.1, 1.0] if stretched else np.ones(4))
    frames = physics.frames(replace(data.training, world=data.training.world @ stretch))
    at, generator = torch.arange(5, 15), torch.Generator().manual_seed(0)
    truth = torch.from_numpy(data.training.c)
    c = truth[at] + 0.02 * torch.randn(10, 12, generator=generator).double()
    energies = StepEnergies(physics, truth[at - 1], truth[at - 2], frames, at=at)
    expected = potential(physics.positions(c, frames, at), energies.step)
    assert energies(c).numpy() == pytest.approx(expected.numpy(), rel=1e-9)
    some = torch.tensor([7, 2])
    assert energies(c[some], some).numpy() == pytest.approx(expected[some].numpy(), rel=1e-9)


def test_the_stiffness_near_a_shape_is_the_energy_s_second_derivative_there(tmp_path):
    data, _, physics = baked(tmp_path)
    stiffness, frames = physics.stiffness(data, 0), physics.frames(data.training)
    numbers = [0, 7, 20]
    for number in numbers:
        c = torch.from_numpy(stiffness.c[number])
        at = torch.from_numpy(np.flatnonzero((data.training.c == stiffness.c[number]).all(1))[:1])
        exact = torch.autograd.functional.hessian(
            lambda c, at=at: physics.elastic_energies(c[None], frames, at)[0], c
        )
        assert stiffness.each[number] == pytest.approx(exact.numpy(), abs=1e-3 * float(exact.abs().max()))
    near = torch.from_numpy(stiffness.c[numbers] + 1e-6)
    assert stiffness.nearest(near).tolist() == numbers
    inertia = physics.inertia()
    for matrix in stiffness.with_inertia(inertia).numpy():
        assert np.linalg.eigvalsh(matrix).min() > 0.99 * np.linalg.eigvalsh(inertia).min()

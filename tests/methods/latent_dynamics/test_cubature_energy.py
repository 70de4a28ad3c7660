"""A few elements that stand for all: their forces along smooth shapes against those of the whole body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from bake_requests import cloth, cuboid, grid, jelly, request
from swinging_strips import straight, strands

from ml_backend.methods.latent_dynamics import cubature_energy
from ml_backend.methods.latent_dynamics.cubature_energy import fit_cubature_energy, whitened
from ml_backend.methods.latent_dynamics.potential.body_energy import BodyEnergy
from ml_backend.simulation.bodies import make_body

pytestmark = pytest.mark.torch
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def block():
    return make_body(
        request(jelly(steps=1, filling="cage", tetrahedra=1200), cuboid((-0.2, -0.2, 0.2), (0.2, 0.2, 1.0)))
    )


def tuft(one):
    """60 strands side by side."""
    places = np.arange(60)[:, None, None] * np.array([0.0, 0.01, 0.0])
    count = len(one.rest_positions)
    points = (one.rest_positions + places).reshape(-1, 3)
    edges = np.concatenate([one.edges + count * k for k in range(60)])
    pins = np.concatenate([one.pins + count * k for k in range(60)])
    return make_body(replace(one, rest_positions=points, edges=edges, pins=pins))


def sheet():
    return make_body(request(cloth(steps=1, bending=1e-3), grid((24, 24), (1.0, 1.0)), pins=[0]))


def smooth(body, count, seed, size=0.03):
    """(K, B, 3) shapes that polynomials of the second degree make, and (count, B, 3) random sums of them."""
    x = (body.rest_positions - body.rest_positions.mean(0)) / np.ptp(body.rest_positions, axis=0).max()
    terms = np.stack([x[:, 0], x[:, 1], x[:, 2], x[:, 0] * x[:, 2], x[:, 1] ** 2, x[:, 0] ** 2])
    basis = np.einsum("kb,de->kdbe", terms, np.eye(3)).reshape(-1, len(x), 3)
    sums = np.random.default_rng(seed).normal(0.0, size, (count, len(basis)))
    return basis, body.rest_positions + np.tensordot(sums, basis, 1)


def along(energy, basis, shapes):
    """(n, K): the slopes of an energy, J/m."""
    x = torch.from_numpy(shapes).requires_grad_()
    (slope,) = torch.autograd.grad(energy(x).sum(), x)
    return np.einsum("nbd,kbd->nk", slope.numpy(), basis)


def error(body, most, part=None):
    """Of the forces in shapes that nothing was fitted to; part: of one of its parts alone."""
    basis, shapes = smooth(body, 48, 1)
    energy = BodyEnergy(body, CPU)
    if part is not None:
        energy.parts = [energy.parts[part]]
    cubature = fit_cubature_energy(energy, basis, shapes, most, seed=0)
    assert cubature is not None and cubature.element_count <= most * len(energy.parts)
    unseen = smooth(body, 20, 2)[1]
    true = along(energy, basis, unseen)
    wrong = along(cubature, basis[:, cubature.vertices], unseen[:, cubature.vertices]) - true
    return np.linalg.norm(wrong) / np.linalg.norm(true)


def test_few_tetrahedra_push_as_all_do_along_smooth_shapes(block):
    assert len(block.elements) > 800
    assert error(block, 200) < 0.03
    assert error(block, 200) < 0.5 * error(block, 30)


def test_of_more_elements_than_fit_into_memory_some_are_looked_at(block, monkeypatch):
    monkeypatch.setattr(cubature_energy, "CANDIDATES", 600)
    monkeypatch.setattr(cubature_energy, "CHUNK", 700)
    assert error(block, 200) < 0.04


def test_along_many_directions_sums_of_them_are_compared(block, monkeypatch):
    monkeypatch.setattr(cubature_energy, "DIRECTIONS", 9)
    assert error(block, 200) < 0.05


@pytest.mark.parametrize("part", [0, 1])
def test_few_triangles_stretch_and_few_hinges_bend_as_all_do(part):
    assert error(sheet(), 150, part) < 0.03


@pytest.mark.parametrize("part", [0, 1])
def test_few_edges_stretch_and_few_joints_bend_as_those_of_all_strands_do(part):
    assert error(tuft(straight()), 100, part) < 0.03


def test_what_would_hardly_be_less_and_what_is_curved_stays_whole(block):
    line = np.linspace(0.0, 1.0, 9)
    curved = tuft(strands(np.stack([line, 0.05 * line**2, 0.0 * line], 1)))
    for body, most in ((block, len(block.elements)), (tuft(straight()), 250), (curved, 10)):
        assert fit_cubature_energy(BodyEnergy(body, CPU), *smooth(body, 48, 1), most, seed=0) is None


def test_along_directions_that_are_alike_the_energy_rises_alike():
    rng = np.random.default_rng(0)
    basis, root = rng.normal(size=(4, 7, 3)), rng.normal(size=(4, 4))
    metric = root @ root.T + 0.1 * np.eye(4)
    parts = np.linalg.lstsq(basis.reshape(4, -1).T, whitened(basis, metric).reshape(4, -1).T, rcond=None)[0].T
    assert parts @ metric @ parts.T == pytest.approx(np.eye(4), abs=1e-9)

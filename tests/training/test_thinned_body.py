"""A few elements that stand for all: their forces along smooth shapes against those of the whole body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from bake_requests import cuboid, jelly, request
from swinging_strips import sheet, straight

from ml_backend.methods import thinned_body
from ml_backend.methods.body_energy import BodyEnergy
from ml_backend.methods.thinned_body import thinned
from ml_backend.simulation.bodies import make_body
from ml_backend.simulation.strands import strands_of_edges

pytestmark = pytest.mark.torch
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def block():
    return make_body(request(jelly(steps=1, tetrahedra=2500), cuboid((-0.2, -0.2, 0.2), (0.2, 0.2, 1.0))))


@pytest.fixture(scope="module")
def tuft():
    """60 strands side by side."""
    one = straight()
    places = np.arange(60)[:, None, None] * np.array([0.0, 0.01, 0.0])
    points = (one.rest_positions + places).reshape(-1, 3)
    edges = np.concatenate([one.edges + 9 * k for k in range(60)])
    pins = np.concatenate([one.pins + 9 * k for k in range(60)])
    return make_body(replace(one, rest_positions=points, edges=edges, pins=pins))


def smooth(body, count, seed, size=0.03):
    """(K, B, 3) shapes that polynomials of the second degree make, and (count, B, 3) random sums of them."""
    x = (body.rest_positions - body.rest_positions.mean(0)) / np.ptp(body.rest_positions, axis=0).max()
    terms = np.stack([x[:, 0], x[:, 1], x[:, 2], x[:, 0] * x[:, 2], x[:, 2] ** 2, x[:, 0] ** 2])
    basis = np.einsum("kb,de->kdbe", terms, np.eye(3)).reshape(-1, len(x), 3)
    sums = np.random.default_rng(seed).normal(0.0, size, (count, len(basis)))
    return basis, body.rest_positions + np.tensordot(sums, basis, 1)


def along(body, basis, shapes):
    """(n, K): the slopes of the elastic energy, J/m."""
    x = torch.from_numpy(shapes).requires_grad_()
    (slope,) = torch.autograd.grad(BodyEnergy(body, CPU)(x).sum(), x)
    return np.einsum("nbd,kbd->nk", slope.numpy(), basis)


def error(body, most, seed=0):
    """Of the forces in shapes that nothing was fitted to."""
    basis, shapes = smooth(body, 40, 1)
    thin = thinned(body, basis, shapes, most, seed)
    assert thin is not None and len(thin.body.elements) <= most
    unseen = smooth(body, 20, 2)[1]
    true = along(body, basis, unseen)
    wrong = along(thin.body, basis[:, thin.vertices], unseen[:, thin.vertices]) - true
    return np.linalg.norm(wrong) / np.linalg.norm(true)


def test_few_tetrahedra_push_as_all_do_along_smooth_shapes(block):
    assert len(block.elements) > 1500
    assert error(block, 200) < 0.03
    assert error(block, 200) < 0.5 * error(block, 30)


def test_of_more_elements_than_fit_into_memory_some_are_looked_at(block, monkeypatch):
    monkeypatch.setattr(thinned_body, "CANDIDATES", 600)
    assert error(block, 200) < 0.04


def test_strands_are_taken_whole(tuft):
    basis, shapes = smooth(tuft, 40, 1)
    thin = thinned(tuft, basis, shapes, 200, 0)
    places = strands_of_edges(thin.body.elements).places
    assert len(thin.body.elements) == len(places) == 8 * (places == 0).sum()
    assert error(tuft, 200) < 0.03


def test_what_would_hardly_be_less_stays_whole(block, tuft):
    for body, most in ((block, len(block.elements)), (tuft, 250), (make_body(sheet()), 2)):
        assert thinned(body, *smooth(body, 4, 1), most, 0) is None

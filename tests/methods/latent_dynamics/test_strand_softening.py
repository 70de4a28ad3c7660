"""Strands as latent dynamics learns from them: no stiffer along themselves than their own weight needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from swinging_strips import sheet, straight, strands

from ml_backend.methods.latent_dynamics.potential.strand_softening import softened
from ml_backend.simulation.bodies import make_body

pytestmark = pytest.mark.torch
RADIUS, DENSITY, LENGTH = 5e-3, 300.0, 0.4


def test_a_strand_gives_by_the_share_that_its_whole_weight_stretches_it():
    """Weight of a cylinder over E A."""
    body = make_body(straight())
    weight = 9.81 * DENSITY * np.pi * RADIUS**2 * LENGTH
    soft = softened(body, 0.02)
    assert weight / soft.moduli[:, 0] == pytest.approx(np.full(8, 0.02), rel=1e-6)
    assert np.array_equal(soft.moduli[:, 1:], body.moduli[:, 1:])
    assert np.array_equal(soft.masses, body.masses)


def test_what_is_softer_and_what_is_no_strand_stays_as_it_is():
    body = make_body(straight(young=500.0, shear=200.0))
    assert np.array_equal(softened(body, 0.02).moduli, body.moduli)
    stiff = make_body(straight())
    assert np.array_equal(softened(stiff, 0.0).moduli, stiff.moduli)
    cloth = make_body(sheet())
    assert softened(cloth, 0.02) is cloth


def test_each_strand_is_as_soft_as_its_own_weight_needs():
    line = np.linspace(0.0, 1.0, 5)[:, None] * np.array([1.0, 0.0, 0.0])
    asked = strands(np.concatenate([line, 0.5 * line + [0.0, 1.0, 0.0]]), young=1e9)
    asked = replace(asked, edges=np.delete(asked.edges, 4, axis=0))
    stiffness = softened(make_body(asked), 0.02).moduli[:, 0]
    assert stiffness[:4] == pytest.approx(2.0 * stiffness[4:], rel=1e-6)

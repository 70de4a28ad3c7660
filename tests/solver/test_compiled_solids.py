"""What the library in C says of elements is what NumPy says, near rest, far from it and inside out."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")
from test_solid_term import every_dimension, every_energy, random_mesh

from neural_physics.energies.solids.lame import lame_parameters
from neural_physics.native.finding import library_path
from neural_physics.solver.terms import solids
from neural_physics.solver.terms.solids import SolidTerm

pytestmark = pytest.mark.skipif(library_path("v2") is None, reason="in C it is for Linux on x86-64 alone")


@every_dimension
@every_energy
@pytest.mark.parametrize("size", [0.0, 1e-7, 0.05, 1.0, 30.0])
def test_energies_forces_and_stiffness_are_the_same(monkeypatch, energy, d, size):
    points, elements, _ = random_mesh(d)
    random = np.random.default_rng(8)
    moduli = lame_parameters(
        random.uniform(1e3, 1e5, len(elements)), random.uniform(0.1, 0.45, len(elements))
    )
    ours = SolidTerm(points, elements, energy, moduli)
    monkeypatch.setattr(solids, "library_here", lambda: None)
    plain = SolidTerm(points, elements, energy, moduli)
    assert ours._compiled is not None and plain._compiled is None
    turn = np.linalg.qr(random.normal(size=(d, d)))[0]
    turn[:, 0] *= np.linalg.det(turn)  # mirrored, corotational elements are on a ridge
    q = np.append((points @ turn.T + size * random.normal(size=points.shape)).ravel(), [7.0, 8.0])
    for name in ("value", "gradient", "hessian", "exact_hessian"):
        found, expected = getattr(ours, name)(q), getattr(plain, name)(q)
        of = max(np.abs(expected).max(), 1.0)  # what a strain of 0.001 gives, or so
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-9 * of), name

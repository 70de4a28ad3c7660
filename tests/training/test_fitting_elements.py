"""Which elements stand for all, and with what weights."""

from __future__ import annotations

import numpy as np

from ml_backend.training.cubature import fit_elements


def test_elements_that_do_nothing_but_rounding_are_not_chosen():
    """As those between pinned vertices: one came with a weight of 1e17, with which no model can be read."""
    random = np.random.default_rng(3)
    modes = random.normal(size=(5, 12, 4))
    forces = np.einsum("tk,kmc->tmc", random.normal(size=(30, 5)), modes)
    idle = 1e-17 * random.normal(size=(30, 6, 4))
    chosen = fit_elements(np.concatenate([forces, idle], axis=1), 14)
    assert chosen.elements.max() < 12 and chosen.error < 1e-6
    assert chosen.weights.max() < 100.0

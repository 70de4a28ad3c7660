"""Shapes at rest of which the handles' state is held: against another minimisation, and what stays."""

from __future__ import annotations

import numpy as np
import pytest
from handle_blocks import block, handles_of, placed, surface_of, whole
from scipy.optimize import minimize

from ml_backend.methods.contact_corrections.statics import Statics
from neural_physics.energies.colliders.sphere import Sphere

DOWN = np.array([0.0, 0.0, -9.81])
PINS = (0, 1, 2, 3)


@pytest.fixture(scope="module")
def held():
    body = block(pins=PINS, tetrahedra=60, young=4e4)
    handles = handles_of(body, 6)
    return body, handles, Statics(body, handles, DOWN)


def bent(handles, amount=0.05):
    q = handles.rest.copy()
    q[: handles.free] += amount * np.random.default_rng(3).normal(size=(handles.free, 3))
    return q


def test_it_is_the_least_energy_of_all_shapes_with_that_state(held):
    """Against SciPy's minimisation over the null space of what is held."""
    body, handles, statics = held
    start = handles.positions(bent(handles))
    contact = surface_of(body, (Sphere(0.15),), 2e4, 2e-3).contact
    beside = placed([start[:, 0].max() + 0.08, 0.0, 0.15])
    found, settled = statics.rest(start, contact, beside)
    elastic = whole(body)
    constraint = statics.held
    space = np.linalg.svd(constraint, full_matrices=True)[0][:, constraint.shape[1] :]

    def shape(u):
        x = start.ravel().copy()
        x[statics.free] += space @ u
        return x.reshape(-1, 3)

    def energy(u):
        x = shape(u)
        short = contact.pressed(x, beside)[1]
        weight = 9.81 * body.masses @ x[:, 2]
        return float(elastic.energies(x).sum() + weight + 0.5 * contact.stiffness * short @ short)

    best = minimize(energy, np.zeros(space.shape[1]), method="BFGS", options={"maxiter": 400, "gtol": 1e-3})
    here = energy(space.T @ (found - start).ravel()[statics.free])
    assert settled
    assert here <= best.fun + 1e-3 * abs(energy(np.zeros(space.shape[1])) - best.fun)
    assert energy(np.zeros(space.shape[1])) - here > 0.1  # J: there was something to find


def test_the_state_and_the_pins_stay(held):
    body, handles, statics = held
    q = bent(handles)
    start = handles.positions(q)
    np.testing.assert_allclose(statics.project(start, q[handles.free :]), q[: handles.free], atol=1e-10)
    found, _ = statics.rest(start, surface_of(body).contact, placed())
    assert np.abs(found - start).max() > 1e-3
    np.testing.assert_allclose(statics.project(found, q[handles.free :]), q[: handles.free], atol=1e-9)
    np.testing.assert_array_equal(found[body.pinned], start[body.pinned])


def test_a_body_that_nothing_holds_has_shapes_at_rest_too():
    body = block(tetrahedra=60)
    handles = handles_of(body, 6)
    statics = Statics(body, handles, DOWN)
    found, settled = statics.rest(body.rest_positions.copy(), surface_of(body).contact, placed())
    assert settled
    # It falls, but as a whole: that is held, and no weight is felt.
    np.testing.assert_allclose(found, body.rest_positions, atol=1e-4)

"""Solids that are softer in some places: against the closed form of a bar of two materials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bake_requests import jelly, request
from flat_meshes import polygon

from ml_backend.simulation.bodies import made_of, make_body
from ml_backend.simulation.elasticity import elastic_parts
from neural_physics.datasets.simulation_request import SimulationRequest, SimulationSettings
from neural_physics.solver.implicit_euler import equilibrium
from neural_physics.solver.system import System, gravity

YOUNG, SOFTEST, DENSITY = 1e7, 0.1, 1000.0
STEPS = np.arange(0.025, 1.0, 0.05)  # so that the materials meet halfway between two vertices


def hanging(softer):
    """A bar of 1 m by 0.1 m that hangs by its top, y being 0; softer below the middle."""
    left, right = [(-0.05, -y) for y in STEPS], [(0.05, -y) for y in STEPS[::-1]]
    outline = [(0.05, 0.0), (-0.05, 0.0), *left, (-0.05, -1.0), (0.05, -1.0), *right]
    settings = jelly(young=YOUNG, poisson=0.0, density=DENSITY, tetrahedra=1200, softest=SOFTEST)
    asked = request(settings, polygon(outline), pins=[0, 1])
    below = asked.rest_positions @ [0.0, 0.0, 1.0] < -0.5
    return replace(asked, softness=below.astype(float)) if softer else asked


def sag(body):
    """How far its end goes down, m."""
    parts = elastic_parts(body)
    down = body.coordinates.along(np.array([0.0, 0.0, -1.0]))
    weight = gravity(parts.masses, 9.81 * down)
    system = System(parts.masses, parts.terms, parts.free, force=weight, solid=False)
    found = equilibrium(system, parts.rest.copy(), 1e-9)
    assert found.converged
    end = body.rest_positions[:, 2] < -1.0 + 1e-6
    return float(((found.q - parts.rest).reshape(-1, 2)[end] @ down).mean())


@pytest.mark.parametrize("softer", [False, True])
def test_a_bar_of_two_materials_sags_as_its_closed_form_says(softer):
    """The integral of density g (1 - x) / E(x), for each metre of its cross-section's height."""
    below = 0.125 / (SOFTEST if softer else 1.0)
    expected = DENSITY * 9.81 / YOUNG * (0.375 + below)
    assert sag(make_body(hanging(softer))) == pytest.approx(expected, rel=0.04)


def test_a_body_is_made_of_its_softness_too():
    asked = hanging(softer=True)
    body = make_body(asked)
    assert made_of(body, asked)
    assert not made_of(body, replace(asked, softness=1.0 - asked.softness))
    assert not made_of(body, replace(asked, softness=np.empty(0)))


def test_the_request_keeps_it_and_one_of_before_there_was_any_has_none(tmp_path):
    asked = hanging(softer=True)
    asked.write(tmp_path / "request.npz")
    assert np.array_equal(SimulationRequest.read(tmp_path / "request.npz").softness, asked.softness)
    with np.load(tmp_path / "request.npz") as arrays:
        kept = {name: arrays[name] for name in arrays.files if name != "softness"}
    np.savez(tmp_path / "old.npz", **kept)
    assert len(SimulationRequest.read(tmp_path / "old.npz").softness) == 0
    with pytest.raises(ValueError, match="softest"):
        SimulationSettings.from_json({"kind": "solid", "softest": 0.0})

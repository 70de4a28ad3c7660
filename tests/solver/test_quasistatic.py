"""Resting shapes against a closed form, finite differences, and what must hold whatever the shape."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from meshes import block
from scipy.spatial.transform import Rotation

from neural_physics.energies.solids import stable_neo_hookean
from neural_physics.energies.solids.lame import lame_parameters
from neural_physics.solver import quasistatic
from neural_physics.solver.masses import lumped, of_coordinates
from neural_physics.solver.quasistatic import INVERTED, NOT_CONVERGED, Scales, settle
from neural_physics.solver.system import System, gravity
from neural_physics.solver.terms.solids import SolidTerm

LENGTH, YOUNG, DENSITY = 1.0, 2e5, 1000.0


def bar(poisson=0.3, weight=0.0, held=0.3, counts=(8, 2, 2)):
    """A bar along x whose two ends are held over a share of its length; rest (V, 3), tetrahedra, system."""
    rest, tetrahedra = block(counts, (LENGTH, 0.2, 0.2))
    volumes = np.abs(np.linalg.det(rest[tetrahedra[:, 1:]] - rest[tetrahedra[:, :1]])) / 6.0
    masses = of_coordinates(lumped(len(rest), tetrahedra, DENSITY * volumes))
    mu, lam = lame_parameters(YOUNG, poisson)
    ends = (rest[:, 0] <= held * LENGTH + 1e-9) | (rest[:, 0] >= (1.0 - held) * LENGTH - 1e-9)
    if held == 0.0:
        ends = rest[:, 0] == 0.0
    term = SolidTerm(rest, tetrahedra, stable_neo_hookean, (mu, lam))
    system = System(masses, [term], np.repeat(~ends, 3), force=gravity(masses, (weight, 0.0, 0.0)))
    edge = LENGTH / counts[0]
    return rest, tetrahedra, system, Scales(edge, mu * edge**2)


def bent(rest, angle, turn=None):
    """The path of a bar whose right end turns about its middle; what is between follows evenly."""
    share = np.clip((rest[:, :1] / LENGTH - 0.3) / 0.4, 0.0, 1.0)
    middle = np.array([0.5 * LENGTH, 0.1, 0.1])
    whole = np.eye(3) if turn is None else turn

    def path(way):
        right = Rotation.from_rotvec([0.0, 0.0, way * angle]).as_matrix()
        turned = (rest - middle) @ right.T + middle
        return (((1.0 - share) * rest + share * turned) @ whole.T).ravel()

    return path


def test_a_hanging_bar_is_longer_by_its_weight():
    """Without sideways strain, rho g L^2 / (2 E) at its end."""
    rest, tetrahedra, system, scales = bar(poisson=0.0, weight=0.2, held=0.0, counts=(20, 2, 2))
    found = settle(system, tetrahedra, lambda way: rest.ravel(), scales)
    assert found.failure == "" and found.solves == 1
    moved = (found.q.reshape(-1, 3) - rest)[rest[:, 0] == LENGTH, 0]
    assert moved == pytest.approx(DENSITY * 0.2 * LENGTH**2 / (2 * YOUNG), rel=0.02)


def test_no_force_is_left_where_it_rests():
    """The energy's differences vanish there, beside those half way to where skinning had it."""
    rest, tetrahedra, system, scales = bar(weight=9.81)
    path = bent(rest, 0.8)
    found = settle(system, tetrahedra, path, scales)
    assert found.failure == ""

    def energy(q):
        return sum(term.value(q).sum() for term in system.terms) - system.force(q, 0 * q, 0.0) @ q

    def slope(q, way, step=1e-6):
        return (energy(q + step * way) - energy(q - step * way)) / (2 * step)

    away = path(1.0) - found.q
    there = slope(found.q + 0.5 * away, away / np.linalg.norm(away))
    for way in np.random.default_rng(0).normal(size=(5, len(away))) * system.free:
        assert abs(slope(found.q, way / np.linalg.norm(way))) < 1e-4 * there


def test_a_pose_that_is_turned_as_a_whole_gives_the_same_shape_turned():
    rest, tetrahedra, system, scales = bar()
    turn = Rotation.from_rotvec([0.4, -1.0, 2.0]).as_matrix()
    plain = settle(system, tetrahedra, bent(rest, 0.8), scales)
    turned = settle(system, tetrahedra, bent(rest, 0.8, turn), scales)
    assert plain.failure == turned.failure == ""
    assert turned.q.reshape(-1, 3) == pytest.approx(plain.q.reshape(-1, 3) @ turn.T, abs=1e-6)


def test_step_by_step_from_rest_it_comes_to_the_same_shape_as_from_skinning():
    rest, tetrahedra, system, scales = bar(weight=9.81)
    path = bent(rest, 0.8)
    direct = settle(system, tetrahedra, path, scales)
    led = quasistatic._Search(system, tetrahedra, scales, 0.0).continued_along(path)
    assert direct.failure == led.failure == "" and direct.solves == 1 and led.solves >= 4
    assert led.q == pytest.approx(direct.q, abs=1e-6)


def test_where_skinning_leads_nowhere_it_is_led_along_the_way():
    """Scattered at its end, such a path has no shape to begin with; but its held parts are in place."""
    rest, tetrahedra, system, scales = bar()
    path, noise = bent(rest, 0.5), np.random.default_rng(1).normal(size=rest.size) * system.free

    def scattered(way):
        return path(way) + (30.0 * noise if way == 1.0 else 0.0)

    direct, plain = settle(system, tetrahedra, scattered, scales), settle(system, tetrahedra, path, scales)
    assert plain.failure == "" and plain.solves == 1
    if direct.failure == "":  # then nothing but the right shape
        assert direct.q == pytest.approx(plain.q, abs=1e-5)
    else:
        assert direct.solves > 1


def test_a_pose_that_turns_the_body_inside_out_is_reported_as_a_failure():
    """Its right end is put beyond its left one."""
    rest, tetrahedra, system, scales = bar()
    shifts = np.where(rest[:, :1] > 0.5, [[-1.5 * LENGTH, 0.0, 0.0]], 0.0)
    found = settle(system, tetrahedra, lambda way: (rest + way * shifts).ravel(), scales)
    assert found.failure in (INVERTED, NOT_CONVERGED)


def test_without_an_equilibrium_in_reach_it_says_so(monkeypatch):
    rest, tetrahedra, system, scales = bar()
    monkeypatch.setattr(quasistatic, "MOST_ITERATIONS", 1)
    found = settle(system, tetrahedra, bent(rest, 0.8), replace(scales, force=1e-3 * scales.force))
    assert found.failure == NOT_CONVERGED and found.residual > 0.0

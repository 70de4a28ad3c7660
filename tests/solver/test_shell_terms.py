"""Terms of shells: derivatives of the sums by q, and plates whose deflection is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

from neural_physics.energies.shells.triangle_edges import triangle_edges
from neural_physics.solver.terms.shells import HingeTerm, MembraneTerm, MidedgeTerm


def sheet(nx, ny, width=1.0, jitter=0.0):
    """Vertices (V, 3) of a sheet of width by 1 from the origin on, and its triangles (m, 3)."""
    x, y = np.meshgrid(np.linspace(0.0, width, nx + 1), np.linspace(0.0, 1.0, ny + 1), indexing="ij")
    shift = np.random.default_rng(3).uniform(-jitter / nx, jitter / nx, (2, nx + 1, ny + 1))
    shift[:, [0, -1]] = shift[:, :, [0, -1]] = 0.0
    points = np.stack([x + shift[0], y + shift[1], 0.0 * x], -1).reshape(-1, 3)
    at = np.arange((nx + 1) * (ny + 1)).reshape(nx + 1, ny + 1)
    a, b, c, d = (corner.ravel() for corner in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    return points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def gradient_of(terms, q):
    total = np.zeros(len(q))
    for term in terms:
        np.add.at(total, term.stencils, term.gradient(q))
    return total


def hessian_of(terms, q):
    total = 0.0
    for term in terms:
        s = term.stencils.shape[1]
        rows, columns = np.repeat(term.stencils, s, 1).ravel(), np.tile(term.stencils, (1, s)).ravel()
        total = total + coo_matrix((term.hessian(q).ravel(), (rows, columns)), (len(q), len(q))).tocsc()
    return total


def energy_of(terms, q):
    return sum(term.value(q).sum() for term in terms)


def all_terms():
    points, triangles = sheet(3, 2, jitter=0.2)
    points[:, 2] = 0.3 * points[:, 0] ** 2
    mesh = triangle_edges(triangles)
    rng = np.random.default_rng(1)
    xi_places = 3 * len(points) + 2 + rng.permutation(len(mesh.edges))
    m, h = len(triangles), len(mesh.hinges)
    terms = [
        MembraneTerm(triangles, points, rng.uniform(0.01, 0.02, m), rng.uniform(1.0, 2.0, m), poisson=0.3),
        HingeTerm(mesh, points, rng.uniform(1.0, 2.0, h)),
        MidedgeTerm(mesh, points, rng.uniform(1.0, 2.0, m), rng.uniform(0.0, 0.4, m), xi_places=xi_places),
    ]
    rest = np.zeros(3 * len(points) + 2 + len(mesh.edges))
    rest[: 3 * len(points)] = points.ravel()
    return terms, rest


def deflections(points, mesh, plate, poisson, held, load):
    """z (V,) of a flat plate, some of its vertices held, under a load (V,) in newtons; small deflections."""
    places = 3 * len(points) + np.arange(len(mesh.edges))
    term = MidedgeTerm(mesh, points, plate, poisson, xi_places=places)
    q = np.concatenate([points.ravel(), np.zeros(len(mesh.edges))])
    matrix = hessian_of([term], q)
    forces = np.zeros(len(q))
    forces[2 : 3 * len(points) : 3] = load
    free = np.concatenate([3 * np.setdiff1d(np.arange(len(points)), held) + 2, places])
    q[free] += spsolve(matrix[free][:, free], forces[free])
    return q[2 : 3 * len(points) : 3]


def test_gradients_of_the_terms_are_what_differences_of_their_sums_say():
    terms, rest = all_terms()
    q = rest + np.random.default_rng(2).normal(size=len(rest)) * 0.1
    for term in terms:
        expected = np.zeros(len(q))
        for i in range(len(q)):
            shift = np.zeros(len(q))
            shift[i] = 1e-6
            expected[i] = (energy_of([term], q + shift) - energy_of([term], q - shift)) / 2e-6
        gradient = gradient_of([term], q)
        assert gradient == pytest.approx(expected, rel=1e-5, abs=1e-6 * np.abs(gradient).max())


def test_terms_are_at_rest_where_they_were_made_and_resist_what_leads_away():
    terms, rest = all_terms()
    for term in terms:
        assert energy_of([term], rest) == pytest.approx(0.0, abs=1e-25)
        assert gradient_of([term], rest) == pytest.approx(0.0, abs=1e-10)
        away = rest + np.random.default_rng(3).normal(size=len(rest)) * 1e-5
        bowl = 0.5 * (away - rest) @ hessian_of([term], rest) @ (away - rest)
        assert energy_of([term], away) == pytest.approx(bowl, rel=1e-3)


def test_hessians_of_the_terms_have_no_negative_eigenvalue_far_from_rest():
    terms, rest = all_terms()
    q = rest + np.random.default_rng(4).normal(size=len(rest)) * 0.3
    for term in terms:
        hessian = term.hessian(q)
        assert hessian.shape == (len(term.stencils), term.stencils.shape[1], term.stencils.shape[1])
        assert (np.linalg.eigvalsh(hessian)[:, 0] > -1e-12 * np.abs(hessian).max()).all()


def test_a_square_plate_held_along_its_boundary_sags_as_in_timoshenkos_tables():
    """Timoshenko and Woinowsky-Krieger 1959, table 8: the middle sags by 0.00406 q a^4 / D."""
    points, triangles = sheet(24, 24, jitter=0.2)
    mesh = triangle_edges(triangles)
    corners = points[triangles]
    areas = (
        np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=-1) / 2
    )
    load = np.bincount(triangles.ravel(), np.repeat(areas / 3.0, 3))
    boundary = np.flatnonzero(((points[:, :2] == 0.0) | (points[:, :2] == 1.0)).any(1))
    z = deflections(points, mesh, 2.0, 0.3, held=boundary, load=load)
    assert z.max() == pytest.approx(0.00406235 / 2.0, rel=0.02)


def test_a_plate_with_free_edges_twisted_by_a_corner_is_exact_on_any_mesh():
    """w = P x y / (2 D (1 - nu)): three corners are held, a force P acts at the fourth."""
    points, triangles = sheet(8, 8, width=2.0, jitter=0.3)
    corners = [np.flatnonzero((points[:, :2] == at).all(1))[0] for at in ((0, 0), (2, 0), (0, 1), (2, 1))]
    load = np.zeros(len(points))
    load[corners[3]] = 1e-3
    z = deflections(points, triangle_edges(triangles), 2.0, 0.3, held=corners[:3], load=load)
    expected = 1e-3 * points[:, 0] * points[:, 1] / (2.0 * 2.0 * (1.0 - 0.3))
    assert z == pytest.approx(expected, abs=1e-9 * expected.max())


def test_a_strip_that_is_held_bent_at_both_ends_comes_to_lie_on_a_cylinder():
    length, thickness, young, poisson = 3.0, 0.02, 1e6, 0.0
    points, triangles = sheet(30, 4, width=length, jitter=0.0)
    mesh = triangle_edges(triangles)
    places = 3 * len(points) + np.arange(len(mesh.edges))
    plate = young * thickness**3 / (12.0 * (1.0 - poisson**2))
    terms = [
        MembraneTerm(triangles, points, thickness, young, poisson=poisson),
        MidedgeTerm(mesh, points, plate, poisson, xi_places=places),
    ]
    turn = points[:, 0] - length / 2.0
    arc = np.stack([np.sin(turn), points[:, 1], np.cos(turn)], 1)
    ends = np.flatnonzero((points[:, 0] < 0.15) | (points[:, 0] > length - 0.15))
    start = arc * (1.0 + 0.1 * np.sin(np.pi * points[:, :1] / length) ** 2 * np.array([1.0, 0.0, 1.0]))
    start[ends] = arc[ends]
    q = np.concatenate([start.ravel(), np.zeros(len(mesh.edges))])
    held = (3 * ends[:, None] + np.arange(3)).ravel()
    free = np.setdiff1d(np.arange(len(q)), held)
    for _ in range(100):
        gradient = gradient_of(terms, q)[free]
        step = np.zeros(len(q))
        step[free] = -spsolve(hessian_of(terms, q)[free][:, free], gradient)
        share, before = 1.0, energy_of(terms, q)
        while energy_of(terms, q + share * step) > before + 1e-4 * share * (gradient @ step[free]):
            share /= 2.0
            if share < 1e-6:
                break
        q = q + share * step
        if np.abs(step).max() < 1e-6:
            break
    settled = q[: 3 * len(points)].reshape(-1, 3)
    assert np.abs(settled - arc).max() < 0.015
    # The normals at both ends are free: half a triangle's width there is not bent.
    assert energy_of(terms, q) == pytest.approx(plate / 2.0 * length, rel=0.1)

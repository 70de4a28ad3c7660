"""Local steps of ADMM, held against direct minimisation, closed forms and rigid motions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.optimize import minimize

from neural_physics.energies.local_steps import (
    CorotatedTriangles,
    LocalTerm,
    hinges,
    membrane,
    springs,
)


def turn(seed=0):
    """A rotation (3, 3)."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def many_triangles(m=40, mu=300.0, lam=500.0, seed=0) -> CorotatedTriangles:
    rest = np.random.default_rng(seed).normal(size=(3 * m, 3))
    return membrane(rest, np.arange(3 * m).reshape(m, 3), mu, lam)


def objective(term: LocalTerm, z, p):
    distances = ((z - p) ** 2).sum(axis=(0, 1))
    return term.value(z) + 0.5 * term.weight * distances


def cylinder(radius, length=1.0, turns=40, along=12, arc=np.pi / 2):
    """A sheet bent to a part of a cylinder and flat, its triangles and its inner edges."""
    a, y = np.meshgrid(np.linspace(0, arc, turns + 1), np.linspace(0, length, along + 1), indexing="ij")
    bent = np.stack([radius * np.sin(a), y, radius * np.cos(a)], -1).reshape(-1, 3)
    flat = np.stack([radius * a, y, 0 * a], -1).reshape(-1, 3)
    at = np.arange(len(bent)).reshape(a.shape)
    p, q, r, s = (c.ravel() for c in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    triangles = np.concatenate([np.stack([p, q, r], 1), np.stack([p, r, s], 1)])
    return bent, flat, triangles, inner_edges(triangles)


def inner_edges(triangles):
    found: dict[tuple[int, int], list[int]] = {}
    for t in triangles:
        for k in range(3):
            edge = tuple(sorted((int(t[k]), int(t[(k + 1) % 3]))))
            found.setdefault(edge, []).append(int(t[(k + 2) % 3]))
    return np.array([[*edge, *opposite] for edge, opposite in found.items() if len(opposite) == 2])


def energy(term: LocalTerm, positions) -> float:
    return float(term.value(term.reduce(np.ascontiguousarray(positions.T))).sum())


def test_a_springs_step_is_where_its_energy_and_the_distance_are_least():
    rng = np.random.default_rng(1)
    rest = rng.normal(size=(20, 3))
    term = springs(rest, np.arange(20).reshape(10, 2), 50.0 + 10.0 * rng.random(10), 0.9, most=1.1)
    p = rng.normal(size=(3, 1, 10))
    p *= term.rest * np.linspace(0.5, 1.5, 10) / np.sqrt((p * p).sum(axis=(0, 1)))
    z = term.step(p)
    lengths = np.sqrt((z * z).sum(axis=(0, 1)))
    assert (lengths <= 1.1 * term.rest * (1 + 1e-12)).all() and (
        lengths >= 0.9 * term.rest * (1 - 1e-12)
    ).all()
    at_most = objective(term, z, p)
    for _ in range(200):
        other = z + 0.05 * rng.normal(size=z.shape)
        allowed = np.clip(np.sqrt((other * other).sum(axis=(0, 1))), 0.9 * term.rest, 1.1 * term.rest)
        other *= allowed / np.sqrt((other * other).sum(axis=(0, 1)))
        assert (objective(term, other, p) >= at_most - 1e-12).all()
    # Both limits and neither were tried.
    ratios = np.round(lengths / term.rest, 9)
    assert (ratios == 0.9).any() and (ratios == 1.1).any() and ((ratios > 0.9) & (ratios < 1.1)).any()


def test_a_spring_without_length_opens_to_a_length_that_is_best():
    term = springs(np.array([[0.0, 0, 0], [2.0, 0, 0]]), np.array([[0, 1]]), 10.0)
    z = term.step(np.zeros((3, 1, 1)))
    # Stiffness and weight are the same: halfway to the rest length.
    assert np.linalg.norm(z) == pytest.approx(1.0)


@pytest.mark.parametrize("mu, lam", [(300.0, 500.0), (300.0, 0.0), (1.0, 40.0)])
def test_a_triangles_step_is_where_its_energy_and_the_distance_are_least(mu, lam):
    term = many_triangles(mu=mu, lam=lam)
    rng = np.random.default_rng(2)
    # From collapsed to stretched fivefold.
    p = rng.normal(size=(3, 2, 40)) * np.linspace(0.0, 3.0, 40)
    z = term.step(p)
    scale = term.area * (mu + lam)
    for i in range(0, 40, 3):
        alone = dataclasses.replace(
            term, stencils=term.stencils[:, [i]], weight=term.weight[[i]], area=term.area[[i]]
        )
        starts = [p[:, :, i], z[:, :, i], 0.5 * rng.normal(size=(3, 2)), np.eye(3)[:, :2]]

        def of_one(flat, alone=alone, i=i):
            return float(objective(alone, flat.reshape(3, 2, 1), p[:, :, [i]])[0])

        best = min(minimize(of_one, start.ravel(), tol=1e-12).fun for start in starts)
        assert of_one(z[:, :, i].ravel()) <= best + 1e-7 * scale[i]


def test_newton_and_the_closed_form_leave_no_slope():
    """Of the whole objective in F, by differences, for triangles that have an area."""
    term = many_triangles(m=200, seed=3)
    p = np.random.default_rng(3).normal(size=(3, 2, 200)) * np.linspace(0.8, 3.0, 200)
    z = term.step(p)
    singular = np.linalg.svd(np.moveaxis(z, 2, 0), compute_uv=False)
    smooth = singular[:, 1] > 0.05
    assert smooth.sum() > 150
    h = 1e-5
    for c in range(3):
        for k in range(2):
            forward, back = z.copy(), z.copy()
            forward[c, k] += h
            back[c, k] -= h
            slope = (objective(term, forward, p) - objective(term, back, p)) / (2 * h)
            assert np.abs(slope / term.weight)[smooth] == pytest.approx(0.0, abs=1e-7)


def test_steps_turn_with_their_input_and_leave_what_is_in_rest():
    term = many_triangles()
    r = turn()
    p = np.random.default_rng(4).normal(size=(3, 2, 40))
    assert term.step(np.einsum("ij,jkm->ikm", r, p)) == pytest.approx(
        np.einsum("ij,jkm->ikm", r, term.step(p)), abs=1e-9
    )
    rest = np.repeat(r[:, :2, None], 40, axis=2)
    assert term.step(rest) == pytest.approx(rest, abs=1e-12)


@pytest.mark.parametrize(
    "collapsed",
    [np.zeros((3, 2)), np.array([[1.0, 2], [0, 0], [0, 0]]), np.array([[0.0, 0], [0, 0], [0, 3]])],
    ids=["to a point", "to a line", "with one column"],
)
def test_collapsed_triangles_open_as_flat_ones_should(collapsed):
    """As does one whose smaller singular value is tiny, which has directions of its own."""
    term = many_triangles(m=1)
    z = term.step(collapsed[:, :, None])
    u, s, vt = np.linalg.svd(collapsed, full_matrices=False)
    near = term.step((u * np.maximum(s, 1e-7) @ vt)[:, :, None])
    # (0, 0, 1) is not the direction that both open into: only how far they do is the same.
    expected = np.linalg.svd(near[:, :, 0], compute_uv=False)
    assert np.linalg.svd(z[:, :, 0], compute_uv=False) == pytest.approx(expected, abs=1e-5)
    assert np.isfinite(z).all()


def test_energies_of_a_membrane_are_those_of_its_singular_values():
    stretched = np.array([1.3, 0.8])
    gradient = (turn(1)[:, :2] * stretched) @ np.array([[0.6, 0.8], [-0.8, 0.6]])
    mu, lam = 300.0, 500.0
    corotated = many_triangles(1, mu, lam)
    expected = mu * (0.3**2 + 0.2**2) + 0.5 * lam * 0.1**2
    assert corotated.value(gradient[:, :, None]) == pytest.approx(corotated.area * expected)


def test_deformation_gradients_map_rest_edges_to_deformed_ones():
    """So that areas and stretches are the mesh's: F^T F of two edges are their deformed products."""
    rng = np.random.default_rng(5)
    rest = rng.normal(size=(3, 3))
    term = membrane(rest, np.array([[0, 1, 2]]), 1.0, 1.0)
    # Stretched by 1.5 in the triangle's plane, then turned.
    f = term.reduce(np.ascontiguousarray((1.5 * rest @ turn(2).T + [1.0, 2, 3]).T))[:, :, 0]
    assert f.T @ f == pytest.approx(1.5**2 * np.eye(2))
    assert term.area[0] == pytest.approx(np.linalg.norm(np.cross(rest[1] - rest[0], rest[2] - rest[0])) / 2)


@pytest.mark.parametrize("axis", [0.0, 0.4, 1.1])
def test_a_sheet_bent_to_a_cylinder_has_the_energy_of_a_bent_plate_whichever_way_it_is_bent(axis):
    """stiffness / 2 times curvature^2 times area, of equal-sided triangles."""
    n, stiffness, radius = 60, 2e-4, 2.0
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    flat = np.stack([i + 0.5 * j, np.sqrt(0.75) * j, 0.0 * i], 1) / n
    at = np.arange(n * n).reshape(n, n)
    p, q, r, s = (c.ravel() for c in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    triangles = np.concatenate([np.stack([p, q, s], 1), np.stack([q, r, s], 1)])
    along = flat[:, :2] @ [np.cos(axis), np.sin(axis)]
    across = flat[:, :2] @ [-np.sin(axis), np.cos(axis)]
    bent = np.stack([radius * np.sin(along / radius), across, radius * np.cos(along / radius)], 1)
    term = hinges(flat, inner_edges(triangles), stiffness)
    area = len(triangles) * np.sqrt(0.75) / 2 / n**2
    # The edges of the border have no part in it: 2 % of all.
    assert energy(term, bent) == pytest.approx(0.5 * stiffness / radius**2 * area, rel=0.025)


def test_flat_sheets_have_no_bending_however_they_lie_or_stretch_in_their_plane():
    _, flat, _, quads = cylinder(0.5)
    term = hinges(flat, quads, 1e-3)
    assert not term.rest.any()
    moved = flat @ np.diag([1.2, 0.9, 1.0]) @ turn(3).T + [1.0, 2, 3]
    assert energy(term, moved) < 1e-20


def test_a_sheet_that_is_bent_in_rest_stays_bent():
    bent, flat, _, quads = cylinder(0.5)
    term = hinges(bent, quads, 1e-3)
    assert energy(term, bent @ turn(4).T + 1.0) < 1e-20
    # Opened by all of its curvature: as if it had been bent by as much.
    assert energy(term, flat) == pytest.approx(energy(hinges(flat, quads, 1e-3), bent), rel=0.01)


def test_what_is_spread_to_vertices_is_the_transpose_of_what_is_reduced():
    rng = np.random.default_rng(6)
    bent, _, triangles, quads = cylinder(0.5, turns=5, along=4)
    for term in (hinges(bent, quads, 1e-3), membrane(bent, triangles, 1.0, 1.0)):
        x = rng.normal(size=(3, len(bent)))
        reduced = term.reduce(x)
        z = rng.normal(size=reduced.shape)
        assert (term.spread(z, len(bent)) * x).sum() == pytest.approx((z * term.weight * reduced).sum())


def test_balanced_weights_lie_between_inertia_and_stiffness_and_never_above_what_they_were():
    line = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0]])
    term = springs(line, np.array([[0, 1], [1, 2]]), np.array([400.0, 1.0]))
    balanced = term.balanced(np.full(3, 4.0))
    assert balanced.weight == pytest.approx([40.0, 1.0])
    assert (balanced.stiffness == term.stiffness).all()


def test_rest_shapes_and_weights_that_make_no_sense_are_refused():
    line = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0], [0.0, 1.0, 0]])
    with pytest.raises(ValueError, match="Triangle 1 has no area"):
        membrane(line, np.array([[0, 1, 3], [0, 1, 2]]), 1.0, 1.0)
    with pytest.raises(ValueError, match="inner edge 0 has no area"):
        hinges(line, np.array([[0, 1, 2, 3]]), 1e-3)
    with pytest.raises(ValueError, match="weight"):
        springs(line, np.array([[0, 1]]), 0.0)


@pytest.mark.torch
def test_torch_takes_the_same_energies_and_its_gradients_agree_with_differences():
    torch = pytest.importorskip("torch")
    bent, flat, triangles, quads = cylinder(0.5, turns=4, along=3)
    edges = quads[:, :2]
    terms = [
        springs(flat, edges, 30.0),
        hinges(flat, quads, 1e-3),
        membrane(flat, triangles, 300.0, 500.0),
    ]
    rng = np.random.default_rng(7)
    for term in terms:
        reduced = term.reduce(np.ascontiguousarray((bent + 0.02 * rng.normal(size=bent.shape)).T))
        tensor = torch.tensor(reduced, requires_grad=True)
        value = term.value(tensor)
        assert value.detach().numpy() == pytest.approx(term.value(reduced), rel=1e-12)
        value.sum().backward()
        along, h = rng.normal(size=reduced.shape), 1e-6
        slope = (term.value(reduced + h * along) - term.value(reduced - h * along)).sum() / (2 * h)
        assert float((tensor.grad.numpy() * along).sum()) == pytest.approx(slope, rel=1e-5)

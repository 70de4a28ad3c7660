"""The subdivisions that networks are held against, themselves held against polynomials and limits."""

from __future__ import annotations

import numpy as np
import pytest
from level_meshes import fan, grid, icosahedron
from library_subdivision import subdivided

from neural_physics.subdivision.coarsening import found_hierarchy

pytest.importorskip("scipy")

from ml_backend.methods.hierarchical_cloth.errors import (
    butterfly_subdivision,
    linear_subdivision,
    loop_subdivision,
    rms_error,
    validation_error,
)
from ml_backend.methods.hierarchical_cloth.pairs import Shapes, pairs_of


@pytest.fixture
def sheet():
    mesh = grid(17, 17, 4.0, 4.0)
    hierarchy = found_hierarchy(mesh, 1, "Cloth")
    return hierarchy, hierarchy.sorted(mesh.rest_positions).astype(float), mesh


@pytest.mark.parametrize("scheme", [linear_subdivision, butterfly_subdivision, loop_subdivision])
def test_flat_sheets_stay_flat_and_turn_along(scheme, sheet, rng):
    hierarchy, x, _ = sheet
    n = hierarchy.levels[0].vertex_count
    linear, move = rng.normal(size=(3, 3)), rng.normal(size=3)
    refine = scheme(hierarchy)
    fine = refine(x[:n] @ linear + move).T
    assert fine == pytest.approx(refine(x[:n]).T @ linear + move)
    inner = ((x[:, :2] > 1.0) & (x[:, :2] < 3.0)).all(1)
    assert fine[inner] == pytest.approx((x @ linear + move)[inner])


def test_the_butterfly_goes_through_cubics(sheet):
    hierarchy, x, _ = sheet
    n = hierarchy.levels[0].vertex_count
    u, v = x[:, 0], x[:, 1]
    values = np.stack([u**3 - v * u, u * v**2 + v, u**2 * v], 1)
    inner = ((x[:, :2] > 1.01) & (x[:, :2] < 2.99)).all(1)
    assert inner.sum() > 30
    assert butterfly_subdivision(hierarchy)(values[:n]).T[inner] == pytest.approx(values[inner])


def test_loops_rules_are_his(rng):
    done = subdivided(icosahedron(), 1, "Ball")
    level = done.hierarchy.levels[0]
    x = rng.normal(size=(12, 3))
    fine = loop_subdivision(done.hierarchy)(x).T
    beta = (5 / 8 - (3 / 8 + np.cos(2 * np.pi / 5) / 4) ** 2) / 5
    near = [set() for _ in range(12)]
    for a, b in level.edges:
        near[a].add(b)
        near[b].add(a)
    for v in range(12):
        assert fine[v] == pytest.approx((1 - 5 * beta) * x[v] + beta * x[list(near[v])].sum(0))
    for k, (a, b) in enumerate(level.edges):
        c, d = near[a] & near[b]
        assert fine[12 + k] == pytest.approx(3 / 8 * (x[a] + x[b]) + 1 / 8 * (x[c] + x[d]))


def test_loops_boundary_is_a_cubic_spline(rng):
    done = subdivided(fan(6), 1, "Disc")
    x = rng.normal(size=(7, 3))
    fine = loop_subdivision(done.hierarchy)(x).T
    assert fine[2] == pytest.approx(0.75 * x[2] + 0.125 * (x[1] + x[3]))
    edges = [tuple(edge) for edge in done.hierarchy.levels[0].edges]
    assert fine[7 + edges.index((2, 3))] == pytest.approx(0.5 * (x[2] + x[3]))


def test_errors_are_those_of_the_new_vertices_alone(sheet):
    hierarchy, _, mesh = sheet
    frames = np.stack([mesh.rest_positions, mesh.rest_positions])
    n = hierarchy.levels[0].vertex_count
    frames[1, hierarchy.order[n:], 2] += 0.3
    cloth = Shapes(hierarchy, mesh.rest_positions, frames)
    assert rms_error(linear_subdivision(hierarchy), cloth) == pytest.approx(0.3 / 2**0.5, rel=1e-5)
    linear = validation_error(lambda c: linear_subdivision(c.hierarchy), [cloth])
    assert linear.relative == pytest.approx(1.0) and linear.metres == pytest.approx(0.3 / 2**0.5, rel=1e-5)
    other = validation_error(lambda c: lambda _: cloth.hierarchy.sorted(frames[1]).T, [cloth])
    assert other.relative == pytest.approx(1.0)


@pytest.mark.parametrize("form", ["paper", "local"])
def test_pairs_are_of_true_shapes_and_as_many_as_asked_for(form, rng):
    mesh = grid(9, 13)
    hierarchy = found_hierarchy(mesh, 2, "Cloth")
    frames = mesh.rest_positions + 0.02 * rng.normal(size=(5, *mesh.rest_positions.shape))
    cloth = Shapes(hierarchy, mesh.rest_positions, frames)
    for level in (1, 2):
        m = len(hierarchy.levels[level - 1].triangles)
        every = pairs_of([cloth], level, form, 10**6, seed=0)
        assert len(every) == 5 * m
        some = pairs_of([cloth], level, form, 50, seed=0)
        assert len(some) == 50
        known = {row.tobytes() for row in every.features}
        assert all(row.tobytes() in known for row in some.features)
        assert np.array_equal(some.targets, pairs_of([cloth], level, form, 50, seed=0).targets)
    if form == "paper":
        moved = np.abs(frames - mesh.rest_positions).max()
        assert np.abs(every.features).max() <= moved + 1e-6
        assert (every.sizes == 1.0).all()

"""Networks of all triangles at once, held against equations 4 to 7 one by one, and against rigid motions."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from level_meshes import fan, grid, icosahedron
from library_subdivision import subdivided

from neural_physics.methods.hierarchical_cloth.batched_perceptron import BatchedPerceptron, Layers
from neural_physics.methods.hierarchical_cloth.neighbourhood import neighbourhood
from neural_physics.methods.hierarchical_cloth.networks import LevelNetworks
from neural_physics.methods.hierarchical_cloth.triangle_forms import FORMS, LocalForm
from neural_physics.subdivision.coarsening import found_hierarchy

FORM_NAMES = sorted(FORMS)


def layers(inputs, rng, width=16, linear=False):
    sizes = [inputs, width, width, 9]
    made = [
        (rng.normal(size=(o, i)).astype(np.float32) / i**0.5, 0.1 * rng.normal(size=o).astype(np.float32))
        for i, o in itertools.pairwise(sizes)
    ]
    return Layers(made, 0.1 * rng.normal(size=(9, inputs)).astype(np.float32) if linear else None)


def bumpy(base, levels, rng):
    """A hierarchy and a rest shape (V, 3) that is not the midpoints of anything."""
    done = subdivided(base, levels, "Cloth")
    rest = done.mesh.rest_positions.copy()
    return done.hierarchy, rest + (0.03 * rng.normal(size=rest.shape)).astype(np.float32)


def networks(hierarchy, rest, form, rng, width=16):
    count = len(hierarchy.levels) - 1
    weights = [layers(FORMS[form].inputs, rng, width, form == "local") for _ in range(count)]
    return LevelNetworks(hierarchy, rest, [form] * count, weights), weights


def rotation(rng):
    q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return q * np.sign(np.linalg.det(q))


def test_the_papers_form_is_its_equations_triangle_by_triangle(rng):
    hierarchy, rest = bumpy(fan(7), 2, rng)
    run, weights = networks(hierarchy, rest, "paper", rng)
    x = (rest[:8] + 0.1 * rng.normal(size=(8, 3))).astype(np.float32)
    got = run(x).T
    known = [row.astype(float) for row in x]
    for level, of_level in zip(hierarchy.levels, weights, strict=False):
        said = {}
        for (p, q, r), sides in zip(level.triangles, level.sides, strict=True):
            # The features and outputs go axis by axis, the equations vertex by vertex: the same numbers.
            delta = np.array([known[v] - rest[v] for v in (p, q, r)])
            h = delta.T.ravel()
            for k, (weight, bias) in enumerate(of_level.layers):
                h = weight.astype(float) @ h + bias
                h = np.maximum(h, 0.0) if k < 2 else h
            for edge, o in zip(sides, h.reshape(3, 3).T, strict=True):
                said.setdefault(int(edge), []).append(o)
        for edge in range(len(level.edges)):
            assert 1 <= len(said[edge]) <= 2
            known.append(rest[level.vertex_count + edge] + np.mean(said[edge], axis=0))
    assert got == pytest.approx(np.array(known), abs=2e-6)


@pytest.mark.parametrize("base", [fan(5), icosahedron(), grid(4, 3)])
def test_our_form_turns_and_moves_with_the_cloth(base, rng):
    hierarchy, rest = bumpy(base, 2, rng)
    run, _ = networks(hierarchy, rest, "local", rng)
    n = hierarchy.levels[0].vertex_count
    x = rest[:n] + 0.2 * rng.normal(size=(n, 3))
    plain = run(x).T.copy()
    assert np.abs(plain[n:] - rest[n:]).max() > 0.1
    turn, move = rotation(rng), rng.normal(size=3)
    assert pytest.approx(plain @ turn.T + move, abs=2e-5) == run(x @ turn.T + move).T


def test_our_form_is_the_same_at_any_size(rng):
    hierarchy, rest = bumpy(grid(4, 3), 2, rng)
    run, weights = networks(hierarchy, rest, "local", rng)
    x = rest[:12] + 0.1 * rng.normal(size=(12, 3))
    large = LevelNetworks(hierarchy, 10 * rest, ["local"] * 2, weights)
    assert pytest.approx(10 * run(x).T, abs=2e-4) == large(10 * x).T


def test_a_network_that_says_nothing_leaves_linear_subdivision(rng):
    done = subdivided(icosahedron(), 2, "Cloth")
    run, weights = networks(done.hierarchy, done.mesh.rest_positions, "local", rng)
    for of_level in weights:
        of_level.linear[:], of_level.layers[-1][0][:], of_level.layers[-1][1][:] = 0.0, 0.0, 0.0
    run = LevelNetworks(done.hierarchy, done.mesh.rest_positions, ["local"] * 2, weights)
    x = rng.normal(size=(12, 3))
    fine = run(x).T
    for level, finer in zip(done.hierarchy.levels, done.hierarchy.levels[1:], strict=False):
        ends = fine[level.edges]
        assert fine[level.vertex_count : finer.vertex_count] == pytest.approx(ends.mean(1), abs=1e-5)


def test_the_details_of_rest_turn_with_the_triangles(rng):
    hierarchy, rest = bumpy(grid(4, 3), 2, rng)
    weights = [Layers([(w, 0 * b) for w, b in layers(36, rng).layers]) for _ in range(2)]
    run = LevelNetworks(hierarchy, rest, ["local"] * 2, weights)
    turn = rotation(rng)
    # At rest the features are 0, and with no bias so is what the network says.
    assert pytest.approx(rest @ turn.T, abs=1e-5) == run(rest[:12] @ turn.T).T


@pytest.mark.parametrize("form", FORM_NAMES)
@pytest.mark.parametrize("base", [fan(7), icosahedron(), grid(4, 3)])
def test_targets_are_what_a_perfect_network_would_say(form, base, rng):
    hierarchy, rest = bumpy(base, 1, rng)
    level = hierarchy.levels[0]
    made = FORMS[form](level, np.ascontiguousarray(rest.T))
    n = level.vertex_count
    x, truth = (rng.normal(size=(3, k)).astype(np.float32) for k in (n, len(level.edges)))
    made.features(x)
    assert made.middles(made.targets(truth)) == pytest.approx(truth, abs=1e-5)


def test_twelve_points_are_all_that_share_a_triangle_with_a_corner():
    mesh = subdivided(fan(6), 3, "Cloth")  # regular everywhere
    level = mesh.hierarchy.levels[-1]
    around = neighbourhood(level)
    inner = np.flatnonzero((around.points < level.vertex_count).all(axis=0))
    assert len(inner) > 200
    of_vertex = [set() for _ in range(level.vertex_count)]
    for t in level.triangles:
        for v in t:
            of_vertex[v] |= set(t.tolist())
    for t in inner:
        near = set().union(*(of_vertex[v] for v in level.triangles[t]))
        assert set(around.points[:, t].tolist()) == near and len(near) == 12


def test_beyond_the_edge_a_sheet_goes_on_flat(rng):
    """Of a sheet under any linear map the ghosts are where the sheet's own vertices would be."""
    mesh = grid(9, 9)
    found = found_hierarchy(mesh, 1, "Cloth")
    level = found.levels[1]
    around = neighbourhood(level)
    n = level.vertex_count
    x = np.zeros((3, n + around.ghost_count))
    rest = found.sorted(mesh.rest_positions).T.astype(float)
    x[:, :n] = rest
    around.add_ghosts(x, n)
    offsets = x[:, around.points] - x[:, around.points[:1]]
    one = offsets[:, :, 5] * np.sign(offsets[0, 1, 5] + offsets[1, 1, 5])
    for t in range(len(level.triangles)):
        sign = np.sign(offsets[0, 1, t] + offsets[1, 1, t])
        assert offsets[:, :, t] * sign == pytest.approx(one, abs=1e-12)
    form = LocalForm(
        level, np.ascontiguousarray(np.concatenate([rest, np.zeros((3, len(level.edges)))], 1), np.float32)
    )
    assert np.abs(form.features((rotation(rng) @ rest).astype(np.float32))).max() < 1e-5


def test_the_blocks_do_not_show(rng):
    """More triangles than one block holds, in any place: each has what it would have alone."""
    mesh = grid(33, 49)
    found = found_hierarchy(mesh, 1, "Cloth")
    rest = found.sorted(mesh.rest_positions)
    for form in FORM_NAMES:
        run, weights = networks(found, rest, form, rng, width=32)
        level = found.levels[0]
        x = (rest[: level.vertex_count] + 0.05 * rng.normal(size=(level.vertex_count, 3))).astype(np.float32)
        got = run(x)[:, level.vertex_count :].copy()
        made = FORMS[form](level, np.ascontiguousarray(rest.T))
        h = features = made.features(np.ascontiguousarray(x.T)).astype(float)
        for k, (weight, bias) in enumerate(weights[0].layers):
            h = weight.astype(float) @ h + bias[:, None]
            h = np.maximum(h, 0.0) if k < 2 else h
        if weights[0].linear is not None:
            h = h + weights[0].linear @ features
        assert got == pytest.approx(made.middles(h.astype(np.float32)), abs=1e-5)


def test_layers_see_no_more_than_their_limits_and_the_linear_map_sees_all(rng):
    made = layers(36, rng, linear=True)
    limits = np.stack([np.full(36, -0.5), np.full(36, 0.25)]).astype(np.float32)
    x = rng.normal(size=(36, 500)).astype(np.float32)
    said = BatchedPerceptron(replace(made, limits=limits), 500)(x)
    clipped = BatchedPerceptron(Layers(made.layers), 500)(np.clip(x, -0.5, 0.25))
    assert said == pytest.approx(clipped + made.linear @ x, abs=1e-5)


@pytest.mark.parametrize("form", FORM_NAMES)
def test_triangles_that_collapse_give_numbers(form, rng):
    hierarchy, rest = bumpy(fan(5), 2, rng)
    run, _ = networks(hierarchy, rest, form, rng)
    assert np.isfinite(run(np.zeros((6, 3)))).all()
    line = np.zeros((6, 3))
    line[:, 0] = np.arange(6)
    assert np.isfinite(run(line)).all()


def test_networks_that_do_not_fit_are_refused(rng):
    hierarchy, rest = bumpy(fan(5), 2, rng)
    with pytest.raises(ValueError, match="leads from 36"):
        LevelNetworks(hierarchy, rest, ["local"] * 2, [layers(9, rng)] * 2)
    with pytest.raises(ValueError, match="one network"):
        LevelNetworks(hierarchy, rest, ["local"], [layers(36, rng)])

"""Rods as terms of a potential, held against the elastica, Michell's ring, the catenary and differences."""

from __future__ import annotations

import numpy as np
import pytest
from made_rods import strands_of
from scipy.optimize import brentq
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve
from scipy.spatial.transform import Rotation

from neural_physics.energies.rods.frames import ReferenceFrames, adapted_frames
from neural_physics.energies.rods.rods import bend_twist_hessian
from neural_physics.solver.terms.rods import RodBendTwistTerm, RodStretchTerm, rod_terms
from neural_physics.solver.terms.term import Term


def assembled(term: Term, blocks, count: int):
    """The sum of the elements' gradients (m, s) or Hessians (m, s, s)."""
    at = term.stencils
    if blocks.ndim == 2:
        return np.bincount(at.ravel(), blocks.ravel(), count)
    rows, columns = np.broadcast_arrays(at[:, :, None], at[:, None, :])
    return coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), (count, count)).tocsr()


def settle(terms, q, free, load, steps=400):
    """Minimise the terms less the load's work over the free places in q, by Newton with line search.

    Returns q and the largest residual force, relative to the largest load.
    """
    q = q.copy()

    def total(q):
        return sum(term.value(q).sum() for term in terms) - load @ q

    for _ in range(steps):
        force = load - sum(assembled(term, term.gradient(q), len(q)) for term in terms)
        if np.abs(force[free]).max() < 1e-8 * np.abs(load).max():
            break
        hessian = sum(assembled(term, term.hessian(q), len(q)) for term in terms)[free][:, free]
        step = np.zeros_like(q)
        step[free] = spsolve(hessian.tocsc(), force[free])
        size, before, slope = 1.0, total(q), force @ step
        while total(q + size * step) > before - 1e-4 * size * slope + 1e-13 * abs(before) and size > 1e-8:
            size /= 2
        q += size * step
    return q, np.abs(force[free]).max() / np.abs(load).max()


def rod(x, stretching, bending_and_twisting, closed=False):
    """Strands, terms at rest in the shape x (V, 3), q there with thetas of none, and the thetas' places."""
    strands = strands_of([len(x)], [closed])
    places = x.size + np.arange(len(strands.edges))
    thetas = np.zeros(len(places))
    terms = rod_terms(
        strands, places, x, thetas, stretching=stretching, bending_and_twisting=np.array(bending_and_twisting)
    )
    return strands, terms, np.concatenate([x.ravel(), thetas]), places


def test_gradients_and_hessians_of_two_strands_sum_to_the_potentials_slopes():
    rng = np.random.default_rng(0)
    strands = strands_of([4, 5], [False, True], first_vertex=1)
    x, thetas = rng.normal(size=(10, 3)), rng.normal(size=8)
    # The thetas lie behind something else, and in another order than the edges.
    places = 30 + 2 + rng.permutation(8)
    stretch, bend = rod_terms(
        strands, places, x, thetas, stretching=3.0, bending_and_twisting=np.array([2.0, 1.0, 0.5])
    )
    q = np.zeros(40)
    q[:30], q[places] = x.ravel(), thetas
    assert not stretch.value(q).any() and not bend.value(q).any()
    q += 0.3 * rng.normal(size=40)
    for term in (stretch, bend):
        gradient = assembled(term, term.gradient(q), 40)
        steps = 1e-6 * np.eye(40)
        expected = [(term.value(q + s).sum() - term.value(q - s).sum()) / 2e-6 for s in steps]
        assert gradient == pytest.approx(np.array(expected), abs=1e-7 * np.abs(gradient).max())
        assert not gradient[:3].any() and not gradient[30:32].any()
        blocks = term.hessian(q)
        assert (np.linalg.eigvalsh(blocks)[:, 0] > -1e-12 * np.abs(blocks).max()).all()


def test_accepting_a_state_keeps_the_energy_and_resets_what_the_frames_are_measured_from():
    rng = np.random.default_rng(1)
    _, (_, bend), q, _ = rod(np.cumsum(rng.normal(2.0, 1.0, size=(8, 3)), axis=0), 1.0, [2.0, 1.0, 0.5])
    moved = q + 0.4 * rng.normal(size=q.shape)
    frames, before = bend.frames, bend.value(moved)
    bend.accept(moved)
    assert bend.value(moved) == pytest.approx(before, rel=1e-10)
    assert np.abs(bend.frames.tangents - frames.tangents).max() > 0.1
    bend.frames = frames
    assert not bend.value(q).any()


def test_a_rest_shape_that_folds_back_is_refused():
    with pytest.raises(ValueError, match="folded"):
        rod(np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 0, 0]]), 1.0, [1.0, 1.0, 1.0])


def test_a_twisted_end_turns_the_free_edges_between_evenly():
    _, terms, q, places = rod(np.linspace([0.0, 0, 0], [1.0, 0, 0], 9), 10.0, [1.0, 1.0, 0.5])
    q[places[-1]] = 4.0
    clamped = [*range(6), *range(21, 27), places[0], places[-1]]
    free = np.setdiff1d(np.arange(len(q)), clamped)
    load = np.zeros_like(q)
    load[0] = 1.0
    q, residual = settle(terms, q, free, load)
    assert residual < 1e-8
    assert q[places] == pytest.approx(np.linspace(0.0, 4.0, 8))


@pytest.mark.parametrize(("load_parameter", "along", "across"), [(2.0, 1.604, 4.933), (4.0, 3.286, 6.698)])
def test_a_cantilever_under_an_end_load_bends_as_far_as_in_the_literature(load_parameter, along, across):
    """Sze, Liu, Lo 2004, table 1: L = 10, b = 1, h = 0.1, E = 1.2e6, nu = 0, P = k E I / L^2."""
    length, edges, bending = 10.0, 30, 1.2e6 * 0.1**3 / 12
    # The wall holds the first edge by its middle: half of it is no part of the beam.
    step = length / (edges - 0.5)
    x = np.zeros((edges + 1, 3))
    x[:, 0] = step * (np.arange(edges + 1) - 0.5)
    _, terms, q, places = rod(x, 1.2e6 * 0.1, [bending, bending, bending])
    free = np.setdiff1d(np.arange(len(q)), [*range(6), places[0]])
    tip = 3 * edges
    for share in (0.25, 0.5, 0.75, 1.0):
        load = np.zeros_like(q)
        load[tip + 2] = share * load_parameter * bending / length**2
        q, residual = settle(terms, q, free, load)
        assert residual < 1e-8
        terms[1].accept(q)
    assert length - q[tip] == pytest.approx(along, rel=0.01)
    assert q[tip + 2] == pytest.approx(across, rel=0.01)
    assert abs(q[tip + 1]) < 1e-9


def test_a_twisted_ring_buckles_out_of_its_plane_at_michells_twist():
    """At a total twist of 2 pi sqrt(3) B / C (Michell 1889; Goriely 2006, Journal of Elasticity 84)."""
    bending, twisting, count = 1.0, 0.7, 64
    angle = 2 * np.pi * np.arange(count) / count
    x = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    strands = strands_of([count], [True])
    frames, _ = adapted_frames(x, strands)
    places = 3 * count + np.arange(count)
    voronoi = np.full(count, 2 * np.sin(np.pi / count))
    stiffness = np.array([bending, bending, twisting])
    stretch = RodStretchTerm(strands, voronoi, 1e5)

    def lowest_eigenvalue(twist):
        """Of what is left when the ring's seven free motions are held: rigid ones, and thetas all alike."""
        thetas = twist * np.arange(count) / count
        # The ends of a straight rod are glued after as many radians: where the ring closes its first edge
        # has turned by so much more.
        d1, twists = frames.d1.copy(), frames.twists.copy()
        d1[-1, 1] = Rotation.from_rotvec(twist * frames.tangents[-1, 1]).apply(d1[-1, 1])
        twists[-1] += twist
        glued = ReferenceFrames(frames.tangents, d1, twists)
        rest = np.zeros((count, 5))
        bend = RodBendTwistTerm(strands, places, glued, rest, voronoi_lengths=voronoi, stiffness=stiffness)
        q = np.concatenate([x.ravel(), thetas])
        gradient = assembled(bend, bend.gradient(q), 4 * count)
        assert np.abs(gradient).max() < 1e-9
        exact = bend_twist_hessian(
            x[strands.corners],
            thetas[strands.joints],
            glued,
            rest,
            voronoi_lengths=voronoi,
            stiffness=stiffness,
        )
        hessian = assembled(bend, exact, 4 * count) + assembled(stretch, stretch.hessian(q), 4 * count)
        tangents = np.roll(x, -1, axis=0) - x
        tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
        held = [np.concatenate([np.tile(a, count), np.zeros(count)]) for a in np.eye(3)]
        held += [np.concatenate([np.cross(a, x).ravel(), tangents @ a]) for a in np.eye(3)]
        held.append(np.concatenate([np.zeros(3 * count), np.ones(count)]))
        basis, _ = np.linalg.qr(np.array(held).T)
        assert np.abs(hessian @ basis).max() < 1e-7
        return np.linalg.eigvalsh(hessian.toarray() + 1e3 * basis @ basis.T)[0]

    michell = 2 * np.pi * np.sqrt(3.0) * bending / twisting
    assert lowest_eigenvalue(0.0) > 0.0
    critical = brentq(lowest_eigenvalue, 0.5 * michell, 1.5 * michell, xtol=1e-3)
    assert critical == pytest.approx(michell, rel=0.01)


def test_a_chain_that_hardly_bends_hangs_as_a_catenary():
    span, length, edges = 1.0, 1.5, 60
    strands = strands_of([edges + 1], [False])
    a = brentq(lambda a: 2 * a * np.sinh(span / (2 * a)) - length, 0.05, 10.0)
    # From two straight halves.
    down = np.sqrt((length / 2) ** 2 - (span / 2) ** 2)
    way = np.linspace(-1.0, 1.0, edges + 1)
    x = np.stack([0.5 * span * way, 0 * way, down * (np.abs(way) - 1.0)], 1)
    frames, _ = adapted_frames(x, strands)
    lengths = np.full(edges, length / edges)
    places = x.size + np.arange(edges)
    terms = (
        RodStretchTerm(strands, lengths, 1e5),
        RodBendTwistTerm(
            strands,
            places,
            frames,
            np.zeros((edges - 1, 5)),
            voronoi_lengths=lengths[1:],
            stiffness=np.full(3, 1e-6),
        ),
    )
    q = np.concatenate([x.ravel(), np.zeros(edges)])
    load = np.zeros_like(q)
    load[2 : x.size : 3] = -1.0 / edges
    free = np.setdiff1d(np.arange(len(q)), [0, 1, 2, x.size - 3, x.size - 2, x.size - 1, places[0]])
    q, residual = settle(terms, q, free, load)
    assert residual < 1e-8
    hung = q[: x.size].reshape(-1, 3)
    height = a * (np.cosh(hung[:, 0] / a) - np.cosh(span / (2 * a)))
    assert np.abs(hung[:, 2] - height).max() < 0.0005 * length
    assert np.abs(hung[:, 1]).max() < 1e-9

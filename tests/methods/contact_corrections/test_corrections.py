"""Corrections: equation 1 written out, Jacobians against finite differences, cubature."""

from __future__ import annotations

import numpy as np
import pytest
from handle_blocks import block, handles_of, placed, surface_of, whole
from scipy.spatial.transform import Rotation

from ml_backend.training.cubature import fit_elements, fit_masses
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.methods.contact_corrections.contact import Placed
from neural_physics.methods.contact_corrections.corrections import (
    Correction,
    Corrections,
    internal_features,
    pressing,
)
from neural_physics.methods.contact_corrections.locator import Locator, Seen, seen_of
from neural_physics.methods.contact_corrections.networks import TanhNetwork
from neural_physics.methods.contact_corrections.part import Part

PINS = (0, 1, 2, 3)
POINTS = 6
REACH, REFERENCE_DEPTH = 1e-3, 0.05  # m


@pytest.fixture(scope="module")
def held():
    body = block(pins=PINS)
    return body, handles_of(body, POINTS)


def network(inputs, outputs, seed, range_=np.inf, margin=0.0):
    rng = np.random.default_rng(seed)
    layers = [
        (rng.normal(size=(9, inputs)), rng.normal(size=9)),
        (0.3 * rng.normal(size=(outputs, 9)), rng.normal(size=outputs)),
    ]
    low, high = np.full(inputs, -range_), np.full(inputs, range_)
    return TanhNetwork(
        0.1 * rng.normal(size=inputs),
        0.5 + rng.random(inputs),
        low,
        high,
        np.full(inputs, margin),
        layers=layers,
    )


def corrections_of(body, handles, oriented=False, **more):
    rng = np.random.default_rng(5)
    bases = [0.01 * rng.normal(size=(k, body.vertex_count, 3)) for k in (4, 3)]
    inner = Correction(network(3 * len(handles.rest), 4, 1), bases[0])
    outer = Correction(network(10 if oriented else 4, 3, 2), bases[1])
    surface = surface_of(body, (Sphere(0.1), Sphere(0.2)))
    return (
        Corrections(
            handles, inner, outer, surface, reference_depth=REFERENCE_DEPTH, oriented=oriented, **more
        ),
        inner,
        outer,
    )


def bent(handles, turned=True):
    rng = np.random.default_rng(7)
    q = handles.rest + 0.03 * rng.normal(size=handles.rest.shape)
    turn = Rotation.from_rotvec([0.3, 0.6, -0.2]).as_matrix() if turned else np.eye(3)
    if len(q) > handles.free:
        q[handles.free :] = handles.rest[handles.free :]
    return q @ turn.T + [0.5, 0.0, 0.1]


def test_the_jacobian_of_a_network_is_that_of_finite_differences():
    net = network(7, 4, 3)
    x = np.random.default_rng(1).normal(size=7)
    jacobian = net.jacobian(x, net.activations(x))
    steps = 1e-6 * np.eye(7)
    found = np.stack([(net(x + s) - net(x - s)) / 2e-6 for s in steps], 1)
    np.testing.assert_allclose(jacobian, found, atol=1e-8)
    back = np.array([0.3, -1.0, 2.0, 0.5])
    np.testing.assert_allclose(net.pulled(x, net.activations(x), back), back @ found, atol=1e-8)


def test_what_is_beyond_the_range_is_taken_for_its_end():
    net = network(7, 4, 3, range_=1.0)
    x = np.zeros(7)
    x[2], x[5] = 3.0, -4.0
    at_end = x.clip(-1.0, 1.0)
    np.testing.assert_array_equal(net(x), net(at_end))
    assert net.outside(x) == pytest.approx(2 / 7)
    assert not net.jacobian(x, net.activations(x))[:, [2, 5]].any()


def test_a_margin_is_come_into_the_slower_the_farther():
    """Smoothly, so that derivatives have no jump, and no farther than to its end."""
    net = network(3, 4, 3, range_=1.0, margin=0.2)
    hard, x = network(3, 4, 3, range_=1.2), np.array([0.9, -0.4, 0.0])
    np.testing.assert_array_equal(net(x), hard(x))
    np.testing.assert_allclose(
        net(np.array([90.0, -90.0, 0.0])), hard(np.array([1.2, -1.2, 0.0])), atol=1e-12
    )
    for x in np.random.default_rng(2).uniform(-1.5, 1.5, (20, 3)):
        steps = 1e-6 * np.eye(3)
        slopes = np.stack([(net(x + s) - net(x - s)) / 2e-6 for s in steps], 1)
        np.testing.assert_allclose(net.jacobian(x, net.activations(x)), slopes, atol=1e-7)
    at_end = [net.jacobian(x, net.activations(x)) for x in (np.full(3, 1.0 - 1e-9), np.full(3, 1.0 + 1e-9))]
    np.testing.assert_allclose(*at_end, atol=1e-7)
    assert net.outside(np.array([1.1, 0.0, 0.0])) == 0.0 and net.outside(np.full(3, 1.3)) == 1.0


def test_equation_1_is_what_comes_out(held):
    """Written out vertex by vertex, with two colliders that both press: their corrections add up."""
    body, handles = held
    corrections, inner, outer = corrections_of(body, handles)
    q = bent(handles)
    centres, sizes = handles.positions(q)[[0, -1]] + 0.03, np.array([0.1, 0.2])
    pose = corrections.pose(q, placed(*centres), sizes)
    rotation, place = handles.placement(q)
    local = np.tensordot(inner.network(internal_features(q, rotation, place)), inner.basis, 1)
    alone = np.array(
        [w @ q + (q.T @ g.T) @ r for w, g, r in zip(handles.weights, handles.gradients, local, strict=True)]
    )
    for centre, size in zip(centres, sizes, strict=True):
        at_rest, _ = Locator(handles, np.arange(body.vertex_count))(Seen(centre[None]), q)
        depth = REACH + size - np.linalg.norm(alone - centre, axis=1).min()
        assert depth > 0.01
        dent = np.tensordot(outer.network(np.append(at_rest, size)), outer.basis, 1)
        local = local + (depth / REFERENCE_DEPTH) ** 1.25 * dent
    expected = [
        w @ q + (q.T @ g.T) @ r for w, g, r in zip(handles.weights, handles.gradients, local, strict=True)
    ]
    part = Part(handles, corrections.basis, np.arange(body.vertex_count))
    np.testing.assert_allclose(part.positions(pose), expected, atol=1e-10)
    some = np.array([3, 11, 20])
    whole = part.jacobian(pose, pose.slopes)
    np.testing.assert_allclose(part.jacobian(pose, pose.slopes, some), whole[some], atol=1e-12)


@pytest.mark.parametrize("pinned", [True, False])
def test_equation_3_is_the_jacobian_where_the_placement_stays(held, pinned):
    """Against finite differences of x, without frames with the placement's turn as it is."""
    body, handles = held
    if not pinned:
        body = block()
        handles = handles_of(body, POINTS)
    corrections, _, _ = corrections_of(body, handles)
    q, n = bent(handles), handles.free
    nothing, sizes = placed(), np.zeros(0)
    turned = handles.placement(q)[0]
    part = Part(handles, corrections.basis, np.arange(body.vertex_count))

    def shape(flat):
        moved = q.copy()
        moved[:n] = flat.reshape(n, 3)
        return part.positions(corrections.pose(moved, nothing, sizes, turned))

    pose = corrections.pose(q, nothing, sizes, turned)
    found = part.jacobian(pose, pose.slopes)
    at = q[:n].ravel()
    columns = [(shape(at + s) - shape(at - s)) / 2e-6 for s in 1e-6 * np.eye(3 * n)]
    np.testing.assert_allclose(found, np.stack(columns, 2), atol=1e-7)


def test_a_dent_grows_and_shrinks_with_the_depth_as_its_derivative_says(held):
    """Against finite differences, of a network that always says the same, so that nothing else changes."""
    body, handles = held
    corrections, _, outer = corrections_of(body, handles)
    outer.network.layers[0][0][:] = 0.0
    q, n, size, turned = bent(handles), handles.free, np.array([0.1]), handles.placement(bent(handles))[0]
    beside = placed(handles.positions(q)[-1] + 0.03)

    def dents(flat):
        moved = q.copy()
        moved[:n] = flat.reshape(n, 3)
        return corrections.pose(moved, beside, size, turned).c[4:]

    at, h = q[:n].ravel(), 1e-6
    found = corrections.pose(q, beside, size, turned).slopes[4:]
    columns = [(dents(at + s) - dents(at - s)) / (2.0 * h) for s in h * np.eye(3 * n)]
    assert np.abs(found).max() > 1.0
    np.testing.assert_allclose(found, np.stack(columns, 1), atol=1e-5 * np.abs(found).max())


def test_deeper_than_was_learned_a_dent_grows_no_more(held):
    """Of a network that always says the same: as at the deepest that was learned, and flat from there on."""
    body, handles = held
    corrections, _, outer = corrections_of(body, handles, deepest=0.02)
    outer.network.layers[0][0][:] = 0.0
    q, size = bent(handles), np.array([0.1])
    turned, corner = handles.placement(q)[0], handles.positions(q)[-1]
    share, _ = pressing(0.02, REFERENCE_DEPTH)
    depths, dents = [], []
    for away in (0.105, 0.06, 0.03, 0.0):
        beside = placed(corner + np.array([away, 0.0, 0.0]))
        pose = corrections.pose(q, beside, size, turned)
        (dent,) = pose.dents
        (found,) = surface_of(body, (Sphere(0.1), Sphere(0.2))).contact.deepest(
            Part(handles, corrections.basis, np.arange(body.vertex_count)).positions(
                corrections.pose(q, placed(), np.zeros(0), turned)
            ),
            beside,
            1,
        )
        depths.append(found[0])
        dents.append(pose.c[4:])
        assert pose.too_deep == (found[0] > 0.02)
        assert (dent.steepness == 0.0) == (found[0] > 0.02)
    assert depths[0] < 0.02 < depths[1]
    says = outer.network(np.zeros(4))
    for depth, dent in zip(depths, dents, strict=True):
        expected = (depth / REFERENCE_DEPTH) ** 1.25 if depth < 0.02 else share
        np.testing.assert_allclose(dent, expected * says, rtol=1e-9)


def test_a_collider_is_found_where_it_would_be_at_rest():
    """Exactly where the blend is affine; and it seems to go the other way when the whole body moves."""
    body = block()
    handles = handles_of(body, POINTS)
    locate = Locator(handles, np.arange(body.vertex_count))
    matrix = np.array([[1.2, 0.3, -0.1], [0.0, 0.8, 0.4], [0.2, 0.1, 1.1]])
    at_rest = np.array([0.4, 0.1, 0.5])
    found, slopes = locate(Seen((matrix @ at_rest + 0.3)[None]), handles.rest @ matrix.T + 0.3)
    np.testing.assert_allclose(found, at_rest, atol=1e-9)
    np.testing.assert_allclose(slopes.sum(1), -np.linalg.inv(matrix), atol=1e-9)


@pytest.mark.parametrize("oriented", [False, True])
def test_corrections_turn_and_move_with_the_body(held, oriented):
    body, handles = held
    corrections, _, _ = corrections_of(body, handles, oriented=oriented)
    part = Part(handles, corrections.basis, np.arange(body.vertex_count))
    q, axes = bent(handles, turned=False), Rotation.from_rotvec([-0.2, 0.9, 0.3]).as_matrix()
    turn, size = Rotation.from_rotvec([0.5, -0.4, 1.0]).as_matrix(), np.array([0.1])
    beside = Placed(handles.positions(q)[-1:] + 0.03, axes[None])
    before = part.positions(corrections.pose(q, beside, size))
    along = Placed(beside.centres @ turn.T + 1.0, turn @ beside.turns)
    after = part.positions(corrections.pose(q @ turn.T + 1.0, along, size))
    np.testing.assert_allclose(after, before @ turn.T + 1.0, atol=1e-9)
    otherwise = part.positions(corrections.pose(q, Placed(beside.centres, np.eye(3)[None]), size))
    assert (np.abs(otherwise - before).max() > 1e-4) == oriented


def test_a_collider_s_orientation_is_given_as_the_body_at_rest_would_see_it():
    """Exactly where the blend is affine, and its derivatives are those of finite differences."""
    body = block()
    handles = handles_of(body, POINTS)
    locate = Locator(handles, np.arange(body.vertex_count))
    matrix, axes = np.array([[1.2, 0.3, -0.1], [0.0, 0.8, 0.4], [0.2, 0.1, 1.1]]), np.eye(3)[[2, 0, 1]]
    place, affine = np.array([[0.5, 0.4, 0.9]]), handles.rest @ matrix.T + 0.3
    seen = Seen(place, axes[:, :2])
    found, slopes = locate(seen, affine)
    np.testing.assert_allclose(found[3:].reshape(2, 3), (np.linalg.inv(matrix) @ axes)[:, :2].T, atol=1e-9)
    np.testing.assert_array_equal(found[:3], locate(Seen(place), affine)[0])
    # The shares of vertices change with Q, but where all vertices say the same that changes nothing.
    for number, axis in ((0, 0), (3, 2)):
        moved = np.zeros_like(affine)
        moved[number, axis] = 1e-6
        ahead, back = (locate(seen, affine + sign * moved)[0] for sign in (1.0, -1.0))
        np.testing.assert_allclose(slopes[3:, number, axis], (ahead - back)[3:] / 2e-6, atol=1e-6)


def test_several_places_are_each_found_as_one_by_itself(held):
    body, handles = held
    locate, q = Locator(handles, np.arange(body.vertex_count)), bent(handles)
    places = handles.positions(q)[[0, 5, -1]] + 0.03
    found, slopes = locate(Seen(places), q)
    alone = [locate(Seen(place[None]), q) for place in places]
    np.testing.assert_allclose(found, np.concatenate([each for each, _ in alone]), atol=1e-14)
    np.testing.assert_allclose(slopes, np.concatenate([each for _, each in alone]), atol=1e-14)


def test_a_polygon_is_seen_by_places_along_its_outline():
    """The same ones however little its corners are off, as those of a model file are."""
    outline = np.array([[-2.0, 0.0], [2.0, 0.0], [2.0, 4.0], [-2.0, 4.0]])
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    seen = seen_of(Polygon(outline), np.array([10.0, 0.0]), turn, oriented=True)
    assert seen.axes is None and len(seen.places) == 8
    expected = [[10, -2], [10, 0], [10, 2], [8, 2], [6, 2], [6, 0], [6, -2], [8, -2]]
    np.testing.assert_allclose(seen.places, expected, atol=1e-12)
    rounded = seen_of(Polygon(outline + 1e-7), np.array([10.0, 0.0]), turn, oriented=True)
    np.testing.assert_allclose(rounded.places, expected, atol=1e-6)


def test_a_collider_that_is_far_changes_nothing(held):
    body, handles = held
    corrections, _, _ = corrections_of(body, handles)
    q = bent(handles)
    alone = corrections.pose(q, placed(), np.zeros(0))
    far = corrections.pose(q, placed([5.0, 0.0, 0.0]), np.array([0.1]))
    np.testing.assert_array_equal(far.c, alone.c)
    np.testing.assert_array_equal(far.slopes, alone.slopes)


def test_a_cubature_gives_the_forces_of_shapes_it_has_not_seen(held):
    body, handles = held
    every = whole(body)
    rng = np.random.default_rng(3)

    def forces(count):
        found = []
        for _ in range(count):
            q = handles.rest.copy()
            q[:POINTS] += 0.05 * rng.normal(size=(POINTS, 3))
            by_element = every.element_forces(handles.positions(q)).reshape(-1, 4, 3)
            shares = handles.weights[:, :POINTS][body.elements]
            found.append(np.einsum("mkd,mkn->mnd", by_element, shares).reshape(len(by_element), -1))
        return np.array(found)

    seen, unseen = forces(60), forces(30)
    chosen = fit_elements(seen, 40)
    assert 10 < len(chosen.elements) <= 40 < len(body.elements) and (chosen.weights > 0.0).all()

    def error(elements, weights):
        wrong = np.einsum("k,tkc->tc", weights, unseen[:, elements]) - unseen.sum(1)
        return float((np.linalg.norm(wrong, axis=1) / np.linalg.norm(unseen.sum(1), axis=1)).mean())

    fitted = error(chosen.elements, chosen.weights)
    by_chance = rng.permutation(len(body.elements))[:40]
    assert fitted < 0.15
    assert fitted < 0.4 * error(by_chance, np.full(40, len(body.elements) / 40))


def test_masses_of_a_few_vertices_are_those_of_the_body(held):
    body, handles = held
    vertices = np.sort(np.random.default_rng(2).permutation(body.vertex_count)[:40])
    masses = fit_masses(handles.weights, body.masses, vertices)
    assert (masses >= 0.0).all()
    assert masses.sum() == pytest.approx(body.masses.sum(), rel=1e-12)
    reduced = handles.weights.T @ (body.masses[:, None] * handles.weights)
    found = handles.weights[vertices].T @ (masses[:, None] * handles.weights[vertices])
    assert np.linalg.norm(found - reduced) < 0.05 * np.linalg.norm(reduced)

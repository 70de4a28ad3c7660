"""Signed distances of colliders, held against closed forms, finite differences and each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from capsule_collider import Capsule

from neural_physics.energies.colliders import triangle_tree
from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.closed_mesh import ClosedMesh
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.sphere import Sphere

# Seen from outside counter-clockwise.
BOX_TRIANGLES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)
L_SHAPE = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], float)


def box_mesh(half_extents=(0.3, 0.2, 0.5)):
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * half_extents
    return ClosedMesh(corners, BOX_TRIANGLES)


def icosphere(levels: int, radius: float = 1.0):
    """Positions and triangles of an icosahedron, each triangle split in four so many times."""
    g = (1 + 5**0.5) / 2
    points = np.array([p for a in (-1, 1) for b in (-g, g) for p in ((0, a, b), (a, b, 0), (b, 0, a))], float)
    near = np.linalg.norm(points[:, None] - points, axis=2) < 2.1
    triangles = [
        t
        for t in itertools.combinations(range(12), 3)
        if all(near[i, j] for i, j in ((t[0], t[1]), (t[1], t[2]), (t[0], t[2])))
    ]
    triangles = [t if np.linalg.det(points[list(t)]) > 0 else t[::-1] for t in triangles]
    for _ in range(levels):
        points, finer, middles = list(points), [], {}
        for a, b, c in triangles:
            halves = []
            for edge in ((a, b), (b, c), (c, a)):
                key = tuple(sorted(edge))
                if key not in middles:
                    middles[key] = len(points)
                    points.append((points[edge[0]] + points[edge[1]]) / 2)
                halves.append(middles[key])
            ab, bc, ca = halves
            finer += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        points, triangles = np.array(points), finer
    points *= radius / np.linalg.norm(points, axis=1, keepdims=True)
    return points, np.array(triangles)


def torus(major: float = 1.0, minor: float = 0.3, around: int = 48, across: int = 24):
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2 * np.pi * u / around, 2 * np.pi * v / across
    rings = major + minor * np.cos(b)
    points = np.stack([rings * np.cos(a), rings * np.sin(a), minor * np.sin(b)], -1).reshape(-1, 3)

    def at(i, j):
        return ((i % around) * across + j % across).ravel()

    p, q, r, s = at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)
    return points, np.concatenate([np.stack([p, q, r], 1), np.stack([p, r, s], 1)])


def shapes():
    return {
        "half-space": HalfSpace(),
        "half-plane": HalfSpace(2),
        "sphere": Sphere(0.4),
        "disc": Sphere(0.4, 2),
        "capsule": Capsule(0.2, 0.35),
        "stadium": Capsule(0.2, 0.35, 2),
        "box": Box((0.3, 0.2, 0.5)),
        "rectangle": Box((0.3, 0.5)),
        "mesh of a box": box_mesh(),
        "mesh of a ball": ClosedMesh(*icosphere(1, 0.5)),
        "container": ClosedMesh(icosphere(1)[0], icosphere(1)[1][:, ::-1]),
        "polygon": Polygon(0.4 * L_SHAPE - 0.3),
    }


@pytest.mark.parametrize("name", shapes())
def test_gradients_are_unit_and_with_the_hessians_the_derivatives_of_the_distance(name):
    shape = shapes()[name]
    d = shape.dimension
    points = np.random.default_rng(0).uniform(-0.9, 0.9, (300, d))
    gradient, hessian = shape.gradient(points), shape.hessian(points)
    h = 1e-6
    steps = h * np.eye(d)
    slopes = np.stack([shape.distance(points + s) - shape.distance(points - s) for s in steps], 1) / (2 * h)
    bends = np.stack([shape.gradient(points + s) - shape.gradient(points - s) for s in steps], 1) / (2 * h)
    assert np.linalg.norm(gradient, axis=1) == pytest.approx(1.0, abs=1e-12)
    assert gradient == pytest.approx(slopes, abs=1e-7)
    assert hessian == pytest.approx(bends, abs=1e-5, rel=1e-5)


def test_distances_of_simple_shapes_are_those_of_their_definitions():
    points = np.random.default_rng(1).uniform(-1, 1, (400, 3))
    assert np.array_equal(HalfSpace().distance(points), points[:, 2])
    assert Sphere(0.4).distance(points) == pytest.approx(np.sqrt((points**2).sum(1)) - 0.4)
    segment = np.linspace([0, 0, -0.35], [0, 0, 0.35], 4001)
    nearest = np.array([np.sqrt(((p - segment) ** 2).sum(1)).min() for p in points])
    assert Capsule(0.2, 0.35).distance(points) == pytest.approx(nearest - 0.2, abs=1e-6)
    half = np.array([0.3, 0.2, 0.5])
    outside = np.linalg.norm(points - np.clip(points, -half, half), axis=1)
    depth = np.minimum(half - points, half + points).min(1)
    assert Box(tuple(half)).distance(points) == pytest.approx(np.where(depth > 0, -depth, outside))


@pytest.mark.parametrize("shape", [Sphere(0.4), Capsule(0.2, 0.35), Box((0.3, 0.2, 0.5)), box_mesh()])
def test_there_are_numbers_even_at_centres_and_corners(shape):
    points = np.concatenate([np.zeros((1, 3)), [[0.3, 0.2, 0.5], [0.3, 0.2, 0.1], [0.3, 0, 0], [0, 0, 0.1]]])
    assert np.linalg.norm(shape.gradient(points), axis=1) == pytest.approx(1.0)
    assert np.isfinite(shape.hessian(points)).all() and np.isfinite(shape.distance(points)).all()


def test_a_mesh_of_a_box_is_that_box_inside_and_outside_near_and_far():
    mesh, box = box_mesh(), Box((0.3, 0.2, 0.5))
    rng = np.random.default_rng(2)
    points = np.concatenate([rng.uniform(-0.7, 0.7, (2000, 3)), rng.uniform(-100, 100, (200, 3))])
    assert mesh.distance(points) == pytest.approx(box.distance(points), abs=1e-13)
    assert mesh.gradient(points) == pytest.approx(box.gradient(points), abs=1e-9)
    assert mesh.hessian(points) == pytest.approx(box.hessian(points), abs=1e-9)


def test_distances_to_a_mesh_of_a_ball_and_of_a_ring_are_theirs_but_for_the_facets():
    rng = np.random.default_rng(3)
    positions, triangles = icosphere(3, 0.5)
    points = rng.uniform(-1, 1, (1500, 3))
    exact = np.linalg.norm(points, axis=1) - 0.5
    # All facets are below the sphere, no deeper than their planes.
    a, b, c = positions[triangles].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    planes = (a * normals).sum(1) / np.linalg.norm(normals, axis=1)
    error = ClosedMesh(positions, triangles).distance(points) - exact
    assert error.min() > -1e-12 and error.max() < 0.5 - planes.min() < 0.0025
    ring = ClosedMesh(*torus())
    points = rng.uniform(-1.5, 1.5, (1500, 3)) * [1, 1, 0.3]
    exact = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1.0, points[:, 2]) - 0.3
    distance = ring.distance(points)
    assert np.abs(distance - exact).max() < 0.006
    clear = np.abs(exact) > 0.006
    assert (np.sign(distance) == np.sign(exact))[clear].all() and (exact < 0)[clear].sum() > 100


def test_no_point_of_a_mesh_is_nearer_than_the_computed_distance():
    positions, triangles = torus(around=24, across=12)
    points = np.random.default_rng(4).uniform(-2, 2, (60, 3))
    share = np.array([(i, j, 20 - i - j) for i in range(21) for j in range(21 - i)]) / 20
    surface = np.einsum("sc,tcd->tsd", share, positions[triangles]).reshape(-1, 3)
    sampled = np.array([np.sqrt(((p - surface) ** 2).sum(1).min()) for p in points])
    distance = np.abs(ClosedMesh(positions, triangles).distance(points))
    assert (distance <= sampled + 1e-12).all() and distance == pytest.approx(sampled, abs=2e-3)


def test_triangles_without_area_change_nothing():
    positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0, 0]], float)
    plain = ClosedMesh(positions, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]))
    split = ClosedMesh(
        positions, np.array([[0, 2, 4], [4, 2, 1], [0, 4, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    )
    points = np.random.default_rng(5).uniform(-0.5, 1.5, (500, 3))
    assert split.distance(points) == pytest.approx(plain.distance(points), abs=1e-14)
    assert split.gradient(points) == pytest.approx(plain.gradient(points), abs=1e-9)


def test_meshes_that_bound_no_solid_are_refused():
    positions, triangles = icosphere(1)
    with pytest.raises(ValueError, match="open"):
        ClosedMesh(positions, triangles[1:])
    triangles[3] = triangles[3, ::-1]
    with pytest.raises(ValueError, match="inconsistent normals"):
        ClosedMesh(positions, triangles)
    with pytest.raises(ValueError, match="two at each"):
        ClosedMesh(np.r_[positions, positions[:1]], np.concatenate([triangles, triangles[:1], triangles[:1]]))


def test_a_polygon_is_its_box_or_its_two_boxes():
    points = np.random.default_rng(6).uniform(-1, 3, (1500, 2))
    square = Polygon(np.array([[0, 0], [2, 0], [2, 2], [0, 2]], float))
    assert square.distance(points) == pytest.approx(Box((1.0, 1.0)).distance(points - 1.0), abs=1e-13)
    ell = Polygon(L_SHAPE).distance(points)
    lying, standing = Box((1.0, 0.5)).distance(points - [1, 0.5]), Box((0.5, 1.0)).distance(points - [0.5, 1])
    outside = ell > 0
    assert outside.any() and not outside.all()
    assert ell[outside] == pytest.approx(np.minimum(lying, standing)[outside], abs=1e-13)
    assert (np.minimum(lying, standing)[~outside] <= 0).all()
    assert Polygon(L_SHAPE[::-1]).distance(points) == pytest.approx(-ell, abs=1e-15)


@pytest.mark.parametrize("corners", [L_SHAPE, L_SHAPE[::-1]], ids=["solid", "container"])
def test_nothing_that_a_polygon_is_near_to_is_left_out(corners):
    shape, points = Polygon(corners), np.random.default_rng(3).uniform(-3.0, 5.0, (400, 2))
    reached = shape.distance(points) < 0.3
    among = shape.may_reach(points, 0.3)
    assert set(np.flatnonzero(reached)) <= set(among)
    assert not len(shape.may_reach(np.zeros((0, 2)), 0.3))
    if corners is L_SHAPE:
        assert len(among) < len(points) // 2


def test_polygons_that_cross_themselves_are_refused():
    with pytest.raises(ValueError, match="cross"):
        Polygon(np.array([[0, 0], [1, 1], [1, 0], [0, 1]], float))
    with pytest.raises(ValueError, match="three corners"):
        Polygon(np.array([[0, 0], [1, 1]], float))


def summed(shape, points, reach, power=3):
    """Sum over pieces of (reach - distance)^power, and its gradient."""
    pieces = shape.pieces(points, reach)
    values = np.bincount(
        pieces.points, pieces.weights * (reach - pieces.distances) ** power, minlength=len(points)
    )
    slopes = np.zeros_like(points)
    scales = pieces.weights * -power * (reach - pieces.distances) ** (power - 1)
    np.add.at(slopes, pieces.points, scales[:, None] * pieces.gradients)
    return values, slopes


def test_pieces_of_a_convex_mesh_and_polygon_sum_up_to_the_distance_alone():
    rng = np.random.default_rng(7)
    for shape in (ClosedMesh(*icosphere(2, 0.5)), box_mesh(), Polygon(L_SHAPE[[0, 1, 2, 5]] - 0.7)):
        points = rng.uniform(-1, 1, (600, shape.dimension))
        points = points[shape.distance(points) > 0]
        values, slopes = summed(shape, points, 0.3)
        depth = np.maximum(0.3 - shape.distance(points), 0.0)
        assert (depth > 0).sum() > 50
        assert values == pytest.approx(depth**3, abs=1e-14)
        assert slopes == pytest.approx(-3 * (depth**2)[:, None] * shape.gradient(points), abs=1e-12)


def test_pieces_in_a_groove_pull_from_both_walls_without_a_jump():
    shape = Polygon(L_SHAPE)
    points = np.array([[1.2 + s, 1.2 - s] for s in (-1e-7, 1e-7)])
    jump = np.diff(shape.gradient(points), axis=0)
    values, slopes = summed(shape, points, 0.25)
    assert np.abs(jump).max() == pytest.approx(1.0)
    assert np.abs(np.diff(slopes, axis=0)).max() < 1e-5
    # The corner itself, 0.28 away, is out of reach, so that the walls count once each.
    assert values == pytest.approx(2 * 0.05**3, rel=1e-4)


def test_bends_of_pieces_are_the_derivatives_of_their_slopes():
    shape = ClosedMesh(*torus(around=12, across=8))
    points = np.random.default_rng(8).uniform(-1.5, 1.5, (200, 3))
    points = points[shape.distance(points) > 0.02]
    direction = np.random.default_rng(9).normal(size=points.shape)
    h = 1e-6
    pieces, ahead, behind = (shape.pieces(points + s * direction, 0.35) for s in (0, h, -h))
    order = [np.lexsort((np.round(p.distances, 4), p.weights, p.points)) for p in (pieces, ahead, behind)]
    assert len(pieces.points) == len(ahead.points) == len(behind.points) > 300
    change = (ahead.gradients[order[1]] - behind.gradients[order[2]]) / (2 * h)
    predicted = np.einsum("kij,kj->ki", pieces.hessians, direction[pieces.points])[order[0]]
    # Pieces at one and the same distance may change places; almost all of them keep theirs.
    assert np.mean(np.abs(change - predicted).max(1) < 1e-4) > 0.95


@pytest.mark.torch
@pytest.mark.parametrize("name", ["half-space", "sphere", "stadium", "capsule", "box", "rectangle"])
def test_torch_gets_the_same_distances_and_derivatives(name):
    torch = pytest.importorskip("torch")
    shape = shapes()[name]
    points = np.random.default_rng(10).uniform(-0.9, 0.9, (100, shape.dimension))
    points[0] = 0.0
    tensor = torch.tensor(points, requires_grad=True)
    distances = shape.distance(tensor)
    distances.sum().backward()
    assert distances.detach().numpy() == pytest.approx(shape.distance(points))
    assert torch.isfinite(tensor.grad).all()
    assert tensor.grad.numpy()[1:] == pytest.approx(shape.gradient(points)[1:])


def test_what_is_near_all_of_a_mesh_is_asked_in_portions(monkeypatch):
    """In the middle of a ball each triangle may be the nearest."""
    mesh = ClosedMesh(icosphere(2)[0], icosphere(2)[1][:, ::-1])
    points = np.random.default_rng(0).normal(size=(200, 3)) * 0.01
    at_once = mesh.distance_and_gradient(points), mesh.pieces(points, 2.0)
    monkeypatch.setattr(triangle_tree, "MOST_AT_ONCE", 1000)
    pairs = [len(at) for at, _ in mesh._tree.perhaps_nearest(points)]
    assert len(pairs) > 10 and max(pairs) <= 4 * 1000
    in_portions = mesh.distance_and_gradient(points), mesh.pieces(points, 2.0)
    for once, again in zip(at_once[0], in_portions[0], strict=True):
        np.testing.assert_array_equal(once, again)
    for name in ("points", "weights", "distances", "gradients", "hessians"):
        np.testing.assert_array_equal(getattr(at_once[1], name), getattr(in_portions[1], name))

"""Dihedral angles and both models of bending against differences, torch and the theory of plates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

from neural_physics.energies.shells import dihedral, hinge_bending, midedge_bending
from neural_physics.energies.shells.triangle_edges import triangle_edges


def differences(function, at, step=1e-6):
    """Central differences of (m, ...) by each element's own coordinates: (m, ..., s)."""
    columns = []
    for i in range(at[0].size):
        shift = np.zeros(at[0].size)
        shift[i] = step
        shift = shift.reshape(at.shape[1:])
        columns.append((function(at + shift) - function(at - shift)) / (2.0 * step))
    return np.stack(columns, -1)


def assert_alike(matrices, expected, share=1e-6):
    """Element for element, to a share of the element's largest entry."""
    largest = np.abs(expected).reshape(len(expected), -1).max(1)
    error = np.abs(matrices - expected).reshape(len(expected), -1).max(1)
    assert (error <= share * largest + 1e-9).all()


def random_rotation(rng):
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return turn * np.linalg.det(turn)


def folded(angles):
    """Hinges along y: a triangle to x = -1, and another that falls from the edge by the angle."""
    hinges = np.zeros((len(angles), 4, 3))
    hinges[:, 1, 1] = 1.3
    hinges[:, 2] = (-1.0, 0.3, 0.0)
    hinges[:, 3] = np.stack([np.cos(angles), 0.0 * angles + 0.9, -np.sin(angles)], 1)
    return hinges


def random_hinges():
    """Hinges (m, 4, 3) bent by anything up to 175 degrees, some flat."""
    rng = np.random.default_rng(1)
    angles = np.concatenate([np.radians([-175.0, -90.0, -1e-6, 0.0, 0.0, 1.0, 90.0, 175.0])])
    return np.concatenate([rng.normal(size=(12, 4, 3)), folded(angles) @ random_rotation(rng)])


def hinge_states():
    rng = np.random.default_rng(2)
    hinges = random_hinges()
    rest_angles = rng.uniform(-1.0, 1.0, len(hinges))
    return hinges, (rest_angles, rng.uniform(1.0, 3.0, len(hinges)))


def sheet(n, jitter=0.0, turn=0.0):
    """Vertices (V, 3) of a unit square about the origin, turned by degrees, and its triangles (m, 3).

    Inner vertices are moved by up to jitter cells; every cell has its diagonal the same way.
    """
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n + 1), np.linspace(-0.5, 0.5, n + 1), indexing="ij")
    inner = (np.abs(x) < 0.499) & (np.abs(y) < 0.499)
    shift = np.random.default_rng(3).uniform(-jitter / n, jitter / n, (2, n + 1, n + 1)) * inner
    points = np.stack([x + shift[0], y + shift[1], 0.0 * x], -1).reshape(-1, 3)
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    points = points @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    at = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (corner.ravel() for corner in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    return points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


class Midedge:
    """The energy of a mesh as one function of the triangles' own degrees of freedom (m, 21)."""

    def __init__(self, points, triangles, plate=2.0, poisson=0.3):
        self.mesh = triangle_edges(triangles)
        self.vertices = midedge_bending.stencil_vertices(self.mesh)
        self.constants = (
            self.mesh.signs,
            (self.mesh.opposite >= 0).astype(float),
            midedge_bending.dihedral_angles(points[self.vertices]),
            midedge_bending.angle_stiffness(points[triangles], plate, poisson),
        )

    def gather(self, points, xi):
        return np.concatenate([points[self.vertices].reshape(-1, 18), xi[self.mesh.sides]], 1)

    def of(self, function, own, constants=None):
        return function(own[:, :18].reshape(-1, 6, 3), own[:, 18:], *(constants or self.constants))

    def relaxed(self, points):
        """Energies (m,) with every xi where the sum is least."""
        edges, sides = len(self.mesh.edges), self.mesh.sides
        own = self.gather(points, np.zeros(edges))
        slope = np.bincount(sides.ravel(), self.of(midedge_bending.gradient, own)[:, 18:].ravel())
        blocks = self.of(midedge_bending.hessian, own)[:, 18:, 18:]
        rows, columns = np.repeat(sides, 3, 1).ravel(), np.tile(sides, (1, 3)).ravel()
        matrix = coo_matrix((blocks.ravel(), (rows, columns)), (edges, edges)).tocsc()
        return self.of(midedge_bending.value, self.gather(points, -spsolve(matrix, slope)))


def crumpled():
    """Degrees of freedom of a sheet with rest curvature, bent by up to some 100 degrees at edges."""
    rng = np.random.default_rng(4)
    points, triangles = sheet(3, 0.3)
    rest = points + rng.normal(size=points.shape) * 0.05
    # One triangle is wound the other way.
    triangles[4] = triangles[4, ::-1]
    midedge = Midedge(rest, triangles)
    now = rest + rng.normal(size=points.shape) * 0.1
    return midedge, midedge.gather(now, rng.normal(size=len(midedge.mesh.edges)) * 0.5)


def inside(points, triangles):
    """Triangles away from the boundary of a turned sheet (within 0.3 of the middle), and all areas."""
    corners = points[triangles]
    areas = (
        np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=-1) / 2
    )
    return np.linalg.norm(corners.mean(1), axis=-1) < 0.3, areas


def on_cylinder(points):
    """A plane rolled onto a cylinder of radius 1 along y, without stretch."""
    return np.stack([np.sin(points[:, 0]), points[:, 1], np.cos(points[:, 0]) - 1.0], 1)


def test_angles_are_those_that_were_folded_and_positive_at_a_ridge():
    angles = np.radians([-179.0, -90.0, -1e-6, 0.0, 1e-6, 90.0, 179.0])
    assert dihedral.angle(folded(angles)) == pytest.approx(angles, rel=1e-9, abs=1e-15)
    swapped = folded(angles)[:, [1, 0, 3, 2]]
    assert dihedral.angle(swapped) == pytest.approx(angles, rel=1e-9, abs=1e-15)


def test_derivatives_of_the_angle_are_what_differences_say():
    hinges = random_hinges()
    assert_alike(dihedral.gradient(hinges), differences(dihedral.angle, hinges))
    assert_alike(dihedral.hessian(hinges), differences(dihedral.gradient, hinges))


def test_a_triangle_without_area_adds_nothing_to_the_derivatives():
    hinges = folded(np.array([0.5]))
    hinges[0, 3] = (0.0, 0.4, 0.0)
    assert np.isfinite(dihedral.gradient(hinges)).all() and np.isfinite(dihedral.hessian(hinges)).all()
    assert not dihedral.gradient(hinges)[0, 9:].any()


def test_derivatives_of_hinge_bending_are_what_differences_say():
    hinges, constants = hinge_states()
    expected = differences(lambda x: hinge_bending.value(x, *constants), hinges)
    assert_alike(hinge_bending.gradient(hinges, *constants), expected)
    expected = differences(lambda x: hinge_bending.gradient(x, *constants), hinges)
    assert_alike(hinge_bending.hessian(hinges, *constants), expected)


def test_derivatives_of_midedge_bending_are_what_differences_say():
    midedge, own = crumpled()
    expected = differences(lambda x: midedge.of(midedge_bending.value, x), own)
    assert_alike(midedge.of(midedge_bending.gradient, own), expected)
    expected = differences(lambda x: midedge.of(midedge_bending.gradient, x), own)
    assert_alike(midedge.of(midedge_bending.hessian, own), expected)


def test_projected_hessians_of_bending_have_no_negative_eigenvalue_and_are_no_less_than_the_exact():
    hinges, constants = hinge_states()
    midedge, own = crumpled()
    for exact, projected in (
        [f(hinges, *constants) for f in (hinge_bending.hessian, hinge_bending.projected_hessian)],
        [midedge.of(f, own) for f in (midedge_bending.hessian, midedge_bending.projected_hessian)],
    ):
        scale = np.abs(projected).max((1, 2))
        assert (np.linalg.eigvalsh(exact)[:, 0] < -1e-3 * scale).any()
        assert (np.linalg.eigvalsh(projected)[:, 0] > -1e-13 * scale).all()
        assert (np.linalg.eigvalsh(projected - exact)[:, 0] > -1e-13 * scale).all()


def test_the_projected_hessian_of_what_is_at_rest_is_exact():
    hinges, (_, stiffness) = hinge_states()
    constants = (dihedral.angle(hinges), stiffness)
    assert_alike(
        hinge_bending.projected_hessian(hinges, *constants), hinge_bending.hessian(hinges, *constants), 1e-12
    )


@pytest.mark.torch
def test_torch_differentiates_the_same_values():
    torch = pytest.importorskip("torch")
    hinges, constants = hinge_states()
    at = torch.tensor(hinges, requires_grad=True)
    energies = hinge_bending.value(at, *map(torch.tensor, constants))
    assert energies.detach().numpy() == pytest.approx(hinge_bending.value(hinges, *constants), rel=1e-12)
    energies.sum().backward()
    assert_alike(at.grad.numpy().reshape(-1, 12), hinge_bending.gradient(hinges, *constants), 1e-9)

    midedge, own = crumpled()
    at = torch.tensor(own, requires_grad=True)
    energies = midedge.of(midedge_bending.value, at, tuple(map(torch.tensor, midedge.constants)))
    assert energies.detach().numpy() == pytest.approx(midedge.of(midedge_bending.value, own), rel=1e-12)
    energies.sum().backward()
    assert_alike(at.grad.numpy(), midedge.of(midedge_bending.gradient, own), 1e-9)


def test_moving_and_turning_changes_no_energy_of_bending():
    rotation = random_rotation(np.random.default_rng(5))
    hinges, constants = hinge_states()
    moved = hinges @ rotation + 2.0
    assert hinge_bending.value(moved, *constants) == pytest.approx(hinge_bending.value(hinges, *constants))
    midedge, own = crumpled()
    moved = own.copy()
    moved[:, :18] = (own[:, :18].reshape(-1, 6, 3) @ rotation + 2.0).reshape(-1, 18)
    assert midedge.of(midedge_bending.value, moved) == pytest.approx(midedge.of(midedge_bending.value, own))


def test_a_curved_rest_shape_has_neither_energy_nor_force():
    points, triangles = sheet(5, 0.3)
    curved = on_cylinder(2.0 * points) @ random_rotation(np.random.default_rng(6))
    midedge = Midedge(on_cylinder(2.0 * points), triangles)
    own = midedge.gather(curved, np.zeros(len(midedge.mesh.edges)))
    assert midedge.of(midedge_bending.value, own) == pytest.approx(0.0, abs=1e-25)
    assert midedge.of(midedge_bending.gradient, own) == pytest.approx(0.0, abs=1e-11)
    flat = midedge.gather(points, np.zeros(len(midedge.mesh.edges)))
    assert midedge.of(midedge_bending.value, flat).min() > 1e-4


def test_the_energy_is_continuous_where_a_hinge_folds_through_itself():
    before, after = folded(np.array([np.pi - 1e-9, -np.pi + 1e-9]))[:, None]
    for rest in (2.9, 0.0, -2.9):
        energies = [hinge_bending.value(h, np.array([rest]), np.ones(1)) for h in (before, after)]
        assert energies[0] == pytest.approx(energies[1], rel=1e-6)


def test_neighbours_that_are_wound_against_each_other_have_the_same_energies():
    points, triangles = sheet(4, 0.3)
    bent = on_cylinder(points)
    expected = Midedge(points, triangles).relaxed(bent)
    against = triangles.copy()
    against[::3] = against[::3, ::-1]
    assert Midedge(points, against).relaxed(bent) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("poisson", [0.0, 0.3])
@pytest.mark.parametrize(
    ("turn", "jitter"), [(0, 0), (30, 0), (45, 0), (90, 0), (135, 0), (0, 0.3), (20, 0.3)]
)
def test_midedge_bending_of_a_cylinder_converges_on_every_mesh(turn, jitter, poisson, record_property):
    exact, errors = 2.0 / 2.0, []
    for n in (20, 40):
        points, triangles = sheet(n, jitter, turn)
        energies = Midedge(points, triangles, 2.0, poisson).relaxed(on_cylinder(points))
        middle, areas = inside(points, triangles)
        assert energies[middle].sum() / areas[middle].sum() == pytest.approx(exact, rel=1e-3)
        errors.append(abs(energies.sum() - exact) / exact)
        mesh = triangle_edges(triangles)
        flat, bent = points[mesh.hinges], on_cylinder(points)[mesh.hinges]
        stiffness = hinge_bending.hinge_stiffness(flat, 2.0)
        hinges = hinge_bending.value(bent, dihedral.angle(flat), stiffness).sum()
        record_property(f"hinge_share_{n}", hinges / exact)
    # What is missing is at the boundary, whose normals are free, in a strip as wide as a triangle.
    assert errors[1] < 0.05 and errors[1] < 0.6 * errors[0]


def test_hinge_bending_of_a_cylinder_is_exact_on_a_grid_and_up_to_three_times_it_across_the_diagonals():
    shares = {}
    for turn in (0, 45, 135):
        points, triangles = sheet(40, 0.0, turn)
        mesh = triangle_edges(triangles)
        flat = points[mesh.hinges]
        middle = np.linalg.norm(flat.mean(1), axis=-1) < 0.4
        stiffness = hinge_bending.hinge_stiffness(flat, 2.0)
        energies = hinge_bending.value(on_cylinder(points)[mesh.hinges], dihedral.angle(flat), stiffness)
        # A third of both triangles belongs to each of their hinges.
        _, areas = inside(points, triangles)
        own = areas[mesh.hinge_triangles].sum(1) / 3.0
        shares[turn] = energies[middle].sum() / own[middle].sum()
    assert shares[0] == pytest.approx(1.0, rel=0.03) and shares[45] == pytest.approx(1.0, rel=0.03)
    assert shares[135] == pytest.approx(3.0, rel=0.03)


@pytest.mark.parametrize("turn", [0, 25, 90])
def test_hinge_bending_of_a_cylinder_is_exact_on_equilateral_triangles(turn):
    points, triangles = sheet(60)
    points[:, :2] = points[:, :2] @ np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)]])
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    points[:, :2] = points[:, :2] @ np.array([[cos, sin], [-sin, cos]])
    mesh = triangle_edges(triangles)
    flat = points[mesh.hinges]
    middle = np.linalg.norm(flat.mean(1), axis=-1) < 0.35
    stiffness = hinge_bending.hinge_stiffness(flat, 2.0)
    energies = hinge_bending.value(on_cylinder(points)[mesh.hinges], dihedral.angle(flat), stiffness)
    areas = np.sqrt(0.75) / 60**2 / 3.0
    assert energies[middle].mean() / areas == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize(
    ("height", "share"),
    [
        # S = ((0, c), (c, 0)): |S|^2 = 2 c^2, tr S = 0.
        (lambda x, y: x * y, 1.0 - 0.3),
        # S = ((c, 0), (0, c)): |S|^2 = 2 c^2, tr S = 2 c.
        (lambda x, y: (x * x + y * y) / 2.0, 1.0 + 0.3),
    ],
    ids=["saddle", "dome"],
)
def test_midedge_bending_knows_poissons_ratio(height, share):
    curvature, plate = 0.01, 2.0
    points, triangles = sheet(24, 0.3, 10)
    bent = points + curvature * np.array([0.0, 0.0, 1.0]) * height(points[:, 0], points[:, 1])[:, None]
    energies = Midedge(points, triangles, plate, 0.3).relaxed(bent)
    middle, areas = inside(points, triangles)
    exact = plate * share * curvature**2 * areas[middle].sum()
    assert energies[middle].sum() == pytest.approx(exact, rel=2e-3)


def test_what_has_no_area_at_rest_is_named():
    corners = np.zeros((2, 3, 3))
    corners[0] = np.eye(3)
    with pytest.raises(ValueError, match="triangle 1"):
        midedge_bending.angle_stiffness(corners, 1.0, 0.3)
    with pytest.raises(ValueError, match="hinge 0"):
        hinge_bending.hinge_stiffness(np.zeros((1, 4, 3)), 1.0)

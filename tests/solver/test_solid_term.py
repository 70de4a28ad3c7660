"""The elastic term of solids, held against patch tests, balance of forces and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import Delaunay

from neural_physics.energies.solids import corotational, stable_neo_hookean, stvk
from neural_physics.energies.solids.lame import lame_parameters
from neural_physics.solver.terms.solids import SolidTerm
from neural_physics.solver.terms.term import Term

ENERGIES = [stvk, stable_neo_hookean, corotational]
every_energy = pytest.mark.parametrize("energy", ENERGIES, ids=lambda e: e.__name__.rpartition(".")[2])
every_dimension = pytest.mark.parametrize("d", [2, 3])


def random_mesh(d: int, seed: int = 0):
    """Points and elements that fill the box of edge 1, and which points are inside of it."""
    rng = np.random.default_rng(seed)
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * d), -1).reshape(-1, d)
    points = np.concatenate([corners, rng.uniform(0.15, 0.85, (30, d))])
    elements = Delaunay(points).simplices
    edges = points[elements[:, 1:]] - points[elements[:, :1]]
    inside_out = np.linalg.det(edges) < 0.0
    elements[inside_out, :2] = elements[inside_out, 1::-1]
    return points, elements, np.arange(len(points)) >= len(corners)


def summed(term: Term, forces, vertices: int, d: int):
    """The elements' forces on each vertex, (vertices, d)."""
    total = np.zeros(vertices * d)
    np.add.at(total, term.stencils, forces)
    return total.reshape(vertices, d)


def homogeneous(d: int):
    return np.array([[1.3, 0.4, 0.1], [-0.2, 0.8, 0.3], [0.1, -0.3, 1.1]])[:d, :d]


@every_dimension
@every_energy
def test_a_homogeneous_deformation_of_any_mesh_is_in_balance_inside_and_stores_volume_times_density(
    energy, d
):
    points, elements, inside = random_mesh(d)
    term = SolidTerm(points, elements, energy, (2.0, 5.0))
    f = homogeneous(d)
    q = (points @ f.T + 3.0).ravel()
    forces = summed(term, term.gradient(q), len(points), d)
    assert np.abs(forces[~inside]).max() > 0.05
    assert forces[inside] == pytest.approx(0.0, abs=1e-12)
    # The box has a volume of 1.
    assert term.value(q).sum() == pytest.approx(energy.energy_density(f[None], 2.0, 5.0)[0], rel=1e-12)


@every_dimension
@every_energy
def test_internal_forces_neither_push_nor_turn_the_whole(energy, d):
    points, elements, _ = random_mesh(d)
    rng = np.random.default_rng(1)
    m = len(elements)
    term = SolidTerm(points, elements, energy, (rng.uniform(1.0, 3.0, m), rng.uniform(1.0, 9.0, m)))
    x = points @ homogeneous(d).T + 0.1 * rng.normal(size=points.shape)
    forces = summed(term, term.gradient(x.ravel()), len(points), d)
    assert np.abs(forces).max() > 0.1
    assert forces.sum(0) == pytest.approx(0.0, abs=1e-10 * np.abs(forces).max())
    moments = np.einsum("vi,vj->ij", x, forces)
    assert moments == pytest.approx(moments.T, abs=1e-10 * np.abs(forces).max())


@every_dimension
@every_energy
def test_gradient_is_the_slope_of_the_value_and_the_hessian_that_of_the_gradient_under_tension(energy, d):
    points, elements, _ = random_mesh(d)
    rng = np.random.default_rng(2)
    m = len(elements)
    young, poisson = rng.uniform(1.0, 2.0, m), rng.uniform(0.1, 0.4, m)
    term = SolidTerm(points, elements, energy, lame_parameters(young, poisson), thickness=0.2)
    # Pulled one way, so that nothing is indefinite: the projected Hessian is the exact one.
    q = (points * [1.15, *[1.0] * (d - 1)] + 1e-5 * rng.normal(size=points.shape)).ravel()
    step, columns = 1e-6, term.stencils
    gradient, hessian = term.gradient(q), term.hessian(q)
    slopes, curvatures = np.zeros_like(gradient), np.zeros_like(hessian)
    for c in range(len(q)):
        there = np.zeros_like(q)
        there[c] = step
        e, k = np.nonzero(columns == c)
        slopes[e, k] = ((term.value(q + there) - term.value(q - there)) / (2.0 * step))[e]
        curvatures[e, :, k] = ((term.gradient(q + there) - term.gradient(q - there)) / (2.0 * step))[e]
    assert gradient == pytest.approx(slopes, abs=1e-8 * np.abs(gradient).max())
    sizes = np.abs(hessian).max((1, 2), keepdims=True)
    assert np.abs((hessian - curvatures) / sizes).max() < 1e-7
    assert np.abs((hessian - hessian.swapaxes(1, 2)) / sizes).max() < 1e-13


@every_dimension
@every_energy
def test_the_hessian_of_a_crushed_mesh_is_semi_definite_and_no_motion_of_the_whole_meets_resistance(
    energy, d
):
    points, elements, _ = random_mesh(d)
    term = SolidTerm(points, elements, energy, (2.0, 5.0))
    x = 0.4 * points + 0.2 * np.random.default_rng(3).normal(size=points.shape)
    hessian = term.hessian(x.ravel())
    sizes = np.abs(hessian).max((1, 2))
    assert (np.linalg.eigvalsh(hessian).min(1) / sizes).min() > -1e-12
    shift = np.tile(np.arange(1.0, d + 1), d + 1)
    assert np.abs((hessian @ shift) / sizes[:, None]).max() < 1e-12


def test_a_sheet_in_plane_strain_is_a_solid_held_between_two_walls():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    sheet = SolidTerm(
        square, np.array([[0, 1, 2], [0, 2, 3]]), stable_neo_hookean, (2.0, 5.0), thickness=0.25
    )
    points = np.array([[x, y, z] for z in (0.0, 0.25) for x, y in square])
    bricks = Delaunay(points).simplices
    inside_out = np.linalg.det(points[bricks[:, 1:]] - points[bricks[:, :1]]) < 0.0
    bricks[inside_out, :2] = bricks[inside_out, 1::-1]
    solid = SolidTerm(points, bricks, stable_neo_hookean, (2.0, 5.0))
    f = np.eye(3)
    f[:2, :2] = homogeneous(2)
    thin = sheet.value((square @ f[:2, :2].T).ravel()).sum()
    assert thin == pytest.approx(solid.value((points @ f.T).ravel()).sum(), rel=1e-12)
    assert thin > 0.01


def test_a_bar_pulled_thins_by_poissons_ratio_and_holds_youngs_modulus():
    points, elements, _ = random_mesh(3)
    young, poisson = 1e5, 0.35
    strain = 1e-6
    stretch = np.diag([1.0 + strain, 1.0 - poisson * strain, 1.0 - poisson * strain])
    for energy in ENERGIES:
        term = SolidTerm(points, elements, energy, lame_parameters(young, poisson))
        forces = summed(term, term.gradient((points @ stretch).ravel()), len(points), 3)
        end = points[:, 0] > 0.999
        assert forces[end, 0].sum() == pytest.approx(young * strain, rel=1e-4)  # over an area of 1
        assert np.abs(forces[:, 1:]).max() < 1e-4 * young * strain


def test_further_degrees_of_freedom_after_the_vertices_are_none_of_its_business():
    points, elements, _ = random_mesh(3)
    term = SolidTerm(points.astype(np.float32), elements.astype(np.int32), stvk, (2.0, 5.0))
    q = (points @ homogeneous(3).T).ravel()
    longer = np.append(q, [9.0, -9.0])
    assert np.array_equal(term.value(q), term.value(longer))
    assert np.array_equal(term.hessian(q), term.hessian(longer))
    assert term.stencils.shape == (len(elements), 12) and term.stencils.max() < len(q)


def test_a_mesh_with_an_inverted_element_is_refused():
    points, elements, _ = random_mesh(3)
    elements[5, :2] = elements[5, 1::-1].copy()
    with pytest.raises(ValueError, match=r"1 elements .* element 5"):
        SolidTerm(points, elements, stvk, (2.0, 5.0))

"""Membranes and springs against differences, torch and closed forms; edges of meshes by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.hierarchical_cloth import springs
from neural_physics.energies.shells import membrane
from neural_physics.energies.shells.triangle_edges import triangle_edges
from neural_physics.energies.solids.lame import plane_stress_lame_parameters


def differences(function, at, step=1e-6):
    """Central differences of (m, ...) by each element's own coordinates: (m, ..., s)."""
    columns = []
    for i in range(at[0].size):
        shift = np.zeros(at[0].size)
        shift[i] = step
        shift = shift.reshape(at.shape[1:])
        columns.append((function(at + shift) - function(at - shift)) / (2.0 * step))
    return np.stack(columns, -1)


def random_rotation(rng):
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return turn * np.linalg.det(turn)


def membranes():
    """Triangles (m, 3, 3) torn far from their rest shapes, pressed, collapsed and laid over, and the rest."""
    rng = np.random.default_rng(3)
    rest = rng.normal(size=(30, 3, 3))
    now = rest + rng.normal(size=rest.shape)
    now[5:10] = 0.6 * rest[5:10]
    now[10:15] = rest[10:15] * np.array([1.0, 1.0, -1.0])
    now[15:20, 2] = 0.3 * now[15:20, 0] + 0.7 * now[15:20, 1]
    now[20:22] = now[20:22, :1]
    now[22:25] = rest[22:25] @ random_rotation(rng)
    inverse, areas = membrane.rest_shape(rest)
    mu, lam = plane_stress_lame_parameters(rng.uniform(1.0, 3.0, 30), rng.uniform(-0.3, 0.45, 30))
    return now, (inverse, 0.01 * areas, mu, lam)


def spring_states():
    rng = np.random.default_rng(4)
    ends = rng.normal(size=(20, 2, 3))
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=-1)
    return ends, (lengths * rng.uniform(0.3, 3.0, 20), rng.uniform(1.0, 5.0, 20))


ENERGIES = pytest.mark.parametrize(
    ("energy", "states"), [(membrane, membranes), (springs, spring_states)], ids=["membrane", "springs"]
)


@ENERGIES
def test_gradients_and_hessians_are_what_differences_say(energy, states):
    at, constants = states()
    expected = differences(lambda x: energy.value(x, *constants), at)
    assert energy.gradient(at, *constants) == pytest.approx(expected, rel=1e-6, abs=1e-8)
    expected = differences(lambda x: energy.gradient(x, *constants), at)
    assert energy.hessian(at, *constants) == pytest.approx(expected, rel=1e-6, abs=1e-7)


@ENERGIES
def test_projected_hessians_are_the_nearest_without_negative_eigenvalues(energy, states):
    at, constants = states()
    if energy is membrane:
        # Nearest as a matrix by F: with a rest shape of unit edges at a right angle the two are alike
        # up to the map from corners to F, which is undone here.
        inverse = np.broadcast_to(np.eye(2), (len(at), 2, 2))
        constants = (inverse, *constants[1:])
        spread = np.kron(np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]), np.eye(3))
    else:
        spread = np.kron(np.array([[-1.0], [1.0]]), np.eye(3))
    back = np.linalg.pinv(spread)
    exact, projected = (back @ h(at, *constants) @ back.T for h in (energy.hessian, energy.projected_hessian))
    values, vectors = np.linalg.eigh(exact)
    assert (values[:, 0] < -1e-3).any() and (values[:, 0] > -1e-12).any()
    nearest = (vectors * np.maximum(values, 0.0)[:, None, :]) @ vectors.swapaxes(1, 2)
    assert projected == pytest.approx(nearest, abs=1e-10)


@pytest.mark.torch
@ENERGIES
def test_torch_differentiates_the_same_value(energy, states):
    torch = pytest.importorskip("torch")
    at, constants = states()
    if energy is membrane:
        at, constants = at[:20], tuple(c[:20] for c in constants)
    tensor = torch.tensor(at, requires_grad=True)
    total = energy.value(tensor, *map(torch.tensor, constants))
    assert total.detach().numpy() == pytest.approx(energy.value(at, *constants), rel=1e-12)
    total.sum().backward()
    gradient = energy.gradient(at, *constants)
    assert tensor.grad.numpy().reshape(gradient.shape) == pytest.approx(gradient, rel=1e-9, abs=1e-12)


@ENERGIES
def test_moving_and_turning_changes_no_energy(energy, states):
    at, constants = states()
    moved = at @ random_rotation(np.random.default_rng(5)) + np.array([3.0, -1.0, 2.0])
    assert energy.value(moved, *constants) == pytest.approx(energy.value(at, *constants), rel=1e-10)


def test_at_rest_there_is_neither_energy_nor_force_wherever_the_triangle_is():
    rng = np.random.default_rng(6)
    rest = rng.normal(size=(20, 3, 3))
    inverse, areas = membrane.rest_shape(rest)
    assert areas == pytest.approx(
        np.linalg.norm(np.cross(rest[:, 1] - rest[:, 0], rest[:, 2] - rest[:, 0]), axis=-1) / 2.0
    )
    constants = (inverse, areas, 2.0, 1.0)
    moved = rest @ random_rotation(rng) + 1.0
    assert membrane.value(moved, *constants) == pytest.approx(0.0, abs=1e-25)
    assert membrane.gradient(moved, *constants) == pytest.approx(0.0, abs=1e-12)


def test_a_sheet_pulled_by_a_little_has_half_of_youngs_modulus_times_strain_squared():
    young, thickness, strain = 3e6, 1e-3, 1e-5
    rest = np.random.default_rng(7).normal(size=(20, 3, 3)) * np.array([1.0, 1.0, 0.0])
    inverse, areas = membrane.rest_shape(rest)
    for poisson in (0.0, 0.3):
        # Free across: the sheet gets narrower by nu times the strain.
        pulled = rest * (1.0 + strain * np.array([1.0, -poisson, 0.0]))
        mu, lam = plane_stress_lame_parameters(young, poisson)
        energy = membrane.value(pulled, inverse, thickness * areas, mu, lam=lam)
        assert energy == pytest.approx(young * thickness * areas * strain**2 / 2.0, rel=1e-4)


def test_a_triangle_without_area_at_rest_is_named():
    rest = np.random.default_rng(8).normal(size=(3, 3, 3))
    rest[1, 2] = rest[1, 0] + 2.0 * (rest[1, 1] - rest[1, 0])
    with pytest.raises(ValueError, match="triangle 1"):
        membrane.rest_shape(rest)


def test_a_collapsed_triangle_has_a_finite_hessian_that_resists():
    rest = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    inverse, areas = membrane.rest_shape(rest)
    for collapsed in (np.zeros((1, 3, 3)), rest * np.array([1.5, 0.0, 0.0])):
        exact = membrane.hessian(collapsed, inverse, areas, 2.0, lam=1.0)
        expected = differences(lambda x: membrane.gradient(x, inverse, areas, 2.0, lam=1.0), collapsed)
        assert exact == pytest.approx(expected, abs=1e-8)


def test_springs_of_equilateral_triangles_are_a_sheet_of_the_promised_stiffness():
    stiffness, strain, length = 7.0, 1e-5, 0.2
    turns = np.radians([0.0, 60.0, 120.0])
    along = np.stack([np.cos(turns), np.sin(turns), 0.0 * turns], 1)
    young_thickness, cell = 2.0 * stiffness / np.sqrt(3.0), np.sqrt(3.0) / 2.0 * length**2
    ends = np.stack([0.0 * along, length * along * (1.0 + strain * np.array([1.0, -1.0 / 3.0, 0.0]))], 1)
    energy = springs.value(ends, np.full(3, length), stiffness).sum()
    assert energy == pytest.approx(young_thickness * cell * strain**2 / 2.0, rel=1e-4)


def test_a_spring_of_no_length_pushes_nowhere_and_holds_together_if_that_is_its_rest():
    ends = np.zeros((2, 2, 3))
    rest = np.array([0.0, 1.0])
    assert not springs.gradient(ends, rest, 2.0).any()
    hessian = springs.projected_hessian(ends, rest, 2.0)
    assert (np.linalg.eigvalsh(hessian)[:, 3:] == pytest.approx(4.0)) and np.isfinite(hessian).all()
    expected = differences(lambda x: springs.gradient(x, rest[:1], 2.0), ends[:1])
    assert springs.hessian(ends[:1], rest[:1], 2.0) == pytest.approx(expected, abs=1e-9)


def test_edges_of_two_triangles_of_a_square_are_as_drawn():
    mesh = triangle_edges(np.array([[0, 1, 2], [0, 2, 3]]))
    assert mesh.edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]
    assert mesh.sides.tolist() == [[3, 1, 0], [4, 2, 1]]
    assert mesh.signs.tolist() == [[1.0, -1.0, 1.0], [1.0, -1.0, 1.0]]
    assert mesh.opposite.tolist() == [[-1, 3, -1], [-1, -1, 1]]
    assert mesh.hinges.tolist() == [[2, 0, 1, 3]]
    assert mesh.hinge_edges.tolist() == [1] and mesh.hinge_triangles.tolist() == [[0, 1]]


def test_every_inner_edge_of_a_closed_mesh_is_one_hinge():
    octahedron = np.array([[i, j, k] for i in (0, 1) for j in (2, 3) for k in (4, 5)])
    mesh = triangle_edges(octahedron)
    assert len(mesh.edges) == len(mesh.hinges) == 12
    # Whatever way each is wound, across from a corner is its counterpart.
    assert (mesh.opposite == octahedron ^ 1).all()


def test_a_third_triangle_at_an_edge_is_hinged_to_the_first():
    mesh = triangle_edges(np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]]))
    assert mesh.hinges.tolist() == [[0, 1, 2, 3], [0, 1, 2, 4]]
    assert mesh.opposite[:, 2].tolist() == [3, 2, -1]


def test_no_triangles_have_no_edges_and_a_vertex_twice_is_refused():
    assert triangle_edges(np.empty((0, 3), np.int32)).hinges.shape == (0, 4)
    with pytest.raises(ValueError, match="triangle 1"):
        triangle_edges(np.array([[0, 1, 2], [1, 2, 1]]))

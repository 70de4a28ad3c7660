"""Elastic energies of solids, held against finite differences, torch, closed forms and one another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from neural_physics.energies.solids import corotational, stable_neo_hookean, stvk
from neural_physics.energies.solids.deformation import (
    cofactor,
    deformation_gradient,
    determinant,
    determinant_hessian,
    gradient_operator,
    rest_shapes,
    signed_svd,
)
from neural_physics.energies.solids.lame import lame_parameters, plane_stress_lame_parameters

ENERGIES = [stvk, stable_neo_hookean, corotational]
every_energy = pytest.mark.parametrize("energy", ENERGIES, ids=lambda e: e.__name__.rpartition(".")[2])
every_dimension = pytest.mark.parametrize("d", [2, 3])


def rotations(count: int, d: int, seed: int = 0):
    if d == 3:
        return Rotation.random(count, random_state=seed).as_matrix()
    angles = np.random.default_rng(seed).uniform(-np.pi, np.pi, count)
    return Rotation.from_rotvec(angles[:, None] * [0.0, 0.0, 1.0]).as_matrix()[:, :2, :2]


def states(d: int):
    """F near rest, at random, inside out, flat, far stretched and far compressed; 8 each, and materials.

    None is close to where two stretches add up to zero, the ridge of the corotational energy.
    """
    rng = np.random.default_rng(d)
    stretches = np.concatenate(
        [
            rng.uniform(0.9, 1.1, (8, d)),
            rng.uniform(0.3, 2.0, (8, d)),
            np.column_stack([rng.uniform(0.6, 2.0, (8, d - 1)), rng.uniform(-0.5, -0.1, 8)]),
            np.column_stack([rng.uniform(0.6, 2.0, (8, d - 1)), np.zeros(8)]),
            np.column_stack([rng.uniform(5.0, 20.0, 8), rng.uniform(0.3, 2.0, (8, d - 1))]),
            rng.uniform(0.1, 0.3, (8, d)),
        ]
    )
    m = len(stretches)
    f = rotations(m, d, 1) @ (stretches[:, :, None] * rotations(m, d, 2).swapaxes(1, 2))
    return f, rng.uniform(1.0, 5.0, m), rng.uniform(0.5, 20.0, m)


def slope(function, f, step=1e-6):
    """Central differences of function (m, d, d) -> (m, ...) by the entries of F, last."""
    columns = []
    for i, j in np.ndindex(f.shape[1:]):
        there = np.zeros_like(f)
        there[:, i, j] = step
        columns.append((function(f + there) - function(f - there)) / (2.0 * step))
    return np.stack(columns, -1)


def size_of(arrays):
    """The largest magnitude of each element, with axes to divide by."""
    return np.abs(arrays).max(tuple(range(1, arrays.ndim)), keepdims=True)


@every_dimension
@every_energy
def test_stress_is_the_slope_of_the_energy_and_the_hessian_that_of_the_stress(energy, d):
    f, mu, lam = states(d)
    stress, hessian = energy.stress(f, mu, lam), energy.hessian(f, mu, lam)
    numeric = slope(lambda at: energy.energy_density(at, mu, lam), f).reshape(f.shape)
    assert np.max(np.abs(stress - numeric) / (1.0 + size_of(stress))) < 1e-7
    numeric = slope(lambda at: energy.stress(at, mu, lam).reshape(len(f), -1), f)
    assert np.max(np.abs(hessian - numeric) / size_of(hessian)) < 1e-7
    assert np.max(np.abs(hessian - hessian.swapaxes(1, 2)) / size_of(hessian)) < 1e-14


@pytest.mark.torch
@every_dimension
@every_energy
def test_torch_derives_the_same_stress_from_the_same_values(energy, d):
    torch = pytest.importorskip("torch")
    f, mu, lam = states(d)
    f = np.concatenate([f, np.eye(d)[None]])
    mu, lam = np.append(mu, 2.0), np.append(lam, 3.0)
    variable = torch.tensor(f, requires_grad=True)
    values = energy.energy_density(variable, torch.tensor(mu), torch.tensor(lam))
    (derived,) = torch.autograd.grad(values.sum(), variable)
    stress = energy.stress(f, mu, lam)
    assert values.detach().numpy() == pytest.approx(energy.energy_density(f, mu, lam), rel=1e-12, abs=1e-13)
    assert np.max(np.abs(derived.numpy() - stress) / (1.0 + size_of(stress))) < 1e-12


@pytest.mark.torch
@every_energy
def test_torch_values_keep_the_precision_they_are_asked_in(energy):
    torch = pytest.importorskip("torch")
    f, _, _ = states(3)
    assert energy.energy_density(torch.tensor(f, dtype=torch.float32), 1.0, 2.0).dtype == torch.float32


@every_dimension
@every_energy
def test_a_projected_hessian_is_the_nearest_semi_definite_one_and_the_exact_one_where_that_is(energy, d):
    f, mu, lam = states(d)
    exact, projected = energy.hessian(f, mu, lam), energy.projected_hessian(f, mu, lam)
    values, vectors = np.linalg.eigh(exact)
    definite = values[:, 0] >= 0.0
    assert definite.any() and not definite.all()
    nearest = (vectors * np.maximum(values, 0.0)[:, None]) @ vectors.swapaxes(1, 2)
    assert np.max(np.abs(projected - nearest) / size_of(exact)) < 1e-13
    assert np.max(np.abs(projected - exact)[definite] / size_of(exact)[definite]) < 1e-13
    assert np.min(np.linalg.eigvalsh(projected) / size_of(exact)[:, 0]) > -1e-14


@every_dimension
@every_energy
def test_one_parameter_for_all_elements_is_that_parameter_for_each(energy, d):
    f, _, _ = states(d)
    each = np.full(len(f), 3.0), np.full(len(f), 7.0)
    for function in (energy.energy_density, energy.stress, energy.hessian, energy.projected_hessian):
        assert np.array_equal(function(f, 3.0, 7.0), function(f, *each))


@every_dimension
@every_energy
def test_nothing_is_stored_or_resisted_in_any_rigid_motion(energy, d):
    f = np.concatenate([np.eye(d)[None], rotations(40, d)])
    assert energy.energy_density(f, 2.0, 5.0) == pytest.approx(0.0, abs=1e-13)
    assert energy.stress(f, 2.0, 5.0) == pytest.approx(0.0, abs=1e-13)


@every_energy
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_energy_knows_neither_the_frame_of_space_nor_that_of_the_material(energy, data):
    d = data.draw(st.sampled_from([2, 3]))
    f = data.draw(hnp.arrays(np.float64, (1, d, d), elements=st.floats(-3.0, 3.0)))
    seed = data.draw(st.integers(0, 1000))
    space, material = rotations(1, d, seed), rotations(1, d, seed + 1)
    value = energy.energy_density(f, 2.0, 5.0)
    assert value >= -1e-12 or energy is stable_neo_hookean
    assert energy.energy_density(space @ f @ material, 2.0, 5.0) == pytest.approx(value, rel=1e-11, abs=1e-12)
    s = signed_svd(f)[1][0]
    if s[-1] + s[-2] > 1e-2:  # nearer to its ridge the corotational stress is not unique to rounding
        turned = energy.stress(space @ f @ material, 2.0, 5.0)
        assert turned == pytest.approx(space @ energy.stress(f, 2.0, 5.0) @ material, rel=1e-9, abs=1e-9)


@every_dimension
@every_energy
def test_small_strain_is_that_of_linear_elasticity(energy, d):
    rng = np.random.default_rng(5)
    displacement_gradient = rng.normal(size=(20, d, d))
    mu, lam = rng.uniform(1e4, 1e6, 20), rng.uniform(-1e3, 1e6, 20)
    strain = 0.5 * (displacement_gradient + displacement_gradient.swapaxes(1, 2))
    trace = np.trace(strain, axis1=1, axis2=2)
    linear = 2.0 * mu[:, None, None] * strain + (lam * trace)[:, None, None] * np.eye(d)
    small = 1e-6
    f = np.eye(d) + small * displacement_gradient
    assert np.max(np.abs(energy.stress(f, mu, lam) / small - linear) / size_of(linear)) < 5e-5
    # The same of the Hessian at rest, without the error of second order.
    at_rest = energy.hessian(np.repeat(np.eye(d)[None], 20, 0), mu, lam)
    product = (at_rest @ displacement_gradient.reshape(20, -1, 1)).reshape(linear.shape)
    assert np.max(np.abs(product - linear) / size_of(linear)) < 1e-12


@every_energy
def test_plane_strain_is_the_energy_of_space_with_the_third_direction_held(energy):
    f, mu, lam = states(2)
    embedded = np.tile(np.eye(3), (len(f), 1, 1))
    embedded[:, :2, :2] = f
    plane = [0, 1, 3, 4]
    assert energy.energy_density(f, mu, lam) == pytest.approx(
        energy.energy_density(embedded, mu, lam), rel=1e-12, abs=1e-12
    )
    whole = energy.stress(embedded, mu, lam)[:, :2, :2]
    assert np.max(np.abs(energy.stress(f, mu, lam) - whole) / (1.0 + size_of(whole))) < 1e-13
    whole = energy.hessian(embedded, mu, lam)[:, plane][:, :, plane]
    assert np.max(np.abs(energy.hessian(f, mu, lam) - whole) / size_of(whole)) < 1e-12


def test_stable_neo_hookean_is_the_papers_energy_above_rest():
    f, mu_lame, lam_lame = states(3)
    mu, lam = 4.0 / 3.0 * mu_lame, lam_lame + 5.0 / 6.0 * mu_lame
    alpha = 1.0 + mu / lam - mu / (4.0 * lam)

    def paper(i_c, j):
        return 0.5 * (mu * (i_c - 3.0) + lam * (j - alpha) ** 2 - mu * np.log(i_c + 1.0))

    expected = paper((f**2).sum((1, 2)), np.linalg.det(f)) - paper(3.0, 1.0)
    assert stable_neo_hookean.energy_density(f, mu_lame, lam_lame) == pytest.approx(expected, rel=1e-11)


def test_stable_neo_hookean_and_corotational_push_a_collapsed_element_back_but_stvk_does_not():
    point = np.diag([1.0, 1.0, 1e-3])[None]
    assert stable_neo_hookean.stress(point, 1.0, 2.0)[0, 2, 2] < -0.5
    assert corotational.stress(point, 1.0, 2.0)[0, 2, 2] < -0.5
    assert abs(stvk.stress(point, 1.0, 2.0)[0, 2, 2]) < 0.01


def test_corotational_measures_from_the_nearest_rotation_also_inside_out():
    f, mu, lam = states(3)
    # Kabsch's algorithm: the rotation that takes the axes closest to the columns of F.
    nearest = np.stack([Rotation.align_vectors(each.T, np.eye(3))[0].as_matrix() for each in f])
    trace = np.einsum("mij,mij->m", nearest, f) - 3.0
    energy = mu * ((f - nearest) ** 2).sum((1, 2)) + 0.5 * lam * trace**2
    assert corotational.energy_density(f, mu, lam) == pytest.approx(energy, rel=1e-11, abs=1e-12)
    stress = 2.0 * mu[:, None, None] * (f - nearest) + (lam * trace)[:, None, None] * nearest
    assert np.max(np.abs(corotational.stress(f, mu, lam) - stress) / (1.0 + size_of(stress))) < 1e-12


@every_dimension
@every_energy
def test_a_point_a_line_and_a_ridge_give_finite_numbers(energy, d):
    line, ridge = np.zeros((d, d)), np.eye(d)
    line[0, 1], ridge[-1, -1] = 2.0, -1.0
    f = np.stack([np.zeros((d, d)), line, ridge, 1e-200 * np.eye(d)])
    for function in (energy.energy_density, energy.stress, energy.hessian, energy.projected_hessian):
        assert np.isfinite(function(f, 1.0, 2.0)).all()
    assert np.linalg.eigvalsh(energy.projected_hessian(f, 1.0, 2.0)).min() >= -1e-6


# ---- Lame parameters


@given(young=st.floats(1e2, 1e11), poisson=st.floats(-0.99, 0.499))
def test_a_bar_of_the_lame_parameters_pulls_with_youngs_modulus_and_thins_by_poissons_ratio(young, poisson):
    mu, lam = lame_parameters(young, poisson)
    strain = np.diag([1.0, -poisson, -poisson])
    stress = 2.0 * mu * strain + lam * np.trace(strain) * np.eye(3)
    assert stress == pytest.approx(np.diag([young, 0.0, 0.0]), rel=1e-6, abs=1e-6 * young)
    mu, lam = plane_stress_lame_parameters(young, poisson)
    strain = np.diag([1.0, -poisson])
    stress = 2.0 * mu * strain + lam * np.trace(strain) * np.eye(2)
    assert stress == pytest.approx(np.diag([young, 0.0]), rel=1e-6, abs=1e-6 * young)


@pytest.mark.parametrize("parameters", [lame_parameters, plane_stress_lame_parameters])
def test_materials_that_cannot_be_are_refused_in_one_sentence(parameters):
    for poisson in (-1.0, 0.5, 0.7, np.nan):
        with pytest.raises(ValueError, match=r"^Poisson's ratio [^.]*between -1 and 0\.5"):
            parameters(1e5, poisson)
    for young in (0.0, -3.0, np.inf, np.nan):
        with pytest.raises(ValueError, match=r"^Young's modulus"):
            parameters(young, 0.3)
    with pytest.raises(ValueError, match=r"not 0\.6"):
        parameters(np.array([1e5, 1e6]), np.array([0.3, 0.6]))


# ---- Deformation


def random_elements(count: int, d: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, d + 1, d))
    inside_out = np.linalg.det(x[:, 1:] - x[:, :1]) < 0.0
    x[inside_out, :2] = x[inside_out, 1::-1]
    return x


def test_volumes_and_areas_are_those_of_shapes_one_knows():
    box = np.diag([1.0, 2.0, 3.0])
    inverse, volumes = rest_shapes(np.concatenate([np.zeros((1, 3)), box])[None] + 5.0)
    assert volumes == pytest.approx([1.0]) and inverse[0] == pytest.approx(np.diag([1.0, 1 / 2, 1 / 3]))
    _, areas = rest_shapes(np.array([[[1.0, 1.0], [4.0, 1.0], [1.0, 3.0]]]))
    assert areas == pytest.approx([3.0])


@every_dimension
def test_an_affine_map_of_an_element_is_its_deformation_gradient(d):
    rng = np.random.default_rng(3)
    rest = random_elements(30, d)
    inverse, _ = rest_shapes(rest)
    f, shift = rng.normal(size=(30, d, d)), rng.normal(size=(30, 1, d))
    x = rest @ f.swapaxes(1, 2) + shift
    assert deformation_gradient(x, inverse) == pytest.approx(f, abs=1e-10)
    by_operator = gradient_operator(inverse) @ x.reshape(30, -1, 1)
    assert by_operator.reshape(f.shape) == pytest.approx(f, abs=1e-10)


@every_dimension
def test_flat_and_inverted_elements_are_named_by_the_first_and_counted(d):
    rest = random_elements(9, d)
    rest[4, d] = rest[4, 0] + 1e-15 * rest[4, d]
    rest[7, :2] = rest[7, 1::-1].copy()
    with pytest.raises(ValueError, match=r"2 elements .* element 4"):
        rest_shapes(rest)
    # Small is not flat.
    assert (rest_shapes(1e-6 * random_elements(9, d))[1] > 0.0).all()


@every_dimension
def test_determinants_and_their_derivatives_are_right_also_where_f_is_singular(d):
    f, _, _ = states(d)
    assert determinant(f) == pytest.approx(np.linalg.det(f), abs=1e-12)
    assert cofactor(f).reshape(len(f), -1) == pytest.approx(slope(determinant, f), abs=1e-7)
    regular = np.abs(determinant(f)) > 1e-3
    transposed = np.linalg.inv(f[regular]).swapaxes(1, 2)
    assert cofactor(f)[regular] == pytest.approx(determinant(f)[regular, None, None] * transposed, rel=1e-9)
    numeric = slope(lambda at: cofactor(at).reshape(len(f), -1), f)
    assert determinant_hessian(f) == pytest.approx(numeric, abs=1e-7)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_every_matrix_is_a_rotation_stretches_and_a_rotation(data):
    d = data.draw(st.sampled_from([2, 3]))
    entries = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 1e-9, 1e-160]), st.floats(-1e3, 1e3))
    f = data.draw(hnp.arrays(np.float64, (data.draw(st.integers(1, 4)), d, d), elements=entries))
    u, s, v = signed_svd(f)
    size = 1e-13 * (1.0 + np.abs(f).max())
    assert (u * s[:, None]) @ v.swapaxes(1, 2) == pytest.approx(f, abs=size)
    for turn in (u, v):
        assert turn @ turn.swapaxes(1, 2) == pytest.approx(np.tile(np.eye(d), (len(f), 1, 1)), abs=1e-13)
        assert np.linalg.det(turn) == pytest.approx(1.0)
    assert np.abs(s) == pytest.approx(np.linalg.svd(f, compute_uv=False), abs=size)
    assert (np.diff(np.abs(s)) <= size).all() and (s[:, :-1] >= -size).all()


def test_stretches_are_exact_to_their_own_size_not_only_to_that_of_the_largest():
    rng = np.random.default_rng(8)
    turns = rotations(50, 3)
    f = turns * np.array([1e6, 1.0, 1e-6]) * rng.uniform(1.0, 2.0, (50, 1, 3))
    expected = np.sort(np.linalg.norm(f, axis=1))[:, ::-1]  # its columns are orthogonal
    assert signed_svd(f)[1] == pytest.approx(expected, rel=1e-12)


def test_near_rest_the_stable_neo_hookean_value_is_no_noise():
    """A line search compares values: at strains of 1e-6 they must still be those of linear elasticity."""
    rng = np.random.default_rng(5)
    small = 1e-6 * rng.normal(size=(50, 3, 3))
    strain = 0.5 * (small + small.transpose(0, 2, 1))
    trace = np.trace(strain, axis1=1, axis2=2)
    linear = 7e4 * (strain**2).sum((1, 2)) + 0.5 * 9e4 * trace**2
    value = stable_neo_hookean.energy_density(np.eye(3) + small, 7e4, 9e4)
    assert np.allclose(value, linear, rtol=1e-4)

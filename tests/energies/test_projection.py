"""The projection to semi-definite matrices, held against its defining properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import ortho_group

from neural_physics.energies.projection import PAIRS, isotropic_hessian, project, projected_isotropic_hessian
from neural_physics.energies.solids import stable_neo_hookean, stvk
from neural_physics.energies.solids.deformation import signed_svd


def with_spectrum(values, seed=0):
    """Symmetric matrices (m, s, s) of those eigenvalues (m, s)."""
    turns = np.stack([ortho_group.rvs(values.shape[1], random_state=seed + i) for i in range(len(values))])
    matrices = (turns * values[:, None]) @ turns.swapaxes(1, 2)
    return 0.5 * (matrices + matrices.swapaxes(1, 2)), turns


def test_negative_eigenvalues_become_zero_and_the_others_and_all_eigenvectors_stay():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(40, 9)) * 10.0 ** rng.uniform(-6, 6, (40, 1))
    matrices, turns = with_spectrum(values)
    expected = (turns * np.maximum(values, 0.0)[:, None]) @ turns.swapaxes(1, 2)
    size = np.abs(values).max(1)[:, None, None]
    assert project(matrices) / size == pytest.approx(expected / size, abs=1e-13)


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(np.float64, (3, 5, 5), elements=st.floats(-1e6, 1e6)))
def test_whatever_comes_in_what_comes_out_is_symmetric_semi_definite_and_stays(matrices):
    projected = project(matrices)
    size = 1e-12 * (1.0 + np.abs(matrices).max())
    assert np.array_equal(projected, projected.swapaxes(1, 2))
    assert np.linalg.eigvalsh(projected).min() >= -size
    assert project(projected) == pytest.approx(projected, abs=size)


def test_definite_matrices_and_those_with_rigid_modes_are_not_touched_beside_indefinite_ones():
    rng = np.random.default_rng(2)
    values = rng.uniform(0.1, 5.0, (30, 12))
    values[10:20, :6] = 0.0
    values[20:, 0] = -1.0
    matrices, _ = with_spectrum(values)
    projected = project(matrices)
    assert np.array_equal(projected[:20], matrices[:20])
    assert np.abs(projected[20:] - matrices[20:]).max() > 0.01
    assert not project(np.zeros((2, 4, 4))).any()


def test_a_matrix_that_is_not_symmetric_counts_by_its_symmetric_part():
    skew = np.array([[0.0, 3.0], [-3.0, 0.0]])
    assert project((np.diag([2.0, 1.0]) + skew)[None])[0] == pytest.approx(np.diag([2.0, 1.0]))


@pytest.mark.parametrize("d", [2, 3])
def test_the_hessian_of_an_eigensystem_twists_flips_and_stretches_as_that_says(d):
    rng = np.random.default_rng(3)
    f = rng.normal(size=(20, d, d))
    u, _, v = signed_svd(f)
    pairs = len(PAIRS[d])
    twist, flip = rng.normal(size=(20, pairs)), rng.normal(size=(20, pairs))
    scaling = rng.normal(size=(20, d, d))
    scaling += scaling.swapaxes(1, 2)
    hessian = isotropic_hessian(u, v, scaling, twist, flip=flip)
    for p, (a, b) in enumerate(PAIRS[d]):
        ab, ba = u[:, :, a, None] * v[:, None, :, b], u[:, :, b, None] * v[:, None, :, a]
        for mode, eigenvalue in ((ab - ba, twist[:, p]), (ab + ba, flip[:, p])):
            product = hessian @ mode.reshape(20, -1, 1)
            assert product[:, :, 0] == pytest.approx(eigenvalue[:, None] * mode.reshape(20, -1), abs=1e-12)
    # Stretching by the entries of a vector t is answered by scaling @ t.
    t = rng.normal(size=(20, d, 1))
    product = hessian @ ((u * t.swapaxes(1, 2)) @ v.swapaxes(1, 2)).reshape(20, -1, 1)
    answer = (u * (scaling @ t).swapaxes(1, 2)) @ v.swapaxes(1, 2)
    assert product[:, :, 0] == pytest.approx(answer.reshape(20, -1), abs=1e-12)
    values = np.linalg.eigvalsh(projected_isotropic_hessian(u, v, scaling, twist, flip=flip))
    assert values.min() >= -1e-13 and values.max() > 0.1


@pytest.mark.parametrize("energy", [stvk, stable_neo_hookean], ids=["stvk", "stable_neo_hookean"])
def test_the_analytic_projection_agrees_with_the_numeric_one_of_crushed_and_inverted_elements(energy):
    rng = np.random.default_rng(4)
    f = rng.normal(size=(200, 3, 3)) * rng.uniform(0.05, 2.0, (200, 1, 1))
    lam = rng.uniform(-0.3, 50.0, 200)
    exact, projected = energy.hessian(f, 1.0, lam), energy.projected_hessian(f, 1.0, lam)
    size = np.abs(exact).max((1, 2), keepdims=True)
    assert projected / size == pytest.approx(project(exact) / size, abs=1e-12)

"""Sparse systems, held against dense ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from neural_physics.solver import linear
from neural_physics.solver.linear import (
    CholeskySolver,
    ConjugateGradientSolver,
    NotPositiveDefinite,
    SparsePattern,
    SuperLUSolver,
    choose_solver,
)

SOLVERS = [CholeskySolver, SuperLUSolver, ConjugateGradientSolver]


def random_stencils(rng, n=60, kinds=((40, 6), (70, 3), (15, 12))):
    return [np.array([rng.choice(n, s, replace=False) for _ in range(m)]) for m, s in kinds]


def random_blocks(rng, stencils):
    """Symmetric and positive definite."""
    roots = [rng.normal(size=(len(s), s.shape[1], s.shape[1])) for s in stencils]
    return [r @ r.transpose(0, 2, 1) + 0.1 * np.eye(r.shape[1]) for r in roots]


def dense_sum(stencils, blocks, n):
    total = np.zeros((n, n))
    for stencil, block in zip(stencils, blocks, strict=True):
        for dofs, b in zip(stencil, block, strict=True):
            total[np.ix_(dofs, dofs)] += b
    return total


@pytest.fixture
def system():
    """A pattern with a third of its degrees of freedom fixed, its values and its dense matrix."""
    rng = np.random.default_rng(3)
    free = rng.random(60) > 1 / 3
    stencils = [*random_stencils(rng), np.arange(60)[:, None]]
    blocks = random_blocks(rng, stencils)
    pattern = SparsePattern(stencils, 60, free)
    return pattern, pattern.assemble(blocks), dense_sum(stencils, blocks, 60)[np.ix_(free, free)]


def test_blocks_sum_to_the_same_matrix_as_one_by_one_without_what_is_fixed(system):
    pattern, values, dense = system
    assert pattern.matrix(values).toarray() == pytest.approx(dense, rel=1e-12, abs=1e-12)
    lower = scipy.sparse.csc_matrix((values, pattern.indices, pattern.indptr), dense.shape)
    assert lower.has_sorted_indices
    assert lower.toarray() == pytest.approx(np.tril(dense), rel=1e-12, abs=1e-12)


def test_a_shift_of_the_diagonal_in_the_values_is_a_multiple_of_the_identity(system):
    pattern, values, dense = system
    values[pattern.diagonal] += 2.5
    assert pattern.matrix(values).toarray() == pytest.approx(dense + 2.5 * np.eye(len(dense)))


def test_vectors_of_elements_sum_with_what_is_fixed():
    rng = np.random.default_rng(4)
    stencils = random_stencils(rng)
    parts = [rng.normal(size=s.shape) for s in stencils]
    expected = np.zeros(60)
    for stencil, part in zip(stencils, parts, strict=True):
        np.add.at(expected, stencil, part)
    assert SparsePattern(stencils, 60, np.arange(10)).vector(parts) == pytest.approx(expected)


def test_indices_of_what_is_free_mean_the_same_as_a_mask():
    stencils = random_stencils(np.random.default_rng(5))
    mask = np.arange(60) % 4 > 0
    by_mask, by_index = SparsePattern(stencils, 60, mask), SparsePattern(stencils, 60, np.flatnonzero(mask))
    assert (by_mask.free == by_index.free).all() and by_mask.unknowns == 45
    assert (by_mask.indices == by_index.indices).all() and (by_mask.indptr == by_index.indptr).all()


def test_elements_that_are_none_or_wholly_fixed_leave_only_a_diagonal():
    stencils = [np.array([[0, 1, 2]]), np.empty((0, 4), int)]
    pattern = SparsePattern(stencils, 5, [3, 4])
    values = pattern.assemble([np.ones((1, 3, 3)), np.empty((0, 4, 4))])
    assert values.tolist() == [0.0, 0.0] and pattern.diagonal.tolist() == [0, 1]
    assert pattern.vector([np.ones((1, 3)), np.empty((0, 4))]).tolist() == [1, 1, 1, 0, 0]


def test_an_element_that_has_a_degree_of_freedom_twice_is_summed_with_both():
    stencil = np.array([[3, 1, 3], [0, 0, 0], [2, 4, 1]])
    block = random_blocks(np.random.default_rng(8), [stencil])[0]
    dense = np.zeros((5, 5))
    for dofs, b in zip(stencil, block, strict=True):
        np.add.at(dense, np.ix_(dofs, dofs), b)
    pattern = SparsePattern([stencil], 5)
    assert pattern.matrix(pattern.assemble([block])).toarray() == pytest.approx(dense)


@pytest.mark.parametrize("dofs", [[0, 5], [-1, 2]])
def test_stencils_out_of_range_are_refused(dofs):
    with pytest.raises(ValueError, match="degree of freedom"):
        SparsePattern([np.array([dofs])], 5)


@pytest.mark.parametrize("kind", SOLVERS)
def test_solutions_are_those_of_the_dense_matrix_also_after_new_values_and_for_many_at_once(system, kind):
    pattern, values, dense = system
    rng = np.random.default_rng(6)
    solver = kind(pattern)
    if kind is ConjugateGradientSolver:
        solver = kind(pattern, tolerance=1e-12)
    shifted = values.copy()
    shifted[pattern.diagonal] += 7.0
    for v, a in ((values, dense), (shifted, dense + 7.0 * np.eye(len(dense))), (values, dense)):
        solver.factorise(v)
        for b in (rng.normal(size=len(a)), rng.normal(size=(len(a), 3))):
            before = b.copy()
            assert solver.solve(b) == pytest.approx(np.linalg.solve(a, b), rel=1e-8, abs=1e-9)
            assert (b == before).all()


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_matrix_with_a_negative_eigenvalue_is_refused_and_the_next_one_is_solved(system, kind):
    pattern, values, dense = system
    solver = kind(pattern)
    lowest = np.linalg.eigvalsh(dense)[0]
    indefinite = values.copy()
    indefinite[pattern.diagonal] -= lowest + 0.5 * (np.diag(dense).min() - lowest)
    assert (indefinite[pattern.diagonal] > 0).all()
    with pytest.raises(NotPositiveDefinite):
        solver.factorise(indefinite)
        # Conjugate gradients see no more than their blocks until they meet a bad direction.
        solver.solve(np.linalg.eigh(dense)[1][:, 0])
    solver.factorise(values)
    b = np.ones(len(dense))
    assert solver.solve(b) == pytest.approx(np.linalg.solve(dense, b), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_singular_matrix_is_refused(kind):
    """Two springs in a row that nothing holds."""
    pattern = SparsePattern([np.array([[0, 1], [1, 2]])], 3)
    values = pattern.assemble([np.array([[[1.0, -1.0], [-1.0, 1.0]]] * 2)])
    solver = kind(pattern, block=1) if kind is ConjugateGradientSolver else kind(pattern)
    with pytest.raises(NotPositiveDefinite):
        solver.factorise(values)
        solver.solve(np.ones(3))


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_diagonal_entry_that_is_not_positive_is_reported_by_its_column(system, kind):
    pattern, values, _ = system
    values[pattern.diagonal[17]] = -1.0
    with pytest.raises(NotPositiveDefinite) as refused:
        kind(pattern).factorise(values)
    assert refused.value.column == 17


@pytest.mark.parametrize("kind", SOLVERS)
def test_values_that_are_not_finite_or_not_the_patterns_are_refused(system, kind):
    pattern, values, _ = system
    with pytest.raises(ValueError, match="pattern"):
        kind(pattern).factorise(values[:-1])
    values[3] = np.nan
    with pytest.raises(ValueError, match="finite"):
        kind(pattern).factorise(values)


def grid_laplacian(k):
    """Springs along the edges of a k by k by k grid, and something that holds each point."""
    at = np.arange(k**3).reshape(k, k, k)
    pairs = [(at[1:], at[:-1]), (at[:, 1:], at[:, :-1]), (at[:, :, 1:], at[:, :, :-1])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for a, b in pairs])
    blocks = [np.array([[[1.0, -1.0], [-1.0, 1.0]]] * len(edges)), np.full((k**3, 1, 1), 0.01)]
    pattern = SparsePattern([edges, np.arange(k**3)[:, None]], k**3)
    return pattern, pattern.assemble(blocks)


def test_an_ordering_of_an_earlier_pattern_serves_and_is_kept():
    pattern, values = grid_laplacian(6)
    first = CholeskySolver(pattern)
    assert sorted(first.ordering) == list(range(216))
    second = CholeskySolver(pattern, first.ordering)
    first.factorise(values)
    second.factorise(values)
    b = np.arange(216.0)
    assert second.ordering is first.ordering
    assert second.solve(b) == pytest.approx(first.solve(b), rel=1e-12)


def test_nested_dissection_fills_less_than_half_of_what_the_natural_order_does():
    pattern, values = grid_laplacian(10)
    matrix, order = pattern.matrix(values).tocsc(), linear.nested_dissection(pattern)
    symmetric = {"permc_spec": "NATURAL", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    ordered = scipy.sparse.linalg.splu(matrix[order][:, order], **symmetric)
    assert ordered.nnz < 0.5 * scipy.sparse.linalg.splu(matrix, **symmetric).nnz


def test_conjugate_gradients_report_their_residual_and_need_fewer_steps_by_blocks(system):
    pattern, values, dense = system
    b = np.random.default_rng(8).normal(size=len(dense))
    few = ConjugateGradientSolver(pattern, most=4)
    few.factorise(values)
    x = few.solve(b)
    assert few.steps == 4
    assert few.residual == pytest.approx(np.linalg.norm(b - dense @ x) / np.linalg.norm(b), rel=1e-6)
    assert b @ x > 0.5 * x @ dense @ x  # a descent
    assert few.solve(np.zeros(len(dense))).any() == np.False_

    # Springs so stiff in one direction of each vertex that the diagonal alone says little of them.
    direction = np.array([1.0, 2.0, 3.0])
    stencils = [np.arange(90).reshape(30, 3), np.arange(90)[:, None]]
    rng = np.random.default_rng(9)
    blocks = [1e6 * rng.random((30, 1, 1)) * np.outer(direction, direction), 1.0 + rng.random((90, 1, 1))]
    stiff = SparsePattern(stencils, 90)
    steps = []
    for block in (1, 3):
        solver = ConjugateGradientSolver(stiff, block)
        solver.factorise(stiff.assemble(blocks))
        solver.solve(np.ones(90))
        steps.append(solver.steps)
    assert steps[1] == 1 < steps[0]


def test_the_solver_is_chosen_by_size_and_by_what_is_installed(monkeypatch):
    pattern, _ = grid_laplacian(6)
    solver, why = choose_solver(pattern, solid=True)
    assert isinstance(solver, CholeskySolver) and "METIS" in why and "216" in why

    monkeypatch.setattr(linear, "MOST_UNKNOWNS_OF_SOLIDS", 100)
    assert isinstance(choose_solver(pattern, solid=True)[0], ConjugateGradientSolver)
    assert isinstance(choose_solver(pattern, solid=False)[0], CholeskySolver)

    installed = linear.find_spec
    monkeypatch.setattr(linear, "find_spec", lambda name: None if name == "pymetis" else installed(name))
    solver, why = choose_solver(pattern, solid=False)
    assert isinstance(solver, CholeskySolver) and solver.ordering is None and "pymetis is missing" in why

    monkeypatch.setattr(linear, "find_spec", lambda name: None)
    solver, why = choose_solver(pattern, solid=False)
    assert isinstance(solver, SuperLUSolver) and "without cvxopt" in why
    monkeypatch.setattr(linear, "MOST_UNKNOWNS_FOR_SUPERLU", 100)
    solver, why = choose_solver(pattern, solid=False)
    assert isinstance(solver, ConjugateGradientSolver) and "without cvxopt" in why

"""One matrix of many blocks: the same solution whichever way it is found, also where contact couples more."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from neural_physics.solver import assembly
from neural_physics.solver.assembly import Assembly


def chain(n, stiffness=1.0):
    """Springs between neighbours: stencils (n - 1, 2) and their blocks."""
    stencils = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    return stencils, np.tile(stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]]), (n - 1, 1, 1))


def dense(stencils, blocks, n):
    total = np.zeros((n, n))
    for dofs, block in zip(stencils, blocks, strict=True):
        np.add.at(total, np.ix_(dofs, dofs), block)
    return total


def test_what_is_fixed_stays_and_the_rest_solves_the_system():
    n, rng = 30, np.random.default_rng(0)
    stencils, blocks = chain(n)
    free = rng.random(n) > 0.3
    b, diagonal = rng.normal(size=n), rng.random(n)
    x = Assembly([stencils], n, free, True).solve([stencils], [blocks], diagonal, b)
    matrix = (dense(stencils, blocks, n) + np.diag(diagonal))[np.ix_(free, free)]
    assert np.allclose(matrix @ x[free], b[free])
    assert (x[~free] == 0.0).all()


def test_couplings_that_come_later_are_taken_in_as_blocks_and_as_a_sparse_matrix():
    n, rng = 30, np.random.default_rng(1)
    stencils, blocks = chain(n)
    matrix = Assembly([stencils], n, np.ones(n, bool), False)
    b, diagonal = rng.normal(size=n), np.ones(n)
    touching = np.array([[0, 17], [3, 29]])
    more_blocks = 5.0 * np.tile(np.array([[1.0, -1.0], [-1.0, 1.0]]), (2, 1, 1))
    vector = rng.normal(size=n) * (rng.random(n) > 0.7)
    expected = dense(stencils, blocks, n) + np.eye(n)
    assert np.allclose(expected @ matrix.solve([stencils], [blocks], diagonal, b), b)
    expected += dense(touching, more_blocks, n)
    assert np.allclose(expected @ matrix.solve([stencils, touching], [blocks, more_blocks], diagonal, b), b)
    expected += np.outer(vector, vector)
    more = sparse.csc_matrix(np.outer(vector, vector))
    x = matrix.solve([stencils, touching], [blocks, more_blocks], diagonal, b, more=more)
    assert np.allclose(expected @ x, b)


def test_what_is_free_to_move_as_a_whole_is_solved_all_the_same():
    stencils, blocks = chain(6)
    b = np.array([1.0, 0.0, 0.0, 0.0, 0.0, -1.0])
    x = Assembly([stencils], 6, np.ones(6, bool), True).solve([stencils], [blocks], np.zeros(6), b)
    assert np.allclose(np.diff(x), -1.0, atol=1e-5)


@pytest.mark.parametrize("inertia", [1.0, 1e-9])
def test_a_large_solid_is_iterated_where_that_is_quick_and_factorised_where_it_is_not(inertia, monkeypatch):
    n = 3 * assembly.LEAST_UNKNOWNS_TO_ITERATE
    stencils, blocks = chain(n)
    factorised = []
    factorise = Assembly._factorise
    monkeypatch.setattr(Assembly, "_factorise", lambda self, v: factorised.append(1) or factorise(self, v))
    matrix = Assembly([stencils], n, np.ones(n, bool), True)
    b = np.random.default_rng(2).normal(size=n)
    x = matrix.solve([stencils], [blocks], np.full(n, inertia), b)
    ends = np.zeros(n)
    ends[0], ends[-1] = x[0], x[-1]
    image = (2.0 + inertia) * x - ends - np.concatenate([[0.0], x[:-1]]) - np.concatenate([x[1:], [0.0]])
    assert np.linalg.norm(image - b) <= 1.01 * assembly.NEAR_ENOUGH * np.linalg.norm(b)
    assert bool(factorised) == (inertia < 1.0)

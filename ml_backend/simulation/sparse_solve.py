"""ADMM's global step on fine cloth, by a sparse factor."""

from __future__ import annotations

from neural_physics.arrays import Doubles, Indices
from neural_physics.energies.local_steps import LocalTerm
from neural_physics.projective_dynamics.admm import Solve, system_blocks
from neural_physics.solver.linear import CholeskySolver, SparsePattern


def sparse_solve(
    masses: Doubles, terms: list[LocalTerm], dt: float, free: Indices, *, contacts: bool
) -> Solve:
    """ADMM's global step by a sparse Cholesky factor."""
    stencils, blocks = system_blocks(masses, terms, dt, contacts)
    pattern = SparsePattern(stencils, len(masses), free)
    solver = CholeskySolver(pattern)
    solver.factorise(pattern.assemble(blocks))
    return solver.solve

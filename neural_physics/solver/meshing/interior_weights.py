"""Skinning weights given on a surface, spread through the tetrahedra in it (Jin et al. 2022, section 3.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from ...arrays import Doubles, Indices
from .element_sides import boundary
from .embedding import from_surface


def interior_weights(
    tet_vertices: Doubles,
    tetrahedra: NDArray[np.integer],
    vertices: Doubles,
    triangles: NDArray[np.integer],
    *,
    weights: Doubles,
) -> Doubles:
    """(n, bones) skinning weights of tetrahedra's vertices: not negative, with the sum 1.

    tet_vertices (n, 3) metres, tetrahedra (t, 4) of positive volume; vertices (V, 3) metres, triangles
    (m, 3) and weights (V, bones) of the surface, not negative. Vertices at the tetrahedra's own boundary
    take the weights of the closest place on the surface; those inside solve Laplace's equation. Raises
    ValueError where a vertex of the surface has no weight, or one that is negative.
    """
    given = np.asarray(weights, np.float64)
    sums = given.sum(1, keepdims=True)
    if (given < 0.0).any() or not (sums > 0.0).all():
        raise ValueError("Every vertex of the surface needs weights: none negative, one above zero.")
    outer = np.unique(boundary(tetrahedra)[0])
    taken = from_surface(tet_vertices[outer], vertices, triangles, given / sums)
    # Obtuse tetrahedra let the solution leave the range of its boundary by a little.
    spread = np.maximum(harmonic(tet_vertices, tetrahedra, outer, taken), 0.0)
    return spread / spread.sum(1, keepdims=True)


def harmonic(
    tet_vertices: Doubles, tetrahedra: NDArray[np.integer], fixed: Indices, values: Doubles
) -> Doubles:
    """(n, k) the solution of Laplace's equation with the values (f, k) at the fixed vertices (f,).

    By linear finite elements: linear functions are met exactly, and where no dihedral angle is obtuse,
    as in a cage, nothing lies outside of the range of the fixed values. Where tetrahedra are not connected
    to a fixed vertex there is no solution, and SciPy raises RuntimeError.
    """
    stiffness = laplacian(tet_vertices, tetrahedra)
    free = np.setdiff1d(np.arange(len(tet_vertices)), fixed)
    solution = np.empty((len(tet_vertices), values.shape[1]))
    solution[fixed] = values
    if len(free):
        rows = stiffness[free]
        solution[free] = splu(rows[:, free].tocsc(), permc_spec="MMD_AT_PLUS_A").solve(
            -(rows[:, fixed] @ solution[fixed])
        )
    return solution


def laplacian(tet_vertices: Doubles, tetrahedra: NDArray[np.integer]) -> csr_array:
    """(n, n) of the Dirichlet energy, metres: positive semi-definite, rows with the sum 0.

    The entry of an edge is minus a sixth of the length of the opposite edges times the cotangents of their
    dihedral angles. tet_vertices (n, 3) metres, tetrahedra (t, 4) of positive volume.
    """
    corners = tet_vertices[tetrahedra]
    sides = corners[:, 1:] - corners[:, :1]
    volumes = np.abs(np.linalg.det(sides)) / 6.0
    # The gradients of the barycentric coordinates; all four add to zero.
    last = np.linalg.inv(sides).transpose(0, 2, 1)
    gradients = np.concatenate([-last.sum(1, keepdims=True), last], axis=1)
    entries = volumes[:, None, None] * gradients @ gradients.transpose(0, 2, 1)
    rows = np.repeat(tetrahedra, 4, axis=1).ravel()
    columns = np.tile(tetrahedra, (1, 4)).ravel()
    return csr_array((entries.ravel(), (rows, columns)), shape=(len(tet_vertices),) * 2)

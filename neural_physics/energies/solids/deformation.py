"""How linear tetrahedra and plane triangles are deformed: gradients, their determinants and stretches.

Throughout, f (m, d, d) is the deformation gradient F, and d = 2 is plane strain: an F of three rows and
columns with F33 = 1 and no other entry in its third row and column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Doubles

# An element is taken for flat where its volume is less than this share of its longest edge's d-th power.
FLAT = 1e-12
# One-sided Jacobi converges quadratically: from any 3 x 3 matrix in five or six sweeps.
SWEEPS = 12
# Columns of F V shorter than this share of F's largest entry have no direction.
VANISHING = 1e-60
# Signs of permutations; and the determinant's derivatives that do not vary, by (i j, k l) and (p q, i j k l).
TURN = np.array([[0.0, 1.0], [-1.0, 0.0]])
CROSS = np.cross(np.eye(3)[:, None], np.eye(3))
SECOND_DERIVATIVES = np.einsum("ik,jl->ijkl", TURN, TURN).reshape(4, 4)
THIRD_DERIVATIVES = np.einsum("ikp,jlq->pqijkl", CROSS, CROSS).reshape(9, 81)


def shape_matrices(x: Any) -> Any:  # noqa: ANN401 (array or tensor)
    """Edges from each element's first vertex, as columns. x (m, d + 1, d), arrays or tensors -> (m, d, d)."""
    return (x[:, 1:] - x[:, :1]).swapaxes(-1, -2)


def rest_shapes(rest: Doubles) -> tuple[Doubles, Doubles]:
    """Inverse shape matrices at rest (m, d, d), 1/m, and volumes, m^3, or areas, m^2, (m,).

    rest (m, d + 1, d): the vertices of tetrahedra (d = 3) or of triangles in the plane (d = 2), metres,
    in the order that makes them positive. Raises ValueError where elements are flat or inside out.
    """
    d = rest.shape[-1]
    shapes = shape_matrices(rest)
    measures = determinant(shapes) / (1.0, 1.0, 2.0, 6.0)[d]
    longest = np.sqrt(np.sum((rest[:, :, None] - rest[:, None]) ** 2, -1).max((1, 2)))
    bad = np.flatnonzero(~(measures > FLAT * longest**d))
    if len(bad):
        raise ValueError(
            f"{len(bad)} elements are flat or inside out at rest, the first is element {bad[0]}."
        )
    return np.linalg.inv(shapes), measures


def deformation_gradient(x: Any, inverse_rest: Any) -> Any:  # noqa: ANN401 (array or tensor)
    """F = Ds Dm^-1. x (m, d + 1, d) metres and inverse_rest (m, d, d), both arrays or both tensors."""
    return shape_matrices(x) @ inverse_rest


def gradient_operator(inverse_rest: Doubles) -> Doubles:
    """dF/dx (m, d * d, (d + 1) * d), 1/m: rows are F's entries i * d + j, columns are v * d + i of vertex v.

    Constant, as F is linear in x.
    """
    m, d, _ = inverse_rest.shape
    # Derivatives of the elements' shape functions, (m, d, d + 1); those sum to zero.
    slopes = np.concatenate([-inverse_rest.sum(1)[:, None], inverse_rest], 1).swapaxes(1, 2)
    operator = np.zeros((m, d, d, d + 1, d))
    for i in range(d):
        operator[:, i, :, :, i] = slopes
    return operator.reshape(m, d * d, (d + 1) * d)


def determinant(f: Any) -> Any:  # noqa: ANN401 (array or tensor)
    """J = det F, (m,). f (m, d, d), arrays or tensors; differentiable also where F is singular."""
    if f.shape[-1] == 2:
        return f[:, 0, 0] * f[:, 1, 1] - f[:, 0, 1] * f[:, 1, 0]
    return (
        f[:, 0, 0] * (f[:, 1, 1] * f[:, 2, 2] - f[:, 1, 2] * f[:, 2, 1])
        + f[:, 0, 1] * (f[:, 1, 2] * f[:, 2, 0] - f[:, 1, 0] * f[:, 2, 2])
        + f[:, 0, 2] * (f[:, 1, 0] * f[:, 2, 1] - f[:, 1, 1] * f[:, 2, 0])
    )


def cofactor(f: Doubles) -> Doubles:
    """dJ/dF (m, d, d)."""
    if f.shape[-1] == 2:
        return np.stack([f[:, 1, 1], -f[:, 1, 0], -f[:, 0, 1], f[:, 0, 0]], 1).reshape(-1, 2, 2)
    cofactors = np.empty(f.shape)
    for i in range(3):
        for j in range(3):
            a, b, k, n = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
            cofactors[:, i, j] = f[:, a, k] * f[:, b, n] - f[:, a, n] * f[:, b, k]
    return cofactors


def determinant_hessian(f: Doubles) -> Doubles:
    """d2J/dF2 (m, d * d, d * d), by the entries i * d + j of F."""
    m, d, _ = f.shape
    if d == 2:
        return np.broadcast_to(SECOND_DERIVATIVES, (m, 4, 4))
    return (f.reshape(m, 9) @ THIRD_DERIVATIVES).reshape(m, 9, 9)


def signed_svd(f: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """F = U diag(s) V^T with rotations U and V, so that the last stretch bears the sign of det F.

    Returns u (m, d, d), s (m, d) with s_1 >= .. >= |s_d|, v (m, d, d). U V^T is the rotation nearest
    to F, also where F is inverted (Irving, Teran, Fedkiw 2004). Where that is not unique
    (F of rank 1 or 0, or s_d = -s_(d-1)) it is one of them.

    By one-sided Jacobi (Hestenes 1958), all elements at once, which is quicker than LAPACK one by one
    and as exact for small stretches as for large ones.
    """
    m, d, _ = f.shape
    # One contiguous row of m numbers for each entry; columns[j] (d, m) turns into column j of F V.
    columns = list(np.ascontiguousarray(f.transpose(2, 1, 0)))
    # Made of size 1, so that no product of two entries that count is lost to underflow.
    size = np.max([np.abs(column).max(0) for column in columns], 0)
    size[size == 0.0] = 1.0
    columns = [column / size for column in columns]
    v = list(np.repeat(np.eye(d)[:, :, None], m, 2))
    pairs = [(0, 1), (0, 2), (1, 2)] if d == 3 else [(0, 1)]
    for _ in range(SWEEPS):
        if not sum(_orthogonalise(columns, v, i, j) for i, j in pairs):
            break
    for i, j in [(0, 1), (1, 2), (0, 1)] if d == 3 else pairs:
        _sort(columns, v, i, j)
    u = _frame(columns)
    s = np.stack([size * np.sum(u[j] * columns[j], 0) for j in range(d)], 1)
    return np.ascontiguousarray(np.stack(u).transpose(2, 1, 0)), s, np.stack(v).transpose(2, 1, 0).copy()


def _orthogonalise(columns: list[Doubles], v: list[Doubles], i: int, j: int) -> bool:
    """Turn columns i and j until they are orthogonal; whether any were not."""
    a, b = columns[i], columns[j]
    aa, bb, ab = np.sum(a * a, 0), np.sum(b * b, 0), np.sum(a * b, 0)
    if not np.any(ab * ab > 1e-30 * aa * bb):
        return False
    half = 0.5 * (aa - bb)
    tangent = np.copysign(ab, half * ab) / np.maximum(
        np.abs(half) + np.sqrt(half * half + ab * ab), np.finfo(float).tiny
    )
    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    for vectors in (columns, v):
        a, b = vectors[i], vectors[j]
        vectors[i], vectors[j] = cosine * a + sine * b, cosine * b - sine * a
    return True


def _sort(columns: list[Doubles], v: list[Doubles], i: int, j: int) -> None:
    """Put the longer of two columns first; one changes its sign, so that V stays a rotation."""
    swap = np.sum(columns[i] ** 2, 0) < np.sum(columns[j] ** 2, 0)
    for vectors in (columns, v):
        a, b = vectors[i], vectors[j]
        vectors[i], vectors[j] = np.where(swap, b, a), np.where(swap, -a, b)


def _frame(columns: list[Doubles]) -> list[Doubles]:
    """The rotation U, as columns, whose first d - 1 are those of F V made unit (any where those vanish)."""
    first = columns[0]
    d, m = first.shape
    fallback = np.repeat(np.eye(d)[0][:, None], m, 1)
    first = _unit(first, fallback)
    if d == 2:
        return [first, np.stack([-first[1], first[0]])]
    # Orthogonal to the first: by the axis to which that is the least parallel.
    axis = np.eye(3)[:, np.argmin(np.abs(first), 0)]
    second = _unit(columns[1], _unit(_cross(first, axis), fallback))
    return [first, second, _cross(first, second)]


def _unit(vectors: Doubles, fallback: Doubles) -> Doubles:
    lengths = np.sqrt(np.sum(vectors * vectors, 0))
    vanishing = lengths < VANISHING
    return np.where(vanishing, fallback, vectors / np.where(vanishing, 1.0, lengths))


def _cross(a: Doubles, b: Doubles) -> Doubles:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])

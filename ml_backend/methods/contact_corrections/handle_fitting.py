"""Handles of a body of tetrahedra, or of triangles in the plane: where they are, how vertices follow them.

The weights are the smoothest that take the handles' values: they interpolate points, go along with frames
affinely, and reproduce affine motions, as biharmonic generalised barycentric coordinates do (Wang et al.
2015, section 3). What is smooth is measured by how much the gradient jumps from one tetrahedron to the
next, whose only zeros are the affine functions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from neural_physics.arrays import Doubles, Indices, Mask
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.methods.contact_corrections.handles import Handles
from neural_physics.solver.meshing.element_sides import edges_of, joined, sides_of

MOST_NUMBERS = 1 << 27  # of what vertices and elements have of all handles: gigabytes
FLAT = 1e-3  # of the body's size: handles that reach no further than that across a plane do not span space


def pin_groups(tetrahedra: NDArray[np.integer], pinned: Mask) -> list[Indices]:
    """The pinned vertices, by what of them hangs together: each group is a frame."""
    parts, held = joined(edges_of(tetrahedra), pinned), np.flatnonzero(pinned)
    order = held[np.argsort(parts[held], kind="stable")]
    return np.split(order, np.flatnonzero(np.diff(parts[order])) + 1) if len(held) else []


def spread_points(rest: Doubles, count: int, taken: Mask) -> Indices:
    """(count,) vertices of rest (B, d), each the farthest from all before it and from those taken (B,).

    Where none is taken, the first d + 1 are those that span the most space. Fewer where fewer are free.
    """
    count = min(count, int((~taken).sum()))
    chosen = [] if taken.any() else _spanning(rest)[:count]
    away = np.full(len(rest), np.inf)
    for place in rest[taken if taken.any() else chosen]:
        away = np.minimum(away, np.linalg.norm(rest - place, axis=1))
    while len(chosen) < count:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, np.linalg.norm(rest - rest[chosen[-1]], axis=1))
    return np.array(chosen, np.intp)


def _spanning(rest: Doubles) -> list[int]:
    """d + 1 vertices, each the farthest off the point, line or plane through those before it."""
    off = rest - rest.mean(0)
    chosen = [int(np.linalg.norm(off, axis=1).argmax())]
    off = rest - rest[chosen[0]]
    for _ in range(rest.shape[1]):
        chosen.append(int(np.linalg.norm(off, axis=1).argmax()))
        axis = off[chosen[-1]] / max(float(np.linalg.norm(off[chosen[-1]])), 1e-300)
        off = off - np.outer(off @ axis, axis)
    return chosen


def too_many(rest: Doubles, tetrahedra: NDArray[np.integer], rows: int) -> bool:
    """Whether `fit_handles` takes more memory for so many rows of Q than most computers have."""
    return rows * (len(rest) + len(tetrahedra)) * (rest.shape[1] + 1) > MOST_NUMBERS


def fit_handles(
    rest: Doubles,
    tetrahedra: NDArray[np.integer],
    points: Indices,
    frames: Sequence[Indices],
    *,
    loose: Sequence[tuple[Indices, Doubles]] = (),
) -> Handles:
    """Points at vertices (n,), and frames that groups of vertices go along with: those that are pinned, and
    before them loose ones, whose corners are free, each with the place (d,) of its first corner.

    q at rest, and U (Romero 2021, section 3.1).
    rest (B, d) m, tetrahedra (m, d + 1) of positive volume. Raises ValueError where the handles do not span
    space, so that the body would turn or shear without them.
    """
    (count, d), n = rest.shape, len(points)
    corners = [_corners(rest, group, place) for group, place in loose]
    corners += [_corners(rest, group) for group in frames]
    frames = [*(group for group, _ in loose), *frames]
    at_rest = np.concatenate([rest[points], *corners])
    size = float(np.linalg.norm(np.ptp(rest, axis=0)))
    held = np.concatenate([points, *frames]).astype(np.intp)
    away = rest[held] - rest[held].mean(0)
    spans = len(held) > d and np.linalg.svd(away, compute_uv=False)[d - 1] > FLAT * size
    if not spans or len(np.unique(held)) < len(held):
        raise ValueError(
            "At least four handles that are not all in one plane are needed, or in a flat body three "
            "that are not on one line, each at a different position."
        )
    given = np.zeros((len(held), len(at_rest)))
    given[:n, :n] = np.eye(n)
    first = n
    for number, (group, of_frame) in enumerate(zip(frames, corners, strict=True)):
        columns = slice(n + (d + 1) * number, n + (d + 1) * (number + 1))
        given[first : first + len(group), columns] = _affine_shares(rest[group], of_frame)
        first += len(group)
    weights = np.empty((count, len(at_rest)))
    weights[held] = given
    free = np.setdiff1d(np.arange(count), held)
    if len(free):
        jumps = gradient_jumps(rest, tetrahedra)
        energy = (jumps.T @ jumps)[free]
        system = splu(energy[:, free].tocsc(), permc_spec="MMD_AT_PLUS_A")
        weights[free] = system.solve(-(energy[:, held] @ given))
    gradients, free_rows = vertex_gradients(rest, tetrahedra, weights), n + (d + 1) * len(loose)
    return Handles(weights, gradients, at_rest, free_rows, loose=len(loose))


def gradient_jumps(rest: Doubles, tetrahedra: NDArray[np.integer]) -> csr_array:
    """(faces, B): the second derivative across each inner face, or edge, times the root of its volume."""
    elements = tetrahedra.astype(np.intp)
    inverse, volumes = rest_shapes(rest[elements])
    slopes, size = _slopes(inverse), elements.shape[1]
    faces = sides_of(elements)
    order = np.lexsort(np.sort(faces, axis=1).T)
    same = (np.sort(faces, axis=1)[order][1:] == np.sort(faces, axis=1)[order][:-1]).all(1)
    a, b = order[:-1][same] // size, order[1:][same] // size
    # Of the element on one side: how fast the share of the vertex opposite to a face grows, straight off it.
    normals = slopes[a, :, order[:-1][same] % size]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    centres = rest[elements].mean(1)
    apart = np.abs(np.einsum("fd,fd->f", centres[a] - centres[b], normals))
    scale = np.sqrt((volumes[a] + volumes[b]) / size) / apart
    entries = [
        sign * scale[:, None] * np.einsum("fdk,fd->fk", slopes[of], normals)
        for sign, of in ((1.0, a), (-1.0, b))
    ]
    rows = np.repeat(np.arange(len(a)), size)
    columns = (np.concatenate([rows, rows]), np.concatenate([elements[a].ravel(), elements[b].ravel()]))
    return csr_array((np.concatenate([e.ravel() for e in entries]), columns), shape=(len(a), len(rest)))


def vertex_gradients(rest: Doubles, tetrahedra: NDArray[np.integer], weights: Doubles) -> Doubles:
    """(B, d, h) derivatives of weights (B, h) by place: of the tetrahedra around, averaged by volume.

    What F (Romero 2021, eq. 1) is made of.
    """
    elements = tetrahedra.astype(np.intp)
    inverse, volumes = rest_shapes(rest[elements])
    slopes = np.einsum("mdk,mkh->mdh", _slopes(inverse), weights[elements])
    total, around = np.zeros((*rest.shape, weights.shape[1])), np.zeros(len(rest))
    for corner in range(elements.shape[1]):
        np.add.at(total, elements[:, corner], volumes[:, None, None] * slopes)
        np.add.at(around, elements[:, corner], volumes)
    return total / around[:, None, None]


def _slopes(inverse_rest: Doubles) -> Doubles:
    """(m, d, d + 1): the gradients of the barycentric coordinates."""
    return np.concatenate([-inverse_rest.sum(1)[:, None], inverse_rest], 1).swapaxes(1, 2)


def _corners(rest: Doubles, group: Indices, place: Doubles | None = None) -> Doubles:
    """(d + 1, d): a place in a frame, or its middle, and a point along each axis as far off as it reaches."""
    middle = rest[group].mean(0) if place is None else place
    reach = float(np.linalg.norm(rest[group] - middle, axis=1).max(initial=0.0))
    reach = reach or 0.1 * float(np.linalg.norm(np.ptp(rest, axis=0)))
    return middle + reach * np.concatenate([np.zeros((1, len(middle))), np.eye(len(middle))])


def _affine_shares(points: Doubles, corners: Doubles) -> Doubles:
    """(k, d + 1): by how much points (k, d) follow each corner of a frame."""
    last = (points - corners[0]) @ np.linalg.inv(corners[1:] - corners[0])
    return np.column_stack([1.0 - last.sum(1), last])

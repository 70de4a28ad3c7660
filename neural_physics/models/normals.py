"""Vertex normals: regressed from the coefficients (Holden 2019, section 6.3), or from the faces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, StoredIndices
from .model_file import Model


def normals_from_faces(
    positions: NDArray[np.floating], corners: StoredIndices, face_sizes: StoredIndices
) -> Floats:
    """Unit vertex normals as Blender makes them: the faces' unit normals, weighted by their corner's angle.

    positions (..., V, 3); corners and face_sizes as in `rest_mesh.Mesh`. Returns (..., V, 3) float32; a
    vertex without faces gets (0, 0, 0).
    """
    starts = np.cumsum(face_sizes) - face_sizes
    faces = np.repeat(np.arange(len(face_sizes)), face_sizes)
    following = np.arange(1, len(corners) + 1)
    following[starts + face_sizes - 1] = starts
    normals = np.empty(positions.shape, np.float32)
    for frame in np.ndindex(positions.shape[:-2]):
        # One axis after the other, one frame after the other: all that is touched stays in the cache.
        at = np.ascontiguousarray(positions[frame].T, np.float32)[:, corners]
        onward = at[:, following] - at
        back = np.empty_like(onward)
        back[:, following] = -onward
        # Newell's normal, about the face's first corner so that far from the origin no digits are lost.
        spokes = at - at[:, starts][:, faces]
        face_normals = np.add.reduceat(_cross(spokes, spokes[:, following]), starts, axis=1)
        face_normals /= np.maximum(np.sqrt(_dot(face_normals, face_normals)), 1e-20)
        bends = _cross(onward, back)
        angles = np.arctan2(np.sqrt(_dot(bends, bends)), _dot(onward, back))
        for axis in range(3):
            weighted = face_normals[axis, faces] * angles
            normals[(*frame, slice(None), axis)] = np.bincount(corners, weighted, positions.shape[-2])
    return normalised(normals)


def triangulate(corners: StoredIndices, face_sizes: StoredIndices) -> StoredIndices:
    """Fan triangles (n, 3) of faces of any size."""
    starts = np.concatenate([[0], np.cumsum(face_sizes)[:-1]])
    counts = face_sizes - 2
    first = np.repeat(starts, counts)
    step = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], 1).astype(
        np.int32
    )


def learned_normals(model: Model, basis_count: int) -> tuple[Floats, Floats] | None:
    """n_mu (V, 3) and Q (u, V, 3) float32 of a model; None where it has not learned any.

    Raises Problem("model_damaged").
    """
    if "normal_basis" not in model.tensors:
        return None
    vertices = model.info.vertex_count
    mean = model.limited_tensor("normal_mean", vertices, 3)
    return mean, model.limited_tensor("normal_basis", basis_count, vertices, 3)


def regress_normals(z: Floats, mean: Floats, q: Floats) -> Floats:
    """n = normalise(n_mu + Q z) (Holden 2019, section 6.3).

    z (u,), mean (V, 3), q (u, V, 3). Returns (V, 3) float32.
    """
    return normalised(mean + np.tensordot(z, q, 1))


def normalised(vectors: Floats) -> Floats:
    """Unit vectors along the last axis; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-12)


def _cross(a: Floats, b: Floats) -> Floats:
    """(3, n) of both (3, n)."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _dot(a: Floats, b: Floats) -> Floats:
    """(n,) of both (3, n)."""
    products: Floats = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return products

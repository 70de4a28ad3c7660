"""Vertex normals: regressed from the coefficients (Holden 2019, section 6.3), or from the faces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def normals_from_faces(
    positions: NDArray[np.floating], corners: NDArray[np.int32], face_sizes: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Unit vertex normals, each the sum of its faces' area-weighted normals.

    positions (..., V, 3); corners and face_sizes as in `takes.Mesh`. Returns (..., V, 3) float32; a
    vertex without faces gets (0, 0, 0).
    """
    points = np.asarray(positions, np.float32)
    normals = np.zeros_like(points)
    triangles = triangulate(corners, face_sizes)
    a, b, c = (points[..., triangles[:, i], :] for i in range(3))
    face_normals = np.cross(b - a, c - a)
    flat, flat_faces = normals.reshape(-1, *points.shape[-2:]), face_normals.reshape(-1, len(triangles), 3)
    for frame, frame_faces in zip(flat, flat_faces, strict=True):
        for corner in triangles.T:
            for axis in range(3):
                frame[:, axis] += np.bincount(corner, frame_faces[:, axis], len(frame)).astype(np.float32)
    return normalised(normals)


def triangulate(corners: NDArray[np.int32], face_sizes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Fan triangles (n, 3) of faces of any size."""
    starts = np.concatenate([[0], np.cumsum(face_sizes)[:-1]])
    counts = face_sizes - 2
    first = np.repeat(starts, counts)
    step = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], 1).astype(
        np.int32
    )


def regress_normals(
    z: NDArray[np.float32], mean: NDArray[np.float32], q: NDArray[np.float32]
) -> NDArray[np.float32]:
    """n = normalise(n_mu + Q z). z (u,), mean (V, 3), q (u, V, 3). Returns (V, 3) float32."""
    return normalised(mean + np.tensordot(z, q, 1))


def normalised(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit vectors along the last axis; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-12)

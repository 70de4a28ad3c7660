"""The simulated mesh at rest, `mesh.npz`, and the hash that models and datasets of it share."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, StoredIndices
from ..errors import Problem
from ..files.atomic import write_atomically
from ..files.reading import read_arrays
from ..skinning.shape_keys import ShapeKeys
from ..skinning.skin import Skin, check_skin
from .usable_numbers import FURTHEST


@dataclass(frozen=True)
class Mesh:
    """The simulated mesh at rest.

    rest_positions (V, 3) float32, metres. corners: the faces' vertex indices one after the other,
    int32; face_sizes (F,) int32. pins (V,) float32: 1 where pinned, 0 where free. loose_edges (E, 2)
    int32: those that belong to no face, as strands of hair are made of. skin: which bones it follows, where
    that is known.
    """

    rest_positions: Floats
    corners: StoredIndices
    face_sizes: StoredIndices
    pins: Floats
    loose_edges: StoredIndices = field(default_factory=lambda: np.empty((0, 2), np.int32))
    skin: Skin | None = None

    @property
    def vertex_count(self) -> int:
        """The number of vertices, V."""
        return len(self.rest_positions)

    def topology(self) -> str:
        """A hash of the vertex count, the faces and the loose edges; what a model is bound to."""
        return topology_hash(self.vertex_count, self.corners, self.face_sizes, self.loose_edges)

    def edges(self) -> StoredIndices:
        """(E, 2) int32: the edges of all faces and the loose ones, each once."""
        following = np.arange(1, len(self.corners) + 1)
        ends = np.cumsum(self.face_sizes)
        following[ends - 1] = ends - self.face_sizes
        pairs = np.concatenate([np.stack([self.corners, self.corners[following]], 1), self.loose_edges])
        return np.unique(np.sort(pairs, axis=1), axis=0).astype(np.int32)


def topology_hash(
    vertex_count: int,
    corners: StoredIndices,
    face_sizes: StoredIndices,
    loose_edges: StoredIndices | None = None,
) -> str:
    """A hash that two meshes share if they have the same vertex count, faces and loose edges (E, 2)."""
    digest = hashlib.sha256(str(vertex_count).encode())
    digest.update(np.ascontiguousarray(corners, "<i4").data)
    digest.update(np.ascontiguousarray(face_sizes, "<i4").data)
    if loose_edges is not None:  # of none nothing is added: most meshes have none
        digest.update(np.ascontiguousarray(loose_edges, "<i4").tobytes())
    return digest.hexdigest()[:32]


def read_mesh(path: Path) -> Mesh:
    """Read a `mesh.npz`. Raises Problem("dataset_damaged")."""
    try:
        arrays = read_arrays(path)
        mesh = Mesh(
            np.ascontiguousarray(arrays["rest_positions"], np.float32),
            np.ascontiguousarray(arrays["corners"], np.int32),
            np.ascontiguousarray(arrays["face_sizes"], np.int32),
            np.ascontiguousarray(arrays["pins"], np.float32),
            loose_edges=np.ascontiguousarray(arrays.get("loose_edges", np.empty((0, 2))), np.int32),
            skin=_skin_in(arrays),
        )
        _check_mesh(mesh)
        return mesh
    except Exception as error:  # NumPy has many errors of its own
        raise Problem("dataset_damaged", path=path.parent, reason=f"{path.name}: {error}") from error


def write_mesh(path: Path, mesh: Mesh) -> None:
    """Write a `mesh.npz`, all or nothing. Raises OSError."""
    arrays = {f.name: getattr(mesh, f.name) for f in fields(mesh) if f.name != "skin"}
    if not len(mesh.loose_edges):
        del arrays["loose_edges"]
    if mesh.skin is not None:
        arrays |= {
            "skin_bones": np.array(mesh.skin.bones, np.str_),
            "skin_weights": mesh.skin.weights,
            "skin_preserve_volume": np.array(mesh.skin.preserve_volume),
        }
        known = {"skin_axes": mesh.skin.axes, "skin_order": mesh.skin.order}
        arrays |= {name: values for name, values in known.items() if values is not None}
        keys = mesh.skin.keys
        if keys is not None:
            arrays |= {
                "key_names": np.array(keys.names, np.str_),
                "key_counts": keys.counts,
                "key_vertices": keys.vertices,
                "key_offsets": keys.offsets,
            }
    data = BytesIO()
    np.savez(data, **arrays)
    write_atomically(path, data.getvalue())


def _skin_in(arrays: Mapping[str, NDArray[Any]]) -> Skin | None:
    if "skin_weights" not in arrays:
        return None
    axes, order = arrays.get("skin_axes"), arrays.get("skin_order")
    return Skin(
        tuple(str(bone) for bone in arrays["skin_bones"]),
        np.ascontiguousarray(arrays["skin_weights"], np.float32),
        bool(arrays["skin_preserve_volume"]),
        axes=None if axes is None else np.ascontiguousarray(axes, np.float32),
        order=None if order is None else np.ascontiguousarray(order, np.int32),
        keys=_keys_in(arrays),
    )


def _keys_in(arrays: Mapping[str, NDArray[Any]]) -> ShapeKeys | None:
    if "key_names" not in arrays:
        return None
    return ShapeKeys(
        tuple(str(name) for name in arrays["key_names"]),
        np.ascontiguousarray(arrays["key_counts"], np.int32),
        np.ascontiguousarray(arrays["key_vertices"], np.int32),
        np.ascontiguousarray(arrays["key_offsets"], np.float32),
    )


def _check_mesh(mesh: Mesh) -> None:
    count, corners = mesh.vertex_count, mesh.corners
    if mesh.rest_positions.shape != (count, 3) or mesh.pins.shape != (count,):
        raise ValueError("rest_positions must be (V, 3) and pins (V,)")
    if not np.isfinite(mesh.rest_positions).all() or not np.isfinite(mesh.pins).all():
        raise ValueError("rest_positions and pins must be finite numbers")
    if np.abs(mesh.rest_positions).max(initial=0.0) > FURTHEST:
        raise ValueError(f"rest_positions must be at most {FURTHEST:g} m away")
    sizes_fit = mesh.face_sizes.ndim == corners.ndim == 1 and mesh.face_sizes.sum() == len(corners)
    if not sizes_fit or (mesh.face_sizes < 3).any():
        raise ValueError("face_sizes must be at least 3 each and add up to the number of corners")
    loose = mesh.loose_edges
    if loose.ndim != 2 or loose.shape[1] != 2 or (len(loose) and not 0 <= loose.min() <= loose.max() < count):
        raise ValueError("loose_edges must be pairs of vertex indices")
    if len(corners) and not 0 <= corners.min() <= corners.max() < count:
        raise ValueError("corners must be vertex indices")
    if mesh.skin is not None:
        check_skin(mesh.skin, count)

"""What can be said of a motion without comparing vertices: its energy, what it penetrates, its normals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Doubles, Floats, StoredIndices
from ..datasets.dataset_info import DatasetInfo
from ..datasets.rest_mesh import Mesh
from ..models.normals import normals_from_faces, regress_normals


@dataclass(frozen=True)
class Energy:
    """Per frame, each (n,) float64.

    kinetic, gravitational: J per kg, the mean over vertices of equal mass; gravitational is 0 at
    the height of the rest shape. stretch: half the mean square of the edges' change of length over
    that of their length, no unit: it grows with the elastic energy and needs no material.
    """

    kinetic: Doubles
    gravitational: Doubles
    stretch: Doubles


def energy(positions: Floats, interaction: Floats, mesh: Mesh, info: DatasetInfo) -> Energy:
    """positions (n, V, 3) metres and interaction (n, e) of frames one after the other.

    Velocities are differences between frames, seen from the reference frame; the first frame's is
    the second's.
    """
    velocity = np.diff(positions, axis=0) / info.dt
    kinetic = 0.5 * np.square(velocity, dtype=np.float64).sum(-1).mean(1)
    centre = (positions - mesh.rest_positions).mean(1, dtype=np.float64)
    gravity = _gravity(interaction, info)
    edges = mesh.edges()
    rest = _lengths(mesh.rest_positions, edges)
    return Energy(
        kinetic=np.concatenate([kinetic[:1], kinetic]),
        gravitational=-(centre * gravity).sum(-1),
        stretch=0.5 * np.square(_lengths(positions, edges) - rest).mean(-1) / np.square(rest).mean(),
    )


def _gravity(interaction: Floats, info: DatasetInfo) -> Doubles:
    """(n, 3) or (3,) m/s^2: where a ground channel says what is up, that way."""
    fixed = np.array(info.gravity)
    slices = info.channels.slices()
    for channel in info.channels.channels:
        if channel.kind == "ground":
            up = interaction[:, slices[channel.name]][:, :3].astype(float)
            return -up * float(np.linalg.norm(fixed))
    return fixed


@dataclass(frozen=True)
class Penetration:
    """Per frame, each (n,): the depth of the deepest vertex in metres, and the share of all within."""

    depth: Doubles
    share: Doubles


def penetration(positions: Floats, interaction: Floats, info: DatasetInfo) -> Penetration | None:
    """How far vertices (n, V, 3) are inside the dataset's spheres; None if it has none."""
    if not info.colliders:
        return None
    slices = info.channels.slices()
    depth = np.zeros(positions.shape[:2])
    for name, radius in info.colliders.items():
        centre = interaction[:, None, slices[name]]
        inside = radius - np.linalg.norm(positions - centre, axis=-1).astype(float)
        np.maximum(depth, inside, out=depth)
    return Penetration(depth.max(1), (depth > 0).mean(1))


def normal_angle(a: Floats, b: Floats) -> float:
    """The mean angle in degrees between unit vectors (..., 3)."""
    # Through the chord: the arc cosine has no digits left for small angles.
    half = np.clip(0.5 * np.linalg.norm(a.astype(float) - b, axis=-1), 0.0, 1.0)
    return float(np.degrees(2.0 * np.arcsin(half)).mean())


@dataclass(frozen=True)
class NormalErrors:
    """Mean angles in degrees from the reference's normals (Holden 2019, section 6.3).

    regressed: of those that Q gives. from_shape: of those of the predicted shape's own faces.
    """

    regressed: float
    from_shape: float


def normal_errors(
    z: Floats,
    predicted: Floats,
    truth: Floats,
    *,
    mesh: Mesh,
    learned: tuple[Floats, Floats],
) -> NormalErrors:
    """z (n, u) of the predicted shapes (n, V, 3), the reference's shapes; learned: n_mu and Q."""
    wanted = normals_from_faces(truth, mesh.corners, mesh.face_sizes)
    made = normals_from_faces(predicted, mesh.corners, mesh.face_sizes)
    regressed = np.stack([regress_normals(row, *learned) for row in z])
    return NormalErrors(normal_angle(regressed, wanted), normal_angle(made, wanted))


def _lengths(positions: Floats, edges: StoredIndices) -> Doubles:
    """(..., E) metres."""
    along = positions[..., edges[:, 0], :] - positions[..., edges[:, 1], :]
    return np.linalg.norm(along, axis=-1).astype(float)

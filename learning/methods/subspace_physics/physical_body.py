"""What a physical initial model is made of: springs and vertices of the mesh, and what it begins with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learning.training.subspace_data import SubspaceData
from neural_physics.arrays import Floats
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.methods.subspace_physics.reduced_forces import by_axis

SPRINGS, POINTS = 240, 400  # how many are drawn, at most
DIAGONALS = 0.4  # share of the springs that are diagonals of quads, which resist shear
SHEAR = 0.5  # stiffness of those beside edges
# Times dt^2, of vertices with unit mass, at first: as firm as a few steps can solve for, not as the
# cloth is, so that they do not depend on the frame rate.
EDGE_STIFFNESS, CONTACT_STIFFNESS = 350.0, 35.0
IN_CONTACT = 0.3  # share of the vertices in contact, in the mean over all frames, about
ISOTROPIC = 0.3  # share of a spring's stiffness that acts across it, in the mean Hessian
THICKNESS = 1.1  # of a ball with the distance that simulations keep from it, in its radii, at first
HESSIAN_FRAMES = 300
SEED = 1  # of the draw: of the same body, models of all seeds have the same springs


@dataclass(frozen=True)
class PhysicalBody:
    """Springs (E), points (P) and balls (C) of a mesh in its bases (u).

    Each vertex has unit mass; stiffness is times dt^2. springs (E, 2), points (P,): vertices. lengths (E,):
    at rest, metres. stiffness (E,) and push: of springs and of contact. spring_basis (u, 3 E), spring_mean
    (3, E), point_basis (u, 3 P), point_mean (3, P): where they are, axis by axis. masses (u,): that unit z
    moves. gravity (u,): what one step adds to z. centres (C,): where each ball's centre begins in y. radii
    (C,), metres. response (u, u): R, whose R R^T is the inverse of the mean Hessian.
    """

    springs: NDArray[np.int64]
    lengths: Floats
    stiffness: Floats
    spring_basis: Floats
    spring_mean: Floats
    points: NDArray[np.int64]
    push: float
    point_basis: Floats
    point_mean: Floats
    masses: Floats
    gravity: Floats
    centres: NDArray[np.int64]
    radii: Floats
    response: Floats


def physical_body(data: SubspaceData, mesh: Mesh, info: DatasetInfo) -> PhysicalBody:
    """The body of a dataset in its bases."""
    random = np.random.default_rng(SEED)
    basis, mean, rest = data.basis, data.mean, mesh.rest_positions
    vertices = len(mean)
    masses = np.square(data.deviations, dtype=np.float64)
    springs, weights = _drawn_springs(mesh, random)
    first, second = springs.T
    stiffness = (EDGE_STIFFNESS * weights).astype(np.float32)
    points = np.sort(random.choice(vertices, min(POINTS, vertices), replace=False))
    push = CONTACT_STIFFNESS * vertices / len(points)
    spring_basis, point_basis = by_axis(basis[:, first] - basis[:, second]), by_axis(basis[:, points])
    spring_mean = np.ascontiguousarray((mean[first] - mean[second]).T)
    hessian = np.diag(masses) + _mean_stiffness(data.training.z, spring_basis, spring_mean, stiffness)
    slices, balls = info.channels.slices(), info.colliders
    if balls:
        hessian += IN_CONTACT * push * (point_basis @ point_basis.T)
    falls = all(channel.kind != "ground" for channel in info.channels.channels)
    gravity = np.einsum("uvi,i->u", basis, info.gravity) * info.dt**2 / masses * falls
    return PhysicalBody(
        springs=springs,
        lengths=np.linalg.norm(rest[first] - rest[second], axis=1).astype(np.float32),
        stiffness=stiffness,
        spring_basis=spring_basis,
        spring_mean=spring_mean,
        points=points,
        push=push,
        point_basis=point_basis,
        point_mean=np.ascontiguousarray(mean[points].T),
        masses=masses.astype(np.float32),
        gravity=gravity.astype(np.float32),
        centres=np.array([slices[name].start for name in balls], np.int64),
        radii=np.array(list(balls.values()), np.float32) * np.float32(THICKNESS),
        response=np.linalg.cholesky(np.linalg.inv(hessian)).astype(np.float32),
    )


def _drawn_springs(mesh: Mesh, random: np.random.Generator) -> tuple[NDArray[np.int64], Floats]:
    """Pairs of vertices (E, 2), and how many springs of the mesh each stands for (E,)."""
    edges, diagonals = mesh.edges().astype(np.int64), _diagonals(mesh)
    across = min(len(diagonals), round(DIAGONALS * SPRINGS))
    along = min(len(edges), SPRINGS - across)
    drawn = [
        pairs[np.sort(random.choice(len(pairs), count, replace=False))]
        for pairs, count in ((edges, along), (diagonals, across))
        if count
    ]
    weights = [np.full(along, len(edges) / along), np.full(across, SHEAR * len(diagonals) / max(across, 1))]
    return np.concatenate(drawn), np.concatenate(weights)


def _diagonals(mesh: Mesh) -> NDArray[np.int64]:
    """(D, 2): both diagonals of each face with four corners."""
    begins = (np.cumsum(mesh.face_sizes) - mesh.face_sizes)[mesh.face_sizes == 4]
    quads = mesh.corners[begins[:, None] + np.arange(4)].astype(np.int64)
    return np.concatenate([quads[:, [0, 2]], quads[:, [1, 3]]])


def _mean_stiffness(z: Floats, basis: Floats, mean: Floats, stiffness: Floats) -> NDArray[np.float64]:
    """(u, u): the springs' stiffness in the bases, in the mean over training frames z (N, u).

    Springs are seldom compressed for long, so that they are taken to pull: along themselves with all of
    their stiffness, and across with some.
    """
    shown = z[:: max(1, len(z) // HESSIAN_FRAMES)]
    along = (shown @ basis).reshape(len(shown), *mean.shape) + mean
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    directions = np.einsum("nie,nje->ije", along, along) / len(shown)
    directions = (1.0 - ISOTROPIC) * directions + ISOTROPIC * np.eye(3)[:, :, None]
    each = basis.reshape(len(basis), *mean.shape).astype(np.float64)
    return np.einsum("uie,ije,vje,e->uv", each, directions, each, stiffness, optimize=True)

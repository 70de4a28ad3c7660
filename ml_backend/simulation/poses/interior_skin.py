"""Where bones take a solid as a whole, its inside too, and the way there (Jin et al. 2022, section 3.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from neural_physics.arrays import Doubles
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.models.normals import triangulate
from neural_physics.skinning.skin import Skin
from neural_physics.solver.meshing.interior_weights import interior_weights

STRAIGHT = 1e-9  # radians: what turns less goes straight


class InteriorSkin:
    """The skinning weights of the artist's mesh, spread through the body that it hangs in."""

    def __init__(self, request: SimulationRequest, body: Body, skin: Skin) -> None:
        """Raises ValueError for weights that are none."""
        weights = skin.weights.astype(np.float64)
        own = np.maximum(1.0 - weights.sum(1, keepdims=True), 0.0)
        triangles = triangulate(request.corners, request.face_sizes)
        self._rest = body.rest_positions
        self._weights = interior_weights(
            body.rest_positions,
            body.elements,
            request.rest_positions,
            triangles,
            weights=np.concatenate([own, weights], axis=1),
        )

    def carried(self, moves: NDArray[np.floating], share: float) -> Doubles:
        """(B, 3) the body's vertices in the world, m, at a share (0 to 1) of the way into a pose.

        moves (K + 1, 3, 4): as in a channel of kind "pose", see `Channel.parts`. At 0 the body is as it is at
        rest, where its object stands in this pose; from there each bone makes its part of a screw motion,
        which turns about a joint what the joint holds.
        """
        moves = moves.astype(np.float64)
        placed, size = _polar(moves[0, :, :3])
        # To the body's own axes, where it is at rest as large as it is in the world.
        turns = Rotation.from_matrix(placed.T @ moves[:, :, :3] @ np.linalg.inv(size))
        shifts = (moves[:, :, 3] - moves[0, :, 3]) @ placed
        parts, offsets = _screws(turns.as_rotvec(), shifts, share)
        mixed = np.einsum("bk,kij,bj->bi", self._weights, parts, self._rest, optimize=True)
        return (mixed + self._weights @ offsets) @ placed.T + moves[0, :, 3]


def _screws(turns: Doubles, shifts: Doubles, share: float) -> tuple[Doubles, Doubles]:
    """Rotations (K, 3, 3) and shifts (K, 3) of a share of the screw motions with these ends.

    turns (K, 3): rotation vectors, radians. shifts (K, 3): where the origin goes, m.
    """
    angles = np.linalg.norm(turns, axis=1, keepdims=True)
    turning = angles > STRAIGHT
    axes = np.divide(turns, angles, out=np.zeros_like(turns), where=turning)
    along = np.where(turning, (axes * shifts).sum(1, keepdims=True) * axes, shifts)
    across = shifts - along
    cotangents = 1.0 / np.tan(0.5 * np.where(turning, angles, np.pi))
    centres = 0.5 * (across + cotangents * np.cross(axes, across))
    rotations = Rotation.from_rotvec(share * turns).as_matrix()
    return rotations, share * along + centres - np.einsum("kij,kj->ki", rotations, centres)


def _polar(matrix: Doubles) -> tuple[Doubles, Doubles]:
    """The rotation nearest to a matrix (3, 3), and what it was stretched by before, mirroring included."""
    left, _, right = np.linalg.svd(matrix)
    left[:, 2] *= np.sign(np.linalg.det(left @ right))
    return left @ right, (left @ right).T @ matrix

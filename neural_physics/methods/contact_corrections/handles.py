"""A linear blend of handles (Romero 2021, section 3.1): x = W Q, and what it does to the body around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices


@dataclass(frozen=True)
class Handles:
    """Positions of h points, n of them free, then d + 1 for each pinned frame; B vertices follow all of them.

    All in d coordinates: 3 in space, 2 of a flat body in its plane. weights (B, h): W, which reproduces
    affine motions, so that rows have the sum 1. gradients (B, d, h): the derivatives of W by the place at
    rest, 1/m, averaged around each vertex. rest (h, d): Q at rest, m. free: n. loose: how many frames are not
    pinned, whose corners are the last of the free points.
    """

    weights: Doubles
    gradients: Doubles
    rest: Doubles
    free: int
    loose: int = 0

    @property
    def corners(self) -> int:
        """How many rows of Q represent one frame: points that move with it, affinely."""
        return int(self.rest.shape[1]) + 1

    @property
    def points(self) -> int:
        """How many rows of Q are free points by themselves."""
        return self.free - self.loose * self.corners

    @property
    def pinned(self) -> int:
        """How many frames are pinned."""
        return (len(self.rest) - self.free) // self.corners

    @property
    def anchor(self) -> Indices:
        """The rows of Q that poses are relative to: the first frame's, or all where there is none."""
        if len(self.rest) > self.free:
            return np.arange(self.free, self.free + self.corners)
        return np.arange(self.free)

    def at(self, vertices: Indices) -> Handles:
        """These handles for some of the vertices only."""
        return Handles(
            self.weights[vertices], self.gradients[vertices], self.rest, self.free, loose=self.loose
        )

    def positions(self, q: Doubles) -> Doubles:
        """(B, d) m, of all handles' q (h, d): U q (Romero 2021, eq. 1)."""
        x: Doubles = self.weights @ q
        return x

    def deformation(self, q: Doubles) -> Doubles:
        """(B, d, d): F(q), the deformation gradient of the blend, at each vertex (Romero 2021, eq. 1)."""
        count, d, _ = self.gradients.shape
        by_axis = self.gradients.reshape(count * d, -1) @ q
        return by_axis.reshape(count, d, d).swapaxes(1, 2)

    def placement(self, q: Doubles) -> tuple[Doubles, Doubles]:
        """A(q): the rotation (d, d) and the place (d,) of the anchor, which at rest is not turned.

        See Romero 2021, eq. 7.
        """
        return rigid_fit(self.rest[self.anchor], q[self.anchor])


def rigid_fit(rest: Doubles, now: Doubles) -> tuple[Doubles, Doubles]:
    """The rotation (d, d) that takes points (k, d) about their middle best to others about theirs, and that.

    Kabsch 1976; a rotation also where the points are mirrored.
    """
    middle = now.mean(0)
    moments = (now - middle).T @ (rest - rest.mean(0))
    # Of all turns that fit points on a line, the smallest.
    moments += 1e-12 * max(float(np.abs(moments).max()), 1e-200) * np.eye(len(moments))
    return nearest_rotation(moments), middle


def nearest_rotation(matrix: Doubles) -> Doubles:
    """The rotation (d, d) that is nearest to a matrix, in the mean square of its entries."""
    if not np.isfinite(matrix).all():  # too large to be told from any other
        return np.eye(len(matrix))
    left, _, right = np.linalg.svd(matrix)
    turn = np.eye(len(matrix))
    turn[-1, -1] = np.sign(np.linalg.det(left @ right)) or 1.0
    rotation: Doubles = left @ turn @ right
    return rotation

"""What bones do to a mesh: their moves, without that of the object that the mesh is of."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Floats, Indices

LARGEST_STRETCH = 1e10  # of what a bone does, as seen from an object that is scaled to nearly nothing
LARGEST_SCALE = 1.25  # of a bone, at which what it holds goes with it unscaled
RIGID = 1e-3  # a turn's axes are at most so far from unit length and from right angles
FLAT = 1e-6  # of the volume that a bone would have if it were as wide as it is long


def turns_of(moves: Floats) -> Doubles:
    """(K, 4, 4): what the bones do to a mesh that already follows its object; moves (K + 1, 3, 4).

    Everything is in world space: a move takes the mesh's rest positions, in its object's axes, to the world,
    and the first move of all is the object's own, which vertices follow as far as no bone weighs on them.
    """
    square = np.zeros((len(moves), 4, 4))
    square[:, :3], square[:, 3, 3] = moves, 1.0
    still: Doubles = np.broadcast_to(np.eye(4), (len(moves) - 1, 4, 4))
    if abs(np.linalg.det(square[0])) < 1e-30:  # an object scaled to nothing
        return still
    inverse = np.linalg.inv(square[0])
    turned: Doubles = square[1:] @ inverse
    return turned if np.abs(inverse[:3, :3]).max() <= LARGEST_STRETCH else still


def off_rigid(turns: Doubles) -> Doubles:
    """How far the axes of matrices (K, 4, 4) are from unit length and from right angles, squared."""
    axes = turns[:, :3, :3]
    off: Doubles = np.abs(axes.transpose(0, 2, 1) @ axes - np.eye(3)).max((1, 2), initial=0.0)
    return off


def scaled_bones(moves: Floats) -> Indices:
    """Which bones are made longer, wider or smaller by more than a quarter, or mirrored, as seen from their
    object; moves (K + 1, 3, 4).

    In rigs whose bones stretch to reach each other, some do so by a little in any pose.
    """
    turns = turns_of(moves)[:, :3, :3]
    sizes = np.linalg.svd(turns, compute_uv=False)
    same = (sizes >= 1.0 / LARGEST_SCALE) & (sizes <= LARGEST_SCALE)
    return np.flatnonzero(~(same.all(1) & (np.linalg.det(turns) > 0.0)))


def mirrored_bones(moves: Floats) -> Indices:
    """Which bones are mirrored or scaled to nothing, as seen from their object; moves (K + 1, 3, 4)."""
    turns = turns_of(moves)[:, :3, :3]
    largest = np.abs(turns).max((1, 2))
    return np.flatnonzero(~(np.linalg.det(turns) > FLAT * largest**3))


def is_stretched(matrix: Doubles) -> bool:
    """Whether a matrix (3, 3) scales, but not alike in all directions."""
    size = np.cbrt(abs(np.linalg.det(matrix)))
    return not size or bool(np.abs(matrix @ matrix.T - size**2 * np.eye(3)).max() > 2.0 * RIGID * size**2)

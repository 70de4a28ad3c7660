"""Taking a matrix apart: where and how something is turned, and what its shape has been scaled to."""

from __future__ import annotations

import numpy as np
from mathutils import Matrix

from ...arrays import Doubles


def placement(matrix: Matrix | Doubles) -> Doubles:
    """(4, 4): the rotation and translation nearest to a matrix (4, 4), without its scale and shear.

    Not a number where that has any.
    """
    rows = np.array(matrix, np.float64)
    if not np.isfinite(rows).all():
        return np.full((4, 4), np.nan)
    left, _, right = np.linalg.svd(rows[:3, :3])
    left[:, 2] *= np.sign(np.linalg.det(left @ right))  # a mirrored object is turned, its shape is mirrored
    rows[:3, :3] = left @ right
    return rows


def stretch(matrix: Matrix | Doubles) -> Doubles:
    """(3, 3): the rest of a matrix without its `placement`: scale, shear and mirroring."""
    return np.asarray(placement(matrix)[:3, :3].T @ np.array(matrix, np.float64)[:3, :3])

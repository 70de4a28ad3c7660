"""Whether colliders are of one shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Doubles
from .box import Box
from .collider import Collider
from .polygon import Polygon
from .recognising import EXACT
from .sphere import Sphere


def of_one_shape(shapes: Sequence[Collider]) -> bool:
    """Whether one network can predict the dents of all: balls of any sizes, or others of one shape and size.

    Sizes may differ by the rounding of Blender's numbers, as those of copies that are turned do.
    """
    return all(_same(shapes[0], other) for other in shapes[1:])


def _same(one: Collider, other: Collider) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, Sphere):
        return True
    a, b = _extents(one), _extents(other)
    return a.shape == b.shape and bool((np.abs(a - b) <= EXACT * np.abs(a).max(initial=0.0)).all())


def _extents(shape: Collider) -> Doubles:
    if isinstance(shape, Box):
        return np.array(shape.half_extents)
    return shape.corners if isinstance(shape, Polygon) else np.zeros(0)

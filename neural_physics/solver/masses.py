"""Lumped masses: each element's is shared out evenly among its vertices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles


def lumped(vertex_count: int, elements: NDArray[np.integer], element_masses: Doubles) -> Doubles:
    """(V,) kg, of elements (m, s), the numbers of their vertices, and element_masses (m,) kg."""
    share = np.repeat(element_masses / elements.shape[1], elements.shape[1])
    return np.bincount(elements.ravel(), share, vertex_count).astype(np.float64)


def of_coordinates(masses: Doubles, dimensions: int = 3) -> Doubles:
    """(dimensions V,): the mass of each vertex for each of its coordinates, as q has them."""
    return np.repeat(masses, dimensions)

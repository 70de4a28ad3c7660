"""Capsules carried by bones and objects: from the axes of what carries each to the vertices' axes."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles
from .projection import Capsules


class CarriedCapsules:
    """C capsules, each in the axes of what carries it."""

    def __init__(self, starts: Doubles, ends: Doubles, radii: Doubles) -> None:
        """starts, ends (C, 3): of their axes; radii (C, 2): there."""
        self._ends = np.ones((len(starts), 4, 2))
        self._ends[:, :3, 0], self._ends[:, :3, 1] = starts, ends
        self._radii = radii
        along = ends - starts
        lengths = np.linalg.norm(along, axis=1)
        self._balls = lengths == 0.0
        self._axes = (along / np.where(self._balls, 1.0, lengths)[:, None])[:, :, None]

    def placed(self, carried: Doubles) -> Capsules:
        """Where they are; carried: see `rows`."""
        rows = self.rows(carried)
        return Capsules(rows[:, :3], rows[:, 3:6], rows[:, 6], rows[:, 7])

    def rows(self, carried: Doubles) -> Doubles:
        """(C, 8): start and end, then both radii, of each as a channel of kind "capsule" has them.

        carried (C, 4, 4): from the axes of what carries each to the vertices'. The ends follow exactly.
        Where lengths are scaled unevenly a round section becomes an oval one: it is taken for the circle of
        the same area, so that a bone that stretches and keeps its volume gets thinner as its limb does. A
        ball becomes one of the same volume.
        """
        ends = carried @ self._ends
        linear = carried[:, :3, :3]
        volumes = np.abs(np.linalg.det(linear))
        axes = (linear @ self._axes)[:, :, 0]
        stretches = np.sqrt(np.einsum("ij,ij->i", axes, axes))
        sections = volumes / np.where(stretches > 0.0, stretches, 1.0)
        scales = np.where(self._balls, np.cbrt(volumes), np.sqrt(sections))
        return np.concatenate([ends[:, :3, 0], ends[:, :3, 1], self._radii * scales[:, None]], axis=1)

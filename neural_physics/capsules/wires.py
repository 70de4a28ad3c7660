"""The outlines that a capsule is drawn with: rings around it, and how it looks from two sides."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Floats
from .projection import Capsules

SIDES = 24  # of a ring; half as many of the outline of a ball at an end


def wires(capsules: Capsules) -> Floats:
    """(C, S, 2, 3): S line segments for each of C capsules, between points on its surface.

    Every point is that of a ball of the capsule in the direction of the surface's normal there.
    """
    along, slopes = capsules.axes.astype(np.float64), capsules.slopes.astype(np.float64)
    lean = np.sqrt(1.0 - slopes**2)
    # `Capsules.sides` leans with the cone.
    across = (capsules.sides - slopes[:, None] * along) / lean[:, None]
    third = np.cross(along, across)
    turns = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)[None, :, None]
    around = np.cos(turns) * across[:, None] + np.sin(turns) * third[:, None]
    on_cone = slopes[:, None, None] * along[:, None] + lean[:, None, None] * around
    # From the tip of the end's ball over the line on the cone to the tip of the start's, and back.
    leave = np.arccos(slopes)[:, None]
    steps = np.linspace(0.0, 1.0, SIDES // 4 + 1)
    half = np.concatenate([leave * steps, leave + (np.pi - leave) * steps], 1)
    tilts = np.concatenate([half, 2.0 * np.pi - half[:, ::-1]], 1)[:, :, None]
    at_end = np.repeat([1.0, 0.0, 0.0, 1.0], len(steps))
    loops = [_on_surface(capsules, place, on_cone) for place in (np.zeros(SIDES + 1), np.ones(SIDES + 1))]
    for aside in (across, third):
        normals = np.cos(tilts) * along[:, None] + np.sin(tilts) * aside[:, None]
        loops.append(_on_surface(capsules, at_end, normals))
    segments = [np.stack((loop[:, :-1], loop[:, 1:]), 2) for loop in loops]
    return np.concatenate(segments, 1).astype(np.float32)


def _on_surface(capsules: Capsules, places: Doubles, normals: Doubles) -> Doubles:
    """(C, n, 3): points of the balls at places (n,), 0 start and 1 end, in directions (C, n, 3)."""
    reach = capsules.lengths[:, None] * places
    middles = capsules.starts[:, None] + reach[:, :, None] * capsules.axes[:, None]
    radii = capsules.radii[:, None] - capsules.slopes[:, None] * reach
    return np.asarray(middles + radii[:, :, None] * normals)

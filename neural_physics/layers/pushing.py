"""Pushing what is worn over something out of it, vertex by vertex.

Holden 2019 pushes vertices out of capsules (section 6.4); here the shape of another garment, or of a body,
stands in their place. It is no solid: behind it may be air, the wearer, or the next garment. So which side
is out is taken from the shapes at rest, and only what is just behind it, or nearer than the gap, is moved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Mask
from .surface import Near, Surface

TURNS = 2  # where the surface is curved, the first push ends a little too low


@dataclass(frozen=True)
class Lifted:
    """What became of the vertices.

    positions (V, 3) float32, metres. deep (V,): deeper behind the surface than allowed, and left alone.
    """

    positions: Floats
    deep: Mask


def lift_off(positions: Floats, surface: Surface, gap: float, depth_limit: float) -> Lifted:
    """Move vertices (V, 3) float32 that are lower than `gap` (m) above a surface to that height.

    depth_limit (m): those deeper behind it stay where they are, as what is nearest to them may be another
    fold. All that are high enough keep their positions bit for bit. Raises TooManyPairs.
    """
    lifted, deep = positions.copy(), np.zeros(len(positions), bool)
    low = np.arange(len(positions))
    for _ in range(TURNS):
        near = surface.near(lifted[low], 2.0 * max(gap, depth_limit), gap)
        low = low[near.at]  # others stay where they are, and high enough
        shares = _over_it(near, surface.edge_length)
        moves = near.heights >= -depth_limit
        deep[low[~moves & (shares > 0.0)]] = True
        way = np.where(moves, (gap - near.heights) * shares, np.float32(0.0))
        lifted[low] += way[:, None] * near.normals
    return Lifted(lifted, deep)


def is_turned(points: Floats, surface: Surface, within: float) -> bool:
    """Whether what of points (n, 3) is near a surface is mostly behind it: then its faces look in.

    Raises TooManyPairs.
    """
    near = surface.near(points, within)
    return bool((near.heights * _over_it(near, surface.edge_length)).sum() < 0.0)


def _over_it(near: Near, edge_length: float) -> Floats:
    """(k,) 0 to 1: whether each is over the surface or behind it, and not just beyond its rim.

    From one to the other within half an edge, so that nothing jumps where it slides over a rim.
    """
    beyond = near.beside - np.abs(near.heights)
    share: Floats = np.clip(1.0 - beyond / np.float32(max(0.5 * edge_length, 1e-12)), 0.0, 1.0)
    return share

"""The nearest vertex of a mesh that moves, for many points at once: a tree of balls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Indices, Mask
from ..pairs import check_count, in_pieces

BRANCHES = 16  # wide enough that NumPy works on whole rows, and a garment has three levels
FAR = np.float32(1e18)  # m: where what only fills a group up is; its square is still a number


class _Nodes(NamedTuple):
    """Where what is nearest may be: nodes (k,) of a level, 0 at the root, and for which points `at` (k,)."""

    level: int
    at: Indices
    nodes: Indices


class VertexTree:
    """Which vertices are grouped stays as it was at rest; the balls around the groups follow the vertices.

    A garment that folds has balls that overlap more, and still gives the exact answer.
    """

    def __init__(self, rest_positions: Floats) -> None:
        """rest_positions (V, 3), one at least."""
        order = _in_compact_groups(rest_positions, np.arange(len(rest_positions)))
        self._vertices = np.concatenate([order, np.repeat(order[-1:], -len(order) % BRANCHES)])
        self._groups = np.empty((0, 3, BRANCHES), np.float32)  # vertices
        self._balls: list[tuple[Floats, Floats]] = []  # from the root down: middles (n, 3, B), radii (n, B)

    def place(self, positions: Floats) -> None:
        """Put the vertices at positions (V, 3), finite."""
        self._groups = np.ascontiguousarray(
            positions[self._vertices].reshape(-1, BRANCHES, 3).transpose(0, 2, 1)
        )
        self._balls, groups = [], self._groups
        radii = np.zeros((len(groups), BRANCHES), np.float32)
        while True:
            middles = 0.5 * (groups.min(2) + groups.max(2))
            around = (_lengths(groups - middles[:, :, None]) + radii).max(1)
            fill = -len(middles) % BRANCHES
            groups = np.concatenate([middles, np.repeat(middles[-1:], fill, 0)])
            groups = np.ascontiguousarray(groups.reshape(-1, BRANCHES, 3).transpose(0, 2, 1))
            radii = np.concatenate([around, np.repeat(around[-1:], fill)]).reshape(-1, BRANCHES)
            shown = groups.copy()
            if fill:
                shown[-1, :, -fill:] = FAR
            self._balls.insert(0, (shown, radii))
            if len(middles) <= BRANCHES:
                return

    def nearest(self, points: Floats, reach: float) -> tuple[Indices, Indices, Floats]:
        """Which points (n, 3) have a vertex no further away than reach (m), and the nearest of each.

        Returns (k,) indices of points, ascending, (k,) of vertices, and (k,) distances (m).
        Raises TooManyPairs where too many vertices are as near to points as each other.
        """
        limits = np.full(len(points), reach, np.float32)
        found, pairs = [(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0, np.float32))], 0
        left = [_Nodes(0, np.arange(len(points)), np.zeros(len(points), np.intp))]
        while left:  # depth first: what is nearest to some points, and then to the next
            here = left.pop()
            if here.level == len(self._balls):
                found.append(self._nearest_of(here, points, reach))
                continue
            below = self._within(here, points, limits)
            pairs += len(below.at)
            check_count(pairs, len(points))
            left += reversed(list(_parted(below)))
        at, vertices, away = (np.concatenate(part) for part in zip(*found, strict=True))
        return at, vertices, away

    def _within(self, here: _Nodes, points: Floats, limits: Floats) -> _Nodes:
        """Where, one level further down.

        limits (n,): how far what is nearest is at most from each point, m; lowered by what is seen here.
        """
        level, at, nodes = here
        middles, radii = self._balls[level]
        away, around = _lengths(points[at, :, None] - middles[nodes]), radii[nodes]
        if level == len(self._balls) - 1:
            # Most others are further away than the nearest vertex of the likeliest group.
            likely = nodes * BRANCHES + (away - around).argmin(1)
            found = _lengths(points[at, :, None] - self._groups[likely]).min(1)
        else:
            found = (away + around).min(1)  # there is a vertex in each ball, not beyond its far side
        _lower(limits, at, found)
        row, column = np.nonzero(away - around <= limits[at][:, None])
        return _Nodes(level + 1, at[row], nodes[row] * BRANCHES + column)

    def _nearest_of(self, groups: _Nodes, points: Floats, reach: float) -> tuple[Indices, Indices, Floats]:
        """What `nearest` returns, for these points and groups of vertices."""
        _, at, nodes = groups
        away = _lengths(points[at, :, None] - self._groups[nodes])
        best = away.argmin(1)
        away, vertices = away[np.arange(len(at)), best], self._vertices[nodes * BRANCHES + best]
        kept = np.lexsort((away, at))[_starts(at)]
        kept = kept[away[kept] <= reach]
        return at[kept], vertices[kept], away[kept]


def _parted(nodes: _Nodes) -> Iterator[_Nodes]:
    """All of it, a few points at a time."""
    bounds = np.append(_starts(nodes.at), len(nodes.at))
    for points in in_pieces(np.diff(bounds)):
        rows = slice(bounds[points.start], bounds[points.stop])
        yield _Nodes(nodes.level, nodes.at[rows], nodes.nodes[rows])


def _in_compact_groups(points: Floats, which: Indices) -> Indices:
    """`which` (n,) in an order in which each `BRANCHES` that follow each other are close together."""
    groups = -(-len(which) // BRANCHES)
    if groups == 1:
        return which
    here = points[which]
    ordered = which[np.argsort(here[:, np.ptp(here, axis=0).argmax()], kind="stable")]
    halves = np.split(ordered, [groups // 2 * BRANCHES])
    return np.concatenate([_in_compact_groups(points, half) for half in halves])


def _lower(limits: Floats, at: Indices, values: Floats) -> None:
    """Make limits (n,) those of the values (k,) of points `at` (k,), ascending, that are less."""
    if len(at):
        starts = _starts(at)
        limits[at[starts]] = np.minimum(limits[at[starts]], np.minimum.reduceat(values, starts))


def _starts(at: Indices) -> Indices:
    """Where each run of equal numbers begins."""
    first: Mask = np.ones(len(at), bool)
    np.not_equal(at[1:], at[:-1], out=first[1:])
    return np.flatnonzero(first)


def _lengths(vectors: Floats) -> Floats:
    """(n, B) of (n, 3, B)."""
    x, y, z = vectors[:, 0], vectors[:, 1], vectors[:, 2]
    lengths: Floats = np.sqrt(x * x + y * y + z * z)
    return lengths

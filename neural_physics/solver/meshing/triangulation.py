"""Filling the outline of a flat mesh with triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay, KDTree

from ...arrays import Doubles, Indices, Mask
from ...energies.colliders.simplices import nearest_on_segments
from .element_sides import sides_of

CLEAR = 0.6  # of the edges' length: how far points inside keep from the outline
ROUNDS = 12  # in which pieces of the outline that are no edges yet are halved
ROUNDING = 1e-9  # of an area
MOST_PLACES = 500_000  # that are looked at for triangles, in the rectangle around an outline
THIN_OR_APART = (
    "It is too thin for its length, or its parts lie too far apart, to be filled with equal triangles: make "
    "it of one piece, or wider."
)
THIN = 1e-7  # of the squared length of edges: the area of what is a line but for rounding


def outline(corners: NDArray[np.integer], face_sizes: NDArray[np.integer]) -> Indices:
    """(E, 2): the edges of faces, as in `rest_mesh.Mesh`, that have one face only.

    Raises ValueError where there are none, or where more than two faces meet in an edge.
    """
    starts = np.cumsum(face_sizes) - face_sizes
    following = np.arange(1, len(corners) + 1)
    following[starts + face_sizes - 1] = starts
    pairs = np.sort(np.stack([corners, corners[following]], 1), axis=1)
    edges, counts = np.unique(pairs, axis=0, return_counts=True)
    if (counts > 2).any():
        raise ValueError(
            f"{int((counts > 2).sum())} of its edges have more than two faces: delete the faces that lie on "
            "others."
        )
    return edges[counts == 1].astype(np.intp)


def area_inside(points: Doubles, corners: NDArray[np.integer], face_sizes: NDArray[np.integer]) -> float:
    """m^2, of faces with corners at points (V, 2) of a plane, whichever way they are turned."""
    starts = np.cumsum(face_sizes) - face_sizes
    following = np.arange(1, len(corners) + 1)
    following[starts + face_sizes - 1] = starts
    at = points[corners] - points[corners[starts]].repeat(face_sizes, axis=0)
    onward = at[following]
    twice = np.add.reduceat(at[:, 0] * onward[:, 1] - at[:, 1] * onward[:, 0], starts)
    return 0.5 * float(np.abs(twice).sum())


def inside(points: Doubles, start: Doubles, end: Doubles) -> Mask:
    """(n,) which of points (n, 2) an outline of segments from start (E, 2) to end (E, 2) goes around."""
    found = np.zeros(len(points), bool)
    for a, b in zip(start, end, strict=True):
        across = (a[1] <= points[:, 1]) != (b[1] <= points[:, 1])
        if a[1] != b[1]:
            share = (points[:, 1] - a[1]) / (b[1] - a[1])
            found ^= across & (points[:, 0] < a[0] + share * (b[0] - a[0]))
    return found


def fill_outline(points: Doubles, edges: Indices, area: float, aim: int) -> tuple[Doubles, Indices]:
    """Vertices (n, 2) and about `aim` triangles (t, 3) of positive area, which keep to the outline.

    points (V, 2) m, of a plane; edges (E, 2): the outline, around `area` m^2. Inside the triangles are nearly
    regular; where the outline's own edges are shorter, smaller ones meet it. A conforming Delaunay
    triangulation: what of the outline is no edge of it is halved until it is.
    Raises ValueError for an outline that crosses itself, encloses nothing, or next to nothing of the
    rectangle around it.
    """
    length = float(np.sqrt(4.0 * area / (np.sqrt(3.0) * aim)))
    start, end = points[edges[:, 0]], points[edges[:, 1]]
    vertices, pieces = _divided(points, edges, length)
    within = _lattice(points[edges].reshape(-1, 2), length)
    within = within[inside(within, start, end)]
    if len(within):
        within = within[_away(within, vertices, pieces, length) > CLEAR * length]
    for _ in range(ROUNDS):
        everything = np.concatenate([vertices, within])
        triangles = _delaunay(everything)
        triangles = triangles[inside(everything[triangles].mean(1), start, end)]
        sides = {tuple(side) for side in np.sort(sides_of(triangles), axis=1).tolist()}
        missing = np.array([tuple(piece) not in sides for piece in np.sort(pieces, axis=1).tolist()])
        if not missing.any():
            break
        middles = vertices[pieces[missing]].mean(1)
        new = len(vertices) + np.arange(len(middles))
        halves = [np.stack([pieces[missing, 0], new], 1), np.stack([new, pieces[missing, 1]], 1)]
        vertices, pieces = np.concatenate([vertices, middles]), np.concatenate([pieces[~missing], *halves])
    off = abs(float(_areas(everything[triangles]).sum()) - area)
    if missing.any() or off > 1e-6 * area:
        raise ValueError(
            "Its outline intersects itself, or its faces overlap: join vertices that belong together "
            "with Mesh > Merge > By Distance, and remove what overlaps."
        )
    used, numbers = np.unique(triangles, return_inverse=True)
    return everything[used], numbers.reshape(triangles.shape)


def _divided(points: Doubles, edges: Indices, length: float) -> tuple[Doubles, Indices]:
    """The outline's vertices (n, 2), and its pieces (k, 2), none longer than a length, m."""
    used, local = np.unique(edges, return_inverse=True)
    local = local.reshape(edges.shape)
    vertices, pieces = [points[used]], []
    count = len(used)
    for a, b in local:
        apart = points[used[b]] - points[used[a]]
        parts = max(1, int(np.ceil(float(np.linalg.norm(apart)) / length - ROUNDING)))
        if count + parts > MOST_PLACES:
            raise ValueError(THIN_OR_APART)
        vertices.append(points[used[a]] + np.arange(1, parts)[:, None] / parts * apart)
        chain = np.array([a, *range(count, count + parts - 1), b])
        pieces.append(np.stack([chain[:-1], chain[1:]], 1))
        count += parts - 1
    return np.concatenate(vertices), np.concatenate(pieces).astype(np.intp)


def _lattice(points: Doubles, length: float) -> Doubles:
    """(k, 2): corners of regular triangles over all that lies between points."""
    low, high = points.min(0), points.max(0)
    height = 0.5 * np.sqrt(3.0) * length
    if float(np.prod((high - low) / (length, height) + 2.0)) > MOST_PLACES:
        raise ValueError(THIN_OR_APART)
    rows = np.arange(low[1] + 0.5 * height, high[1], height)
    along = np.arange(low[0], high[0] + length, length)
    x, y = np.meshgrid(along, rows)
    x[1::2] += 0.5 * length
    return np.stack([x.ravel(), y.ravel()], 1)


def _away(places: Doubles, vertices: Doubles, pieces: Indices, length: float) -> Doubles:
    """(n,) m: how far places (n, 2) are from an outline, where that is nearer than a length."""
    ends = vertices[pieces]
    away = np.full(len(places), np.inf)
    for n, near in enumerate(KDTree(ends.mean(1)).query_ball_point(places, 1.5 * length)):
        if near:
            here = np.repeat(places[n : n + 1], len(near), axis=0)
            nearest, _ = nearest_on_segments(here, ends[near, 0], ends[near, 1])
            away[n] = np.linalg.norm(here - nearest, axis=1).min()
    return away


def _delaunay(points: Doubles) -> Indices:
    """Triangles (t, 3) of positive area, without those that are lines but for rounding."""
    triangles = Delaunay(points).simplices.astype(np.intp)
    areas = _areas(points[triangles])
    triangles[areas < 0.0] = triangles[areas < 0.0][:, ::-1]
    corners = points[triangles]
    longest = ((corners - np.roll(corners, 1, axis=1)) ** 2).sum(2).max(1)
    return triangles[np.abs(areas) > THIN * longest]


def _areas(corners: Doubles) -> Doubles:
    """(t,) m^2, of triangles (t, 3, 2), positive where they are counter-clockwise."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])

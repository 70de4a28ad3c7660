"""A surface carried by tetrahedra, or a flat mesh by triangles, and what is known on it brought to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import lsqr
from scipy.spatial import KDTree

from ...arrays import Doubles, Indices, Mask
from ...pairs import check_count
from .element_sides import boundary, edges_of, joined

# Barycentric coordinates down to this are inside, so that rounding puts no vertex between tetrahedra.
INSIDE = -1e-9
# Vertices of a tetrahedron that have less than this share in a point are not what holds it.
NO_SHARE = 1e-9


class Embedding:
    """The points of a surface in tetrahedra at rest, which they follow by barycentric coordinates.

    A point outside all tetrahedra follows the one that is closest, extrapolated. Affine maps are
    reproduced exactly, inside and outside. In the plane triangles are what tetrahedra are in space; d is 2
    then, and 3 in space.

    tetrahedron (V,): the one that each point follows. corners, weights (V, d + 1): its vertices, and how much
    the point follows each, with the sum 1.
    """

    def __init__(
        self, tet_vertices: Doubles, tetrahedra: NDArray[np.integer], vertices: NDArray[np.floating]
    ) -> None:
        """tet_vertices (n, d) and vertices (V, d) in metres, tetrahedra (t, d + 1) of positive volume.

        Raises TooManyPairs where they lie on each other, and ValueError where they have no surface.
        """
        rest, points = np.asarray(tet_vertices, np.float64), np.asarray(vertices, np.float64)
        elements = np.asarray(tetrahedra).astype(np.intp)
        inverses = np.linalg.inv((rest[elements[:, 1:]] - rest[elements[:, :1]]).transpose(0, 2, 1))
        found = _containing(rest, elements, inverses, points)
        outside = np.flatnonzero(found < 0)
        sides, owners = boundary(elements)
        if len(outside) and not len(sides):
            raise ValueError("each side is one of several elements")
        if len(outside):
            # An edge is a triangle with two corners in one place.
            triangles = sides if sides.shape[1] == 3 else sides[:, [0, 1, 1]]
            found[outside] = owners[closest_points(points[outside], rest, triangles)[0]]
        self._tetrahedra = elements
        self._rest, self._points = rest, points
        self._grouped: tuple[Mask, list[tuple[Mask, Mask, csr_array]]] | None = None
        self.tetrahedron = found
        self.corners = elements[found]
        self.weights = _barycentric(rest[self.corners[:, 0]], inverses[found], points)

    def apply(self, tet_positions: Doubles) -> Doubles:
        """(..., V, d) where the points are when the tetrahedra's vertices are at (..., n, d)."""
        return np.einsum("vk,...vkd->...vd", self.weights, tet_positions[..., self.corners, :])

    def matrix(self) -> csr_array:
        """(V, n), with which `apply` is a product; its transpose takes forces to the tetrahedra."""
        rows = np.repeat(np.arange(len(self.corners)), self.corners.shape[1])
        entries = (self.weights.ravel(), (rows, self.corners.ravel()))
        return csr_array(entries, shape=(len(self.corners), len(self._rest)))

    def pinned(self, pins: Mask) -> Mask:
        """(n,) which of the tetrahedra's vertices to pin: all that a pinned point (V,) follows.

        With fewer, pinned points would be drawn along by the body. What is held this way reaches up to one
        tetrahedron beyond the pinned points.
        """
        return held_by(pins, len(self._rest), self._tetrahedra, (self.corners, self.weights))

    def pin_targets(self, pins: Mask, positions: Doubles) -> Doubles:
        """(n, d) where the pinned vertices must be for the pinned points to be at their positions.

        pins (V,); positions (V, d) metres, of which only the pinned are used. Vertices that are not
        pinned get their rest positions. Each connected group of pinned vertices moves rigidly, by the
        best fit to its points (Kabsch 1976), and from there by the least that brings the points closest to
        where they belong, in the mean square: to rounding where that is an affine map, or where each
        tetrahedron can follow its points.
        """
        targets, goals = self._rest.copy(), np.asarray(positions, np.float64)[pins]
        for mine, members, part in self._groups(pins):
            targets[members] = _rigid_fit(self._points[pins][mine], goals[mine], self._rest[members])
            missing = goals[mine] - part @ targets[members]
            for axis in range(targets.shape[1]):
                targets[members, axis] += lsqr(part, missing[:, axis], atol=1e-14, btol=1e-14)[0]
        return targets

    def _groups(self, pins: Mask) -> list[tuple[Mask, Mask, csr_array]]:
        """Of each connected group that pins (V,) hold: which of the pinned points, which vertices (n,), and
        how they carry those. The same in each frame, and found once.
        """
        if self._grouped is None or not np.array_equal(self._grouped[0], pins):
            matrix = self.matrix()[np.flatnonzero(pins)]
            matrix.data[np.abs(matrix.data) <= NO_SHARE] = 0.0
            matrix.eliminate_zeros()
            held = self.pinned(pins)
            groups = joined(edges_of(self._tetrahedra), held)
            of_point = groups[matrix.indices[matrix.indptr[:-1]]]
            found = []
            for group in np.unique(of_point):
                mine, members = of_point == group, held & (groups == group)
                found.append((mine, members, matrix[np.flatnonzero(mine)][:, np.flatnonzero(members)]))
            self._grouped = pins.copy(), found
        return self._grouped[1]


def held_by(pins: Mask, count: int, elements: Indices, carried: tuple[Indices, Doubles]) -> Mask:
    """(count,) which vertices of elements (t, d + 1) hold the pinned of the points (V,) that they carry.

    carried: corners and weights (V, d + 1), as of an `Embedding`. In the plane, where an outline was divided,
    what is between two pinned points is held, too.
    """
    corners, weights = carried
    held = np.zeros(count, bool)
    held[corners[pins][np.abs(weights[pins]) > NO_SHARE]] = True
    if elements.shape[1] == 3:
        held |= _between(held, boundary(elements)[0], corners[weights > 1.0 - NO_SHARE])
    return held


def _between(held: Mask, sides: Indices, points: Indices) -> Mask:
    """(n,) the vertices of an outline (s, 2), but for its points, that have held ones (n,) on both sides."""
    added = np.zeros(len(held), bool)
    added[sides] = True
    added[points] = False
    parts = joined(sides, added)
    both_ways = np.concatenate([sides, sides[:, ::-1]])
    ends = both_ways[~added[both_ways[:, 0]] & added[both_ways[:, 1]]]
    loose = np.zeros(len(held), bool)
    loose[parts[ends[~held[ends[:, 0]], 1]]] = True
    return added & ~loose[parts]


def from_surface(
    points: Doubles, vertices: Doubles, triangles: NDArray[np.integer], values: Doubles
) -> Doubles:
    """(n, ...) values (V, ...) of a surface's vertices, taken from the closest place on it.

    points (n, 3), vertices (V, 3) metres, triangles (m, 3). Interpolated in the triangle, so that points
    on the surface get what is there, and nothing leaves the range of the values.
    """
    found, weights, _ = closest_points(points, vertices, triangles)
    return np.einsum("nk,nk...->n...", weights, np.asarray(values, np.float64)[triangles[found]])


def closest_points(
    points: Doubles, vertices: Doubles, triangles: NDArray[np.integer]
) -> tuple[Indices, Doubles, Doubles]:
    """The place on a surface that is closest to each point (n, d).

    vertices (V, d) metres, triangles (m, 3). Returns triangle (n,), barycentric coordinates (n, 3) and
    distance (n,) m. Raises TooManyPairs.
    """
    corners = vertices[triangles]
    centres = corners.mean(1)
    reaches = np.linalg.norm(corners - centres[:, None], axis=-1).max(1, initial=0.0)
    # Large triangles reach far from their centres: one tree for each doubling of the size, from small
    # to large, keeps the neighbourhoods small.
    sizes = np.ceil(np.log2(np.maximum(reaches, 1e-6 * reaches.max(initial=1e-300))))
    best = np.full(len(points), np.inf)
    found, weights = np.zeros(len(points), np.intp), np.zeros((len(points), 3))
    for size in np.unique(sizes):
        members = np.flatnonzero(sizes == size)
        tree, reach = KDTree(centres[members]), reaches[members].max()
        nearest, _ = tree.query(points)
        asked = np.flatnonzero(nearest - reach < best)
        # The closest place is no further than the nearest centre, nor than the best so far.
        radius = np.minimum(nearest[asked], best[asked]) * (1.0 + 1e-9) + reach
        for part in np.array_split(np.arange(len(asked)), len(asked) // 4096 + 1):
            at, near = asked[part], _near(tree, points[asked[part]], radius[part])
            counts = np.array([len(n) for n in near], np.intp)
            if counts.sum() == 0:
                continue
            of = np.repeat(at, counts)
            candidates = members[np.concatenate([np.sort(n) for n in near]).astype(np.intp)]
            coordinates = _closest_in_triangles(points[of], corners[candidates])
            places = np.einsum("nk,nkd->nd", coordinates, corners[candidates])
            distances = np.linalg.norm(points[of] - places, axis=1)
            order = np.lexsort((candidates, distances, of))
            order = order[np.r_[True, of[order][1:] != of[order][:-1]]]
            order = order[distances[order] < best[of[order]]]
            at = of[order]
            best[at], found[at], weights[at] = distances[order], candidates[order], coordinates[order]
    return found, weights, best


def _near(tree: KDTree, points: Doubles, reach: float | Doubles) -> NDArray[np.object_]:
    """(n,) lists of what is within reach of points (n, d). Raises TooManyPairs."""
    counts = tree.query_ball_point(points, reach, return_length=True)
    check_count(int(np.sum(counts)), len(points))
    found: NDArray[np.object_] = tree.query_ball_point(points, reach)
    return found


def _barycentric(origins: Doubles, inverses: Doubles, points: Doubles) -> Doubles:
    last = np.einsum("kij,kj->ki", inverses, points - origins)
    return np.column_stack([1.0 - last.sum(1), last])


def _containing(rest: Doubles, tetrahedra: Indices, inverses: Doubles, points: Doubles) -> Indices:
    """(V,) the tetrahedron around each point, or -1: of several the one that it is deepest in.

    Tetrahedra are looked for among those whose bounding sphere holds the point, one tree for each
    doubling of the size.
    """
    corners = rest[tetrahedra]
    centres = corners.mean(1)
    reaches = np.linalg.norm(corners - centres[:, None], axis=-1).max(1)
    sizes = np.ceil(np.log2(reaches))
    found, depth = np.full(len(points), -1, np.intp), np.full(len(points), INSIDE)
    for size in np.unique(sizes):
        members = np.flatnonzero(sizes == size)
        tree, reach = KDTree(centres[members]), float(reaches[members].max()) * (1.0 + 1e-9)
        for part in np.array_split(np.arange(len(points)), len(points) // 4096 + 1):
            near = _near(tree, points[part], reach)
            counts = np.array([len(n) for n in near], np.intp)
            if counts.sum() == 0:
                continue
            of = np.repeat(part, counts)
            candidates = members[np.concatenate([np.sort(n) for n in near]).astype(np.intp)]
            coordinates = _barycentric(corners[candidates, 0], inverses[candidates], points[of])
            least = coordinates.min(1)
            order = np.lexsort((candidates, -least, of))
            order = order[np.r_[True, of[order][1:] != of[order][:-1]]]
            order = order[least[order] > depth[of[order]]]
            found[of[order]], depth[of[order]] = candidates[order], least[order]
    return found


def _closest_in_triangles(points: Doubles, corners: Doubles) -> Doubles:
    """(k, 3) barycentric coordinates of what is closest to points (k, d) in triangles (k, 3, d).

    That is where the perpendicular meets the triangle, or else on the closest of its three sides.
    """
    a, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    w = points - a
    uu, uv, vv = (np.einsum("kd,kd->k", x, y) for x, y in ((u, u), (u, v), (v, v)))
    wu, wv = np.einsum("kd,kd->k", w, u), np.einsum("kd,kd->k", w, v)
    area = uu * vv - uv * uv
    solid = area > 1e-24 * uu * vv
    area = np.where(solid, area, 1.0)
    second, third = (vv * wu - uv * wv) / area, (uu * wv - uv * wu) / area
    inner = np.stack([1.0 - second - third, second, third], axis=1)
    best, distances = np.zeros_like(inner), np.full(len(points), np.inf)
    for start, end in ((0, 1), (1, 2), (2, 0)):
        p, side = corners[:, start], corners[:, end] - corners[:, start]
        length = np.einsum("kd,kd->k", side, side)
        along = np.einsum("kd,kd->k", points - p, side)
        share = np.clip(np.divide(along, length, out=np.zeros_like(along), where=length > 0.0), 0.0, 1.0)
        distance = np.linalg.norm(p + share[:, None] * side - points, axis=1)
        closer = distance < distances
        distances[closer] = distance[closer]
        best[closer] = 0.0
        best[closer, start], best[closer, end] = 1.0 - share[closer], share[closer]
    return np.where((solid & (inner >= 0.0).all(1))[:, None], inner, best)


def _rigid_fit(source: Doubles, goal: Doubles, points: Doubles) -> Doubles:
    """Points (k, d) moved as the rigid motion does that takes source (p, d) best to goal (p, d)."""
    middle, aim = source.mean(0), goal.mean(0)
    moments = (source - middle).T @ (goal - aim)
    # Of all turns that fit points on a line, the smallest.
    moments += 1e-12 * np.abs(moments).max() * np.eye(len(moments))
    left, _, right = np.linalg.svd(moments)
    turn = np.eye(len(moments))
    turn[-1, -1] = np.sign(np.linalg.det(left @ right))
    return (points - middle) @ (left @ turn @ right) + aim

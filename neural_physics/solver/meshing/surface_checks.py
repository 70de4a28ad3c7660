"""Whether a surface encloses a solid, and if not, where and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ...arrays import Doubles, Indices, Mask

# Relative to the size of what is compared: below it, rounding decides.
TOLERANCE = 1e-10
# How many pairs are worked on at once: what is touched stays a few ten MB.
CHUNK = 200_000
MOST_CROSSINGS = 20_000  # after which nobody looks for more


@dataclass(frozen=True)
class SurfaceReport:
    """What is wrong with a surface, and where; all empty where nothing is.

    not_finite, unused (k,): vertices. zero_area, flipped, inside_out (k,): triangles. open_edges,
    crowded_edges (k, 2): the vertices of edges with one triangle and with more than two.
    crossings (k, 2): pairs of triangles. triangle_count: of all.
    """

    not_finite: Indices
    unused: Indices
    zero_area: Indices
    open_edges: Indices
    crowded_edges: Indices
    flipped: Indices
    inside_out: Indices
    crossings: Indices
    triangle_count: int


class UnsuitableSurface(ValueError):
    """A surface that encloses no solid. Its text is one sentence.

    problem: the name of a field of `SurfaceReport`; places: that field's array.
    """

    def __init__(self, sentence: str, problem: str, places: Indices) -> None:
        super().__init__(sentence)
        self.problem = problem
        self.places = places


# In the order in which they are to be mended: one often causes those that follow.
PROBLEMS = {
    "not_finite": (
        "The surface has vertices whose coordinates are not numbers ({count}): delete them, "
        "or undo what moved them there."
    ),
    "unused": (
        "The surface has vertices that belong to no face ({count}): "
        "remove them with Mesh > Clean Up > Delete Loose."
    ),
    "zero_area": (
        "The surface has faces without area ({count}): "
        "remove them with Mesh > Clean Up > Degenerate Dissolve."
    ),
    "crowded_edges": (
        "The surface has edges with more than two faces ({count}), so inside and outside cannot "
        "be distinguished: delete the inner faces, found with Select > All by Trait > Non "
        "Manifold."
    ),
    "open_edges": (
        "The surface has edges with only one face ({count}), where it is open: join vertices "
        "that belong together with Mesh > Merge > By Distance, or fill the holes with Mesh > "
        "Clean Up > Fill Holes."
    ),
    "flipped": (
        "The surface has faces that are flipped relative to their neighbours ({count}): flip "
        "them with Mesh > Normals > Recalculate Outside."
    ),
    "inside_out": (
        "The surface is inside out, entirely or in part ({count}): flip it with Mesh > Normals > "
        "Recalculate Outside."
    ),
    "crossings": (
        "The surface intersects or overlaps itself (in {count} pairs of triangles): pull the "
        "parts apart, or join them with a Boolean or Remesh modifier."
    ),
}


def check_surface(vertices: Doubles, triangles: NDArray[np.integer]) -> SurfaceReport:
    """All that keeps a surface from enclosing a solid.

    vertices (V, 3) metres; triangles (m, 3). What cannot be judged is left out: the places of vertices
    that are not finite and of triangles without area, and inside out where a surface is not closed.
    A shell that is turned inwards is no problem inside another shell: it bounds a hollow.
    """
    points, faces = np.asarray(vertices, np.float64), np.asarray(triangles).astype(np.intp)
    finite = np.isfinite(points).all(1)
    if len(faces) == 0:
        none, no_pairs = np.zeros(0, np.intp), np.zeros((0, 2), np.intp)
        return SurfaceReport(
            np.flatnonzero(~finite),
            np.arange(len(points)),
            none,
            no_pairs,
            crowded_edges=no_pairs,
            flipped=none,
            inside_out=none,
            crossings=no_pairs,
            triangle_count=0,
        )
    used = np.zeros(len(points), bool)
    used[faces] = True
    sound = finite[faces].all(1)
    flat = sound.copy()
    flat[sound] = _without_area(points[faces[sound]])
    edges = _Edges.of(faces)
    flipped = _flipped(faces, edges)
    closed = len(flipped) == 0 and bool((edges.counts == 2).all()) and bool(sound.all())
    tested = np.flatnonzero(sound & ~flat)
    return SurfaceReport(
        not_finite=np.flatnonzero(~finite),
        unused=np.flatnonzero(~used),
        zero_area=np.flatnonzero(flat),
        open_edges=edges.ends[edges.counts == 1],
        crowded_edges=edges.ends[edges.counts > 2],
        flipped=flipped,
        inside_out=_inside_out(points, faces, edges) if closed else np.zeros(0, np.intp),
        crossings=tested[_crossings(points, faces[tested])],
        triangle_count=len(faces),
    )


def require_solid(vertices: Doubles, triangles: NDArray[np.integer]) -> None:
    """Raise UnsuitableSurface unless the surface, as in `check_surface`, encloses a solid."""
    report = check_surface(vertices, triangles)
    if report.triangle_count == 0:
        sentence = "The surface has no faces: choose an object that encloses a volume."
        raise UnsuitableSurface(sentence, "unused", report.unused)
    for problem, sentence in PROBLEMS.items():
        places = getattr(report, problem)
        if len(places):
            raise UnsuitableSurface(sentence.format(count=len(places)), problem, places)


def faces_of_triangles(face_sizes: NDArray[np.integer]) -> Indices:
    """(m,) the face that each triangle of `normals.triangulate` is part of; face_sizes (F,)."""
    return np.repeat(np.arange(len(face_sizes)), np.asarray(face_sizes) - 2)


def enclosed_volume(vertices: Doubles, triangles: NDArray[np.integer]) -> float:
    """m^3, of a closed surface; negative where it is inside out. Arguments as in `check_surface`."""
    # About the middle, so that far from the origin no digits are lost.
    a, b, c = _corners(vertices - vertices.mean(0), triangles)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def winding_numbers(points: Doubles, vertices: Doubles, triangles: NDArray[np.integer]) -> Doubles:
    """(n,) how often the surface winds around each point: 1 inside and 0 outside where it is closed.

    points (n, 3), vertices (V, 3), triangles (m, 3), the surface as a whole need not be closed. On the
    surface itself the value is between those of its two sides. Jacobson et al. 2013, "Robust
    inside-outside segmentation using generalized winding numbers", equation 5; the solid angle of a
    triangle by Van Oosterom and Strackee 1983.
    """
    corners = np.ascontiguousarray(vertices[triangles].transpose(1, 2, 0))
    numbers = np.empty(len(points))
    step = max(1, CHUNK // max(1, len(triangles)))
    for start in range(0, len(points), step):
        at = points[start : start + step].T[:, :, None]
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (corner[:, None] - at for corner in corners)
        a = np.sqrt(ax * ax + ay * ay + az * az)
        b = np.sqrt(bx * bx + by * by + bz * bz)
        c = np.sqrt(cx * cx + cy * cy + cz * cz)
        spat = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        rest = a * b * c + (ax * bx + ay * by + az * bz) * c
        rest += (bx * cx + by * cy + bz * cz) * a + (cx * ax + cy * ay + cz * az) * b
        numbers[start : start + step] = np.arctan2(spat, rest).sum(1) / (2.0 * np.pi)
    return numbers


@dataclass(frozen=True)
class _Edges:
    """The k edges of m triangles.

    ends (k, 2) vertices, counts (k,) triangles of each; of_corner (3 m,): the edge from each corner of
    each triangle to the next, forward (3 m,): whether it goes from its lower vertex to its higher.
    """

    ends: Indices
    counts: Indices
    of_corner: Indices
    forward: Mask

    @classmethod
    def of(cls, triangles: Indices) -> _Edges:
        directed = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
        ends, of_corner, counts = np.unique(
            np.sort(directed, axis=1), axis=0, return_inverse=True, return_counts=True
        )
        return cls(
            ends.astype(np.intp), counts, of_corner.reshape(-1), np.asarray(directed[:, 0] < directed[:, 1])
        )

    def pairs(self) -> tuple[Indices, Indices]:
        """(2, p) the corners of both triangles at each edge that has two, and (p,) these edges."""
        order = np.argsort(self.of_corner, kind="stable")
        starts = np.cumsum(self.counts) - self.counts
        paired = np.flatnonzero(self.counts == 2)
        return np.stack([order[starts[paired]], order[starts[paired] + 1]]), paired


def _flipped(triangles: Indices, edges: _Edges) -> Indices:
    """The smaller part of each connected piece that is turned against the rest.

    Each triangle stands twice in a graph, as it is and turned, with neighbours that fit. Where a piece has
    two sides, so has the graph two halves; where it has one (a Moebius strip), those at the seam are named.
    """
    (first, second), _ = edges.pairs()
    agree = edges.forward[first] != edges.forward[second]
    m, a, b = len(triangles), first // 3, second // 3
    rows = np.concatenate([a, a + m])
    columns = np.concatenate([np.where(agree, b, b + m), np.where(agree, b + m, b)])
    graph = coo_matrix((np.ones(len(rows), np.int8), (rows, columns)), shape=(2 * m, 2 * m))
    _, halves = connected_components(graph, directed=False)
    as_is, turned = halves[:m], halves[m:]
    # As it is, a triangle's half holds all that fit it as they are: the larger such half is right.
    fitting = np.bincount(as_is, minlength=2 * m)
    smaller = fitting[as_is] < fitting[turned]
    # Two parts of the same size: that with the first triangle is right.
    earliest = np.full(2 * m, m)
    np.minimum.at(earliest, as_is, np.arange(m))
    smaller |= (fitting[as_is] == fitting[turned]) & (earliest[as_is] > earliest[turned])
    one_sided = as_is == turned
    seam = np.zeros(m, bool)
    seam[a[~agree]] = seam[b[~agree]] = True
    return np.flatnonzero(np.where(one_sided, seam, smaller))


def _inside_out(vertices: Doubles, triangles: Indices, edges: _Edges) -> Indices:
    """The triangles of shells with a negative volume that lie in no other shell. The surface is closed."""
    (first, second), _ = edges.pairs()
    m = len(triangles)
    graph = coo_matrix((np.ones(len(first), np.int8), (first // 3, second // 3)), shape=(m, m))
    count, shells = connected_components(graph, directed=False)
    a, b, c = _corners(vertices - vertices.mean(0), triangles)
    volumes = np.bincount(shells, np.einsum("ij,ij->i", a, np.cross(b, c)), count)
    wrong = np.zeros(m, bool)
    for shell in np.flatnonzero(volumes < 0.0):
        mine = shells == shell
        point = vertices[triangles[mine][0, :1]]
        wrong[mine] = winding_numbers(point, vertices, triangles[~mine])[0] < 0.5
    return np.flatnonzero(wrong)


def _corners(vertices: Doubles, triangles: NDArray[np.integer]) -> tuple[Doubles, Doubles, Doubles]:
    return vertices[triangles[:, 0]], vertices[triangles[:, 1]], vertices[triangles[:, 2]]


def _without_area(corners: Doubles) -> Mask:
    """(m,) whether all three corners (m, 3, 3) are on a line."""
    sides = np.roll(corners, -1, axis=1) - corners
    doubled = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    return np.asarray(doubled <= TOLERANCE * (sides**2).sum(-1).max(1, initial=0.0))


def _crossings(vertices: Doubles, triangles: Indices) -> Indices:
    """(k, 2) pairs of triangles with points in common that are not corners or edges of both.

    Not all of them where they are more than anybody mends by hand.
    """
    found = [np.zeros((0, 2), np.intp)]
    for i, j in _overlapping_boxes(vertices[triangles]):
        own, other = triangles[i], triangles[j]
        same = own[:, :, None] == other[:, None, :]
        p, q = vertices[own], vertices[other]
        size = np.maximum(np.ptp(p, axis=1).max(1), np.ptp(q, axis=1).max(1))
        # Triangles with a common edge have no more in common than that, unless in one plane.
        apart = same.sum((1, 2)) < 2
        cross = _pierces(p, q, same.any(2), size) | _pierces(q, p, same.any(1), size)
        cross = (cross & apart) | _covers(p, q, size)
        found.append(np.stack([i, j], axis=1)[cross])
        if sum(map(len, found)) > MOST_CROSSINGS:
            break
    pairs = np.sort(np.concatenate(found), axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _overlapping_boxes(corners: Doubles) -> Iterator[tuple[Indices, Indices]]:
    """Yield pairs i, j of triangles (m, 3, 3) with touching bounding boxes, each pair once, in portions.

    Sorted along the longest axis, a box touches only those that follow until its end.
    """
    low, high = corners.min(1), corners.max(1)
    if len(low) == 0:
        return
    axis = int(np.argmax(high.max(0) - low.min(0)))
    order = np.argsort(low[:, axis], kind="stable")
    low, high = low[order], high[order]
    counts = np.searchsorted(low[:, axis], high[:, axis], side="right") - np.arange(1, len(low) + 1)
    portions = np.cumsum(counts) // CHUNK
    for members in np.split(np.arange(len(low)), np.flatnonzero(np.diff(portions)) + 1):
        i = np.repeat(members, counts[members])
        ends = np.cumsum(counts[members])
        j = i + 1 + np.arange(len(i)) - np.repeat(ends - counts[members], counts[members])
        touching = ((low[i] <= high[j]) & (low[j] <= high[i])).all(1)
        yield order[i[touching]], order[j[touching]]


def _pierces(p: Doubles, q: Doubles, common: Mask, size: Doubles) -> Mask:
    """(k,) whether an edge of p (k, 3, 3) goes through q (k, 3, 3), also where it meets q's border.

    common (k, 3): which corners of p are q's, too; edges from there are left out. size (k,) m.
    """
    normals = np.cross(q[:, 1] - q[:, 0], q[:, 2] - q[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    heights = np.einsum("kij,kj->ki", p - q[:, :1], normals / lengths)
    heights[np.abs(heights) <= TOLERANCE * size[:, None]] = 0.0
    result = np.zeros(len(p), bool)
    for start, end in ((0, 1), (1, 2), (2, 0)):
        through = (heights[:, start] * heights[:, end] < 0.0) & ~common[:, start] & ~common[:, end]
        k = np.flatnonzero(through)
        share = heights[k, start] / (heights[k, start] - heights[k, end])
        at = p[k, start] + share[:, None] * (p[k, end] - p[k, start])
        spokes = q[k] - at[:, None]
        parts = np.cross(spokes, np.roll(spokes, -1, axis=1)) @ normals[k][:, :, None]
        inside = (parts[..., 0] >= -TOLERANCE * (lengths[k] * size[k, None] ** 2)).all(1)
        result[k[inside]] = True
    return result


def _covers(p: Doubles, q: Doubles, size: Doubles) -> Mask:
    """(k,) whether triangles p and q (k, 3, 3) lie in one plane and have area in common; size (k,) m.

    In the plane, two triangles are apart where a line along one of their edges parts them.
    """
    normals = np.cross(q[:, 1] - q[:, 0], q[:, 2] - q[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    heights = np.einsum("kij,kj->ki", p - q[:, :1], normals)
    result = (np.abs(heights) <= TOLERANCE * size[:, None]).all(1)
    k = np.flatnonzero(result)
    apart = np.zeros(len(k), bool)
    for mine in (p[k], q[k]):
        for edge in range(3):
            side = mine[:, (edge + 1) % 3] - mine[:, edge]
            across = np.cross(normals[k], side)
            across /= np.linalg.norm(across, axis=1, keepdims=True)
            of_p, of_q = (np.einsum("kij,kj->ki", t[k] - mine[:, edge, None], across) for t in (p, q))
            common = np.minimum(of_p.max(1), of_q.max(1)) - np.maximum(of_p.min(1), of_q.min(1))
            apart |= common <= 1e-6 * size[k]
    result[k[apart]] = False
    return result

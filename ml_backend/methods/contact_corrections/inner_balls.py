"""The balls inside a body by which it touches itself in Play: where they are, and which are kept apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import pdist, squareform

from neural_physics.arrays import Doubles, Indices
from neural_physics.energies.colliders.simplices import nearest_on_triangles
from neural_physics.energies.colliders.triangle_tree import TriangleTree
from neural_physics.methods.contact_corrections.self_contact import SelfContact
from neural_physics.solver.meshing.element_sides import edges_of
from neural_physics.solver.meshing.embedding import Embedding

MOST_BALLS = 256  # of which most touch their surface; what is between them is found with all pairs in a step
CANDIDATES = 20 * MOST_BALLS  # on faces, and as many on sides: those farthest from others are taken
LARGEST = 1.5  # times as far as they are apart: surfaces are flatter, the larger balls are
ROUNDS, ENOUGH = 30, 1e-3  # until no ball reaches out of the surface by more than that share of its radius
SMALLER = 0.98  # than what fits: surfaces that touch at rest do not push
AROUND = 1.5  # times as far through the body as straight, out of it at both ends: parts with room between
APART = 2.0  # times the sum of the radii: what the body itself keeps from coming so near, unless it bends


def inner_balls(
    surface: Doubles, rest: Doubles, elements: NDArray[np.integer], stiffness: float
) -> SelfContact:
    """Of a body of tetrahedra (m, 4), with vertices at rest (B, 3), m, that has a surface (t, 3, 3), m.

    Spread over the surface, each touches it from within, as large as the body is thick there, but no larger
    than it takes for a surface without gaps: points at sharp edges. stiffness, N/m: of all together.
    """
    if np.linalg.det(surface - surface.mean((0, 1))).sum() < 0.0:  # the faces look in
        surface = surface[:, ::-1]
    places, normals, spacing = _spread(surface, np.random.default_rng(0))
    radii = _shrunk(surface, places, normals, LARGEST * spacing)
    centres, radii = places - radii[:, None] * normals, SMALLER * radii
    carried = Embedding(rest, elements, centres)
    straight = squareform(pdist(centres))
    through = _ways(rest, elements.astype(np.intp), carried.corners[:, 0])
    sums = radii[:, None] + radii
    # What has only the body between it would push as soon as that is pressed together a little.
    outwards = np.einsum("id,ijd->ij", normals, places - places[:, None]) > 0.0
    parted = outwards & outwards.T & (through > AROUND * straight) | (straight > APART * sums)
    neighbours = np.argwhere(np.triu(~parted | (straight <= sums), 1))
    return SelfContact(carried.corners, carried.weights, radii, neighbours, stiffness / len(radii))


def _spread(surface: Doubles, random: np.random.Generator) -> tuple[Doubles, Doubles, float]:
    """Places on the surface (n, 3), m, its outward normals there, and how far apart they are, m."""
    crossed = np.cross(surface[:, 1] - surface[:, 0], surface[:, 2] - surface[:, 0])
    areas = np.linalg.norm(crossed, axis=1)
    sides = np.roll(surface, -1, axis=1) - surface
    lengths = np.linalg.norm(sides, axis=2).ravel()
    faces = random.choice(len(areas), CANDIDATES, p=areas / areas.sum())
    inner = np.einsum("nk,nkd->nd", random.dirichlet(np.ones(3), CANDIDATES), surface[faces])
    drawn = random.choice(len(lengths), CANDIDATES, p=lengths / lengths.sum())
    begins, along = surface.reshape(-1, 3)[drawn], sides.reshape(-1, 3)[drawn]
    outer = begins + random.random((CANDIDATES, 1)) * along
    candidates, triangles = np.concatenate([outer, inner]), np.concatenate([drawn // 3, faces])
    chosen, away = [0], np.full(len(candidates), np.inf)
    while len(chosen) < MOST_BALLS:
        away = np.minimum(away, np.linalg.norm(candidates - candidates[chosen[-1]], axis=1))
        chosen.append(int(away.argmax()))
    of = triangles[chosen]
    return candidates[chosen], crossed[of] / np.maximum(areas[of], 1e-300)[:, None], float(away.max())


def _shrunk(surface: Doubles, places: Doubles, normals: Doubles, most: float) -> Doubles:
    """(n,) m: how large balls may be that touch the surface from within at places (n, 3), up to `most`.

    Ma, Bae & Choi 2012, "3D medial axis point approximation using nearest neighbors and the normal field":
    what reaches into a ball makes it smaller, until nothing does.
    """
    tree, radii = TriangleTree(surface), np.full(len(places), most)
    left = np.arange(len(places))
    for _ in range(ROUNDS):
        centres = places[left] - radii[left, None] * normals[left]
        nearest = _nearest(tree, surface, centres)
        inside = np.linalg.norm(nearest - centres, axis=1) < (1.0 - ENOUGH) * radii[left]
        left, off = left[inside], places[left[inside]] - nearest[inside]
        if not len(left):
            break
        along = np.einsum("nd,nd->n", normals[left], off)
        radii[left] = np.minimum(radii[left], (off**2).sum(1) / np.maximum(2.0 * along, 1e-300))
    radii[left] = 0.0  # none is that fits
    return radii


def _nearest(tree: TriangleTree, surface: Doubles, points: Doubles) -> Doubles:
    """(n, 3): the places of the surface that are nearest to points (n, 3)."""
    found = np.zeros_like(points)
    for at, triangles in tree.perhaps_nearest(points):
        places = nearest_on_triangles(points[at], surface[triangles])[0]
        order = np.lexsort((np.linalg.norm(points[at] - places, axis=1), at))
        first = order[np.unique(at[order], return_index=True)[1]]
        found[at[first]] = places[first]
    return found


def _ways(rest: Doubles, elements: Indices, vertices: Indices) -> Doubles:
    """(b, b) m: how far it is along edges from one of some vertices (b,) to another."""
    edges = np.unique(np.sort(edges_of(elements), axis=1), axis=0)
    lengths = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    graph = csr_array((lengths, (edges[:, 0], edges[:, 1])), shape=(len(rest),) * 2)
    found: Doubles = dijkstra(graph, directed=False, indices=vertices)[:, vertices]
    return found

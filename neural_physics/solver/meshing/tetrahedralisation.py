"""Tetrahedra from a surface: its solid, or a cage of equal tetrahedra around it."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ...arrays import Doubles, Indices, Mask
from .compiled_libraries import let_be_found
from .surface_checks import enclosed_volume, winding_numbers

# Of the cage's lattice: its memory is about 2 KB a cell.
LATTICE_CELLS = 500_000
# How far a cage reaches out from the surface on average, in edge lengths.
LAYER = 0.5
# Pairs of triangle and tetrahedron that are tested at once.
CHUNK = 50_000
# In cells of the lattice: what is closer counts as touching, so that rounding leaves no gap.
TOLERANCE = 1e-9

# The lattice is body-centred cubic: its vertices are the corners and centres of cubes. A tetrahedron has
# the centres of two cubes that share a face and one edge of that face. There are twelve kinds, three axes
# by four edges; all have the same shape, with dihedral angles of 60 and 90 degrees (Labelle and Shewchuk
# 2007, "Isosurface stuffing"). Here in units of half a cube, from the first cube's lowest corner, in the
# order that makes volumes positive.
_SQUARE = np.array([[0, 0], [2, 0], [2, 2], [0, 2]])


def _kinds() -> Indices:
    kinds = np.empty((3, 4, 4, 3), np.intp)
    for axis in range(3):
        square = np.full((4, 3), 2)
        square[:, [(axis + 1) % 3, (axis + 2) % 3]] = _SQUARE
        kinds[axis, :, 0] = 1
        kinds[axis, :, 1] = 1 + 2 * np.eye(3, dtype=int)[axis]
        kinds[axis, :, 2] = square
        kinds[axis, :, 3] = np.roll(square, -1, axis=0)
    return kinds.reshape(12, 4, 3)


_KINDS = _kinds()
# The mean length of their edges, in cubes: two are 1 long, four are sqrt(3) / 2.
_MEAN_EDGE = (1.0 + np.sqrt(3.0)) / 3.0


def default_edge_length(vertices: Doubles, triangles: NDArray[np.integer], target_tetrahedra: int) -> float:
    """Metres, with which `cage` makes about as many tetrahedra as are asked for.

    vertices (V, 3) metres and triangles (m, 3): of the surface. A cage has the solid's volume and a
    layer around it. `tetrahedralise` makes more with the same length. Raises ValueError where the surface
    has no area.
    """
    corners = vertices[triangles]
    sides = corners[:, 1:] - corners[:, :1]
    area = 0.5 * float(np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1).sum())
    if not area > 0.0:
        raise ValueError("The surface has no area, so there is nothing to fill.")
    volume = abs(enclosed_volume(vertices, triangles))
    # Twelve tetrahedra a cube fill the volume and the layer: an equation with one positive root.
    each = target_tetrahedra / (12.0 * _MEAN_EDGE**3)
    return float(np.roots([each, 0.0, -LAYER * area, -volume]).real.max())


def tetrahedralise(
    vertices: Doubles, triangles: NDArray[np.integer], edge_length: float, envelope: float | None = None
) -> tuple[Doubles, Indices]:
    """The solid inside a surface by fTetWild (Hu et al. 2020), through the package pytetwild.

    vertices (V, 3) metres and triangles (m, 3): of a surface that `surface_checks.require_solid` passes.
    edge_length: the longest that is aimed at, metres; near fine detail tetrahedra are smaller. envelope:
    how far the new surface may be from the given one, metres; None for a twentieth of the edge length,
    since an envelope much narrower than that needs small tetrahedra all over a curved surface.
    Returns vertices (n, 3) float64 and tetrahedra (t, 4) of positive volume. Two calls with the same
    input give different meshes of the same quality, since fTetWild draws from the system's random
    numbers: keep what was returned with what is made from it. The process's current folder is another one
    during the call. Raises ImportError without pytetwild and
    ValueError where nothing is inside.
    """
    points = np.ascontiguousarray(vertices, np.float64)
    _check(points, edge_length)
    diagonal = float(np.linalg.norm(np.ptp(points, axis=0)))
    core = _tetwild()
    settings = (
        True,  # optimise
        False,  # keep the surface's own triangles
        0.05,  # edge length by the diagonal, where the next is zero
        float(edge_length),
        (edge_length / 20.0 if envelope is None else envelope) / diagonal,
        10.0,  # energy at which the quality is good enough
        False,  # coarsen
        1,  # threads
        80,  # rounds at most
        6,  # messages: errors only
        True,  # none at all
        False,  # VTK's order of vertices
        False,  # keep what is outside
    )
    sizes = (np.empty((0, 3)), np.empty((0, 4), np.int32), np.empty(0))
    faces = np.ascontiguousarray(triangles, np.uint32)
    try:
        # It leaves a file behind in the folder it is called in.
        with TemporaryDirectory() as folder, chdir(folder):
            tet_vertices, tetrahedra = core.tetrahedralize_mesh(points, faces, *settings, *sizes)
    except TypeError as error:
        raise ImportError(
            "This version of pytetwild has a different interface: install 0.4.2, or use a cage instead."
        ) from error
    if len(tetrahedra) == 0:
        raise ValueError("The surface encloses nothing: fill its holes, or use a cage instead.")
    return _tidied(tet_vertices, tetrahedra.astype(np.intp))


def cage(vertices: Doubles, triangles: NDArray[np.integer], edge_length: float) -> tuple[Doubles, Indices]:
    """A block of equal tetrahedra that holds a surface and all that is inside it.

    For any surface, also one that is open or crosses itself: what it winds around at least half is inside.
    Parts closer to each other than an edge are joined. The surface is to follow by an `Embedding`.

    vertices (V, 3) metres; triangles (m, 3); edge_length: the mean of the tetrahedra's edges, metres.
    Returns vertices (n, 3) float64 and tetrahedra (t, 4) of positive volume, the same for the same input,
    and with the symmetries of the surface's bounding box. Raises ValueError where vertices are not finite
    or the edge length is too small.
    """
    points, faces = np.asarray(vertices, np.float64), np.asarray(triangles).astype(np.intp)
    _check(points, edge_length)
    if len(faces) == 0:
        raise ValueError("The surface has no faces, so there is nothing to fill.")
    used = points[np.unique(faces)]
    low, high = used.min(0), used.max(0)
    cube = edge_length / _MEAN_EDGE
    # One cube more than fits on either side, so that all around the outermost tetrahedra is outside.
    cells = np.floor((high - low) / cube).astype(np.intp) + 3
    if cells.prod() > LATTICE_CELLS:
        finest = edge_length * float(cells.prod() / LATTICE_CELLS) ** (1.0 / 3.0)
        raise ValueError(
            f"An edge length of {edge_length:.3g} m is too small for this object: "
            f"choose {finest:.2g} m or more."
        )
    origin = 0.5 * (low + high) - 0.5 * cube * cells
    lattice = _Lattice(cells)
    crossed = lattice.crossed((points - origin) / cube, faces)
    kept = crossed | lattice.inside(crossed, (points - origin) / cube, faces)
    tet_vertices, tetrahedra = lattice.take(kept)
    return _tidied(origin + 0.5 * cube * tet_vertices, tetrahedra)


class _Lattice:
    """A body-centred cubic lattice of cells (nx, ny, nz) cubes; coordinates in cubes, from its corner.

    Tetrahedra are numbered by kind and then by first cube, in the shape (12, nx, ny, nz); those whose
    second cube is outside do not exist. Vertices are numbered by their coordinates in half cubes.
    """

    def __init__(self, cells: Indices) -> None:
        self._cells = cells
        self._shape = (12, *cells.tolist())
        self._halves = tuple((2 * cells + 1).tolist())

    def crossed(self, points: Doubles, triangles: Indices) -> Mask:
        """Which tetrahedra a triangle touches, in the shape of all."""
        crossed = np.zeros(self._shape, bool)
        corners = _split(points[triangles], 2.0)
        low, high = corners.min(1) - TOLERANCE, corners.max(1) + TOLERANCE
        for kind, shape in enumerate(_KINDS / 2.0):
            first = np.maximum(np.ceil(low - shape.max(0)), 0).astype(np.intp)
            last = np.minimum(np.floor(high - shape.min(0)).astype(np.intp), self._cells - 1)
            spans = np.maximum(last - first + 1, 0)
            counts = spans.prod(1)
            portions = np.cumsum(counts) // CHUNK
            for part in np.split(np.arange(len(corners)), np.flatnonzero(np.diff(portions)) + 1):
                of = np.repeat(part, counts[part])
                rank = np.arange(len(of)) - np.repeat(np.cumsum(counts[part]) - counts[part], counts[part])
                rank, z = np.divmod(rank, spans[of, 2])
                x, y = np.divmod(rank, spans[of, 1])
                cube = first[of] + np.stack([x, y, z], axis=1)
                # Many triangles touch the same tetrahedron: one of them is enough.
                open_ = ~crossed[kind][tuple(cube.T)]
                cube, of = cube[open_], of[open_]
                meet = _touch(corners[of] - cube[:, None], shape)
                crossed[kind][tuple(cube[meet].T)] = True
        return crossed

    def inside(self, crossed: Mask, points: Doubles, triangles: Indices) -> Mask:
        """Which of the tetrahedra that no triangle touches are inside, in the shape of all.

        Where the surface is closed, all that can be reached without crossing it has one winding number.
        """
        inside = np.zeros(self._shape, bool)
        free = ~crossed
        for axis in range(3):
            np.moveaxis(free[4 * axis : 4 * axis + 4], 1 + axis, -1)[..., -1] = False
        where = np.nonzero(free)
        tetrahedra = self._vertices(where)
        vertices, number = np.unique(tetrahedra, return_inverse=True)
        number = number.reshape(tetrahedra.shape)
        if _closed(triangles):
            rows, columns = np.repeat(number[:, 0], 3), number[:, 1:].ravel()
            graph = coo_matrix((np.ones(len(rows), bool), (rows, columns)), shape=(len(vertices),) * 2)
            _, pieces = connected_components(graph, directed=False)
            _, examples, of = np.unique(pieces, return_index=True, return_inverse=True)
        else:
            examples, of = np.arange(len(vertices)), np.arange(len(vertices))
        numbers = winding_numbers(self._positions(vertices[examples]) / 2.0, points, triangles)
        inside[where] = (np.abs(numbers) > 0.5)[of[number[:, 0]]]
        return inside

    def take(self, kept: Mask) -> tuple[Doubles, Indices]:
        """Vertices (n, 3) in half cubes, and tetrahedra (t, 4) of them."""
        vertices, tetrahedra = np.unique(self._vertices(np.nonzero(kept)), return_inverse=True)
        return self._positions(vertices).astype(np.float64), tetrahedra.reshape(-1, 4)

    def _vertices(self, where: tuple[Indices, ...]) -> Indices:
        """(k, 4) the numbers of the tetrahedra's vertices."""
        kind, *cube = where
        at = _KINDS[kind] + 2 * np.stack(cube, axis=1)[:, None]
        return np.ravel_multi_index(tuple(np.moveaxis(at, -1, 0)), self._halves)

    def _positions(self, vertices: Indices) -> Indices:
        return np.stack(np.unravel_index(vertices, self._halves), axis=-1)


def _check(vertices: Doubles, edge_length: float) -> None:
    if not edge_length > 0.0:
        raise ValueError("The edge length must be positive.")
    if not np.isfinite(vertices).all():
        raise ValueError("The surface has vertices with coordinates that are not numbers.")


def _closed(triangles: Indices) -> bool:
    """Whether every edge is gone along as often in one direction as in the other."""
    directed = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
    _, edges = np.unique(np.sort(directed, axis=1), axis=0, return_inverse=True)
    return not np.bincount(edges.reshape(-1), np.sign(directed[:, 1] - directed[:, 0])).any()


def _split(corners: Doubles, longest: float) -> Doubles:
    """Triangles (m, 3, 3) cut in four until none is longer along an axis."""
    small = []
    while len(corners):
        large = np.ptp(corners, axis=1).max(1) > longest
        small.append(corners[~large])
        a, b, c = np.moveaxis(corners[large], 1, 0)
        ab, bc, ca = (a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0
        quarters = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        corners = np.concatenate([np.stack(quarter, axis=1) for quarter in quarters])
    return np.concatenate(small)


def _touch(corners: Doubles, tetrahedron: Doubles) -> Mask:
    """(k,) whether triangles (k, 3, 3) have points in common with a tetrahedron (4, 3).

    Convex bodies are apart if they are so along the normal of a face of one, or across an edge of each.
    """
    a, b, c = np.moveaxis(tetrahedron[[(1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)]], 1, 0)
    touching = _common(np.cross(b - a, c - a)[None], corners, tetrahedron)
    alive = np.flatnonzero(touching)
    corners = corners[alive]
    sides = np.roll(corners, -1, axis=1) - corners
    edges = np.array([tetrahedron[j] - tetrahedron[i] for i in range(4) for j in range(i + 1, 4)])
    axes = np.cross(sides[:, :, None], edges).reshape(len(corners), -1, 3)
    axes = np.concatenate([axes, np.cross(sides[:, :1], sides[:, 1:2])], axis=1)
    touching[alive] = _common(axes, corners, tetrahedron)
    return touching


def _common(axes: Doubles, corners: Doubles, tetrahedron: Doubles) -> Mask:
    """(k,) whether along none of the axes (k or 1, a, 3) the triangles and the tetrahedron are apart."""
    of_triangle = corners @ np.swapaxes(axes, -1, -2)
    of_tetrahedron = axes @ tetrahedron.T
    slack = TOLERANCE * np.linalg.norm(axes, axis=-1)
    above = of_triangle.min(1) > of_tetrahedron.max(-1) + slack
    below = of_triangle.max(1) < of_tetrahedron.min(-1) - slack
    return ~(above | below).any(1)


def _tidied(vertices: Doubles, tetrahedra: Indices) -> tuple[Doubles, Indices]:
    """The tetrahedra without unused vertices, and with positive volumes."""
    used, tetrahedra = np.unique(tetrahedra, return_inverse=True)
    vertices, tetrahedra = np.ascontiguousarray(vertices[used]), tetrahedra.reshape(-1, 4)
    a, b, c, d = (vertices[tetrahedra[:, k]] for k in range(4))
    turned = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) < 0.0
    tetrahedra[turned] = tetrahedra[turned][:, [0, 2, 1, 3]]
    return vertices, tetrahedra


@cache
def _tetwild() -> ModuleType:
    """pytetwild's compiled core. The package itself would import PyVista and VTK, which it draws with."""
    package = importlib.util.find_spec("pytetwild")
    folders = list(package.submodule_search_locations or []) if package else []
    spec = importlib.machinery.PathFinder.find_spec("PyfTetWildWrapper", folders)
    if spec is None or spec.loader is None:
        raise ImportError(
            "Filling a surface with tetrahedra needs the package pytetwild, which is not installed: "
            "install it, or use a cage instead."
        )
    let_be_found(Path(folders[0]).with_name("pytetwild.libs"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

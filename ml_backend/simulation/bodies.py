"""Making the body that is simulated from what Blender asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from ml_backend.simulation.strands import strands_of_edges
from neural_physics.arrays import Doubles, Indices, Mask, StoredIndices
from neural_physics.coordinates import SPACE, Coordinates, plane_of
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.errors import Problem
from neural_physics.materials import Rod, Shell, Solid
from neural_physics.models.normals import triangulate
from neural_physics.pairs import TooManyPairs
from neural_physics.solver.masses import lumped
from neural_physics.solver.meshing.embedding import Embedding, held_by
from neural_physics.solver.meshing.surface_checks import require_solid
from neural_physics.solver.meshing.tetrahedralisation import cage, default_edge_length, tetrahedralise
from neural_physics.solver.meshing.triangulation import area_inside, fill_outline, outline

NEAR_ENOUGH = 1.3  # how far off the number of tetrahedra may be, either way
TRIES = 3
SIZES = (1e-4, 1e4)  # m: what is smaller or larger was meant in other units
CORE_STIFFNESS = 100.0  # times what is around it: stiff enough to keep its shape, and still easy to solve for
SAME = 1e-6  # of the body's size: how far two meshes at rest may be apart and still be the same


def make_body(request: SimulationRequest) -> Body:
    """Fill a solid with tetrahedra, or a flat one with triangles; take shells and rods as they are.

    Raises Problem("body_unusable" | "material_unusable" | "nothing_free" | "filling_missing" |
    "flat_touches_itself" | "core_small"); the first is caused by an `UnsuitableSurface` where that is what
    is wrong.
    """
    make = {"solid": _solid, "shell": _shell, "rod": _rod}[request.settings.kind]
    try:
        _check_positions(request)
        body = make(request)
    except ValueError as error:
        raise Problem("body_unusable", object=request.object, reason=_clause(error)) from error
    if not (body.masses > 0.0).all():
        loose = int((body.masses <= 0.0).sum())
        reason = f"{loose} of its vertices belong to nothing that has mass: delete them"
        raise Problem("body_unusable", object=request.object, reason=reason)
    if body.pinned.all():
        raise Problem("nothing_free", object=request.object)
    return body


def _check_positions(request: SimulationRequest) -> None:
    """Raise ValueError for a mesh that is nowhere, or of a size that nothing has."""
    positions = request.rest_positions
    lost = int((~np.isfinite(positions).all(axis=1)).sum())
    if lost:
        raise ValueError(
            f"{lost} of its vertices have coordinates that are not numbers: delete them, "
            "or undo what moved them there."
        )
    size, (least, most) = float(np.linalg.norm(np.ptp(positions, axis=0))), SIZES
    if size and not least <= size <= most:
        raise ValueError(
            f"It is {size:.3g} m across, since one Blender unit is one metre: scale it to between "
            f"{least:g} and {most:g} m."
        )


def made_of(body: Body, request: SimulationRequest) -> bool:
    """Whether a body was made from the same mesh, pins and settings."""
    at_rest = body.carried(body.rest_positions)
    if body.settings != request.settings or at_rest.shape != request.rest_positions.shape:
        return False
    near = SAME * np.linalg.norm(np.ptp(request.rest_positions, axis=0))
    same_pins = np.array_equal(_held(body, request), body.pinned)
    same_place = np.abs(at_rest - request.rest_positions).max() <= near
    same_softness = request.settings.kind != "solid" or np.allclose(
        body.moduli, _moduli(request, body.rest_positions, body.elements)
    )
    return bool(same_pins and same_place and same_softness and np.allclose(body.gravity, request.gravity))


def embedding_of(body: Body, request: SimulationRequest) -> Embedding:
    """How the artist's mesh hangs in a solid. Raises Problem("body_unusable")."""
    try:
        return Embedding(body.rest, body.elements, body.coordinates.of(request.rest_positions))
    except (TooManyPairs, ValueError) as error:
        reason = "the body in its dataset has elements that lie on each other"
        raise Problem("body_unusable", object=request.object, reason=reason) from error


def _solid(request: SimulationRequest) -> Body:
    settings = request.settings
    material = _material(request, lambda: Solid(settings.density, settings.young, settings.poisson))
    triangles, plane = _triangles(request), plane_of(request.rest_positions)
    if plane is not None:
        filled, elements = _filled_plane(request, plane)
    else:
        if settings.filling == "tetwild":
            require_solid(request.rest_positions, triangles)
        filled, elements = _filled(request, triangles)
    coordinates = plane or SPACE
    embedding = Embedding(filled, elements, coordinates.of(request.rest_positions))
    vertices = coordinates.places(filled)
    bones = _bones_of(vertices, request)
    volumes = rest_shapes(filled[elements])[1]
    cores = _cores_of(vertices, request)
    pinned = embedding.pinned(request.pins) | (bones >= 0)
    _check_cores(request, np.where(pinned, -1, cores), coordinates.dimension)
    moduli = _moduli(request, vertices, elements)
    return Body(
        settings,
        vertices,
        elements.astype(np.int32),
        pinned,
        masses=lumped(len(vertices), elements, material.density * volumes),
        moduli=moduli,
        gravity=np.asarray(request.gravity, np.float64),
        embedding_corners=embedding.corners.astype(np.int32),
        embedding_weights=embedding.weights,
        bones=bones,
        cores=cores if request.cores else None,
    )


def _moduli(request: SimulationRequest, vertices: Doubles, elements: NDArray[np.integer]) -> Doubles:
    """(m, 2) Pa: Lame's of each element, as soft as the artist's mesh is nearest to its middle."""
    s = request.settings
    moduli = np.tile(Solid(s.density, s.young, s.poisson).lame, (len(elements), 1))
    if len(request.softness):
        nearest = KDTree(request.rest_positions).query(vertices[elements].mean(1))[1]
        moduli *= (s.softest ** request.softness[nearest])[:, None]
    cores = _cores_of(vertices, request)[elements]
    moduli[(cores >= 0).all(1) & (cores == cores[:, :1]).all(1)] *= CORE_STIFFNESS
    return moduli


def _bones_of(vertices: Doubles, request: SimulationRequest) -> StoredIndices:
    """(n,) the nearest of the bones that reach to each vertex, -1 where none does (Jin et al. 2022, 3.1)."""
    return _nearest(vertices, request.bones, np.full(len(request.bones), request.settings.bone_radius))


def _cores_of(vertices: Doubles, request: SimulationRequest) -> StoredIndices:
    """(n,) the nearest of the cores that reach to each vertex, -1 where none does."""
    ends = np.array([core.ends for core in request.cores]).reshape(-1, 2, 3)
    return _nearest(vertices, ends, np.array([core.radius for core in request.cores]))


def _check_cores(request: SimulationRequest, cores: NDArray[np.integer], dimension: int) -> None:
    """Raise Problem("core_small") for one that has too few of the free vertices to be turned by."""
    for number, core in enumerate(request.cores):
        if np.count_nonzero(cores == number) <= dimension:
            raise Problem("core_small", object=request.object, handle=core.name)


def _nearest(vertices: Doubles, ends: Doubles, radii: Doubles) -> StoredIndices:
    """(n,) which of the lines between ends (K, 2, 3) is nearest to each vertex, -1 where none is in reach."""
    nearest, least = np.full(len(vertices), -1, np.int32), np.full(len(vertices), np.inf)
    for number, ((head, tail), radius) in enumerate(zip(ends, radii, strict=True)):
        along = tail - head
        shares = np.clip((vertices - head) @ along / max(float(along @ along), 1e-30), 0.0, 1.0)
        distances = np.linalg.norm(vertices - head - shares[:, None] * along, axis=1)
        nearer = (distances < radius) & (distances < least)
        nearest[nearer], least[nearer] = number, distances[nearer]
    return nearest


def _triangles(request: SimulationRequest) -> StoredIndices:
    if len(request.face_sizes) == 0:
        raise ValueError("It has no faces: simulate it as rods, or add some.")
    return triangulate(request.corners, request.face_sizes)


def _filled(request: SimulationRequest, triangles: StoredIndices) -> tuple[Doubles, Indices]:
    """Vertices (n, 3) and about as many tetrahedra (t, 4) as are asked for."""
    fill = tetrahedralise if request.settings.filling == "tetwild" else cage
    aim = request.settings.tetrahedra
    length = default_edge_length(request.rest_positions, triangles, aim)
    found: list[tuple[float, tuple[Doubles, Indices]]] = []
    for _ in range(TRIES):
        try:
            filled = fill(request.rest_positions, triangles, length)
        except ImportError as error:
            raise Problem("filling_missing", object=request.object, path=sys.executable) from error
        off = len(filled[1]) / aim
        found.append((abs(np.log(off)), filled))
        if found[-1][0] <= np.log(NEAR_ENOUGH):
            break
        length *= off ** (1.0 / 3.0)
    return min(found, key=lambda one: one[0])[1]


def _filled_plane(request: SimulationRequest, plane: Coordinates) -> tuple[Doubles, Indices]:
    """Vertices (n, 2) and about as many triangles (t, 3) as tetrahedra are asked for.

    Raises ValueError for an outline that cannot be filled, and Problem("flat_touches_itself").
    """
    if request.settings.self_contact:
        raise Problem("flat_touches_itself", object=request.object)
    rest = plane.of(request.rest_positions)
    area = area_inside(rest, request.corners, request.face_sizes)
    if not area > 0.0:
        raise ValueError("It has faces without area: remove them with Mesh > Clean Up > Degenerate Dissolve.")
    edges = outline(request.corners, request.face_sizes)
    return fill_outline(rest, edges, area, request.settings.tetrahedra)


def _shell(request: SimulationRequest) -> Body:
    s = request.settings
    material = _material(
        request, lambda: Shell(s.area_density, s.thickness, s.young, s.poisson, bending=s.bending)
    )
    triangles = _triangles(request)
    rest = np.asarray(request.rest_positions, np.float64)
    sides = rest[triangles[:, 1:]] - rest[triangles[:, :1]]
    areas = 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    if not (areas > 0.0).all():
        raise ValueError("It has faces without area: remove them with Mesh > Clean Up > Degenerate Dissolve.")
    return Body(
        s,
        rest,
        triangles,
        request.pins,
        masses=lumped(len(rest), triangles, material.area_density * areas),
        moduli=np.tile([*material.membrane, material.bending], (len(triangles), 1)),
        gravity=np.asarray(request.gravity, np.float64),
    )


def _rod(request: SimulationRequest) -> Body:
    s = request.settings
    material = _material(request, lambda: Rod(s.density, s.young, s.shear, s.radius))
    if len(request.edges) == 0:
        raise ValueError("It has no edges, which rods are made of: add some.")
    edges = strands_of_edges(request.edges).edges
    rest = np.asarray(request.rest_positions, np.float64)
    lengths = np.linalg.norm(rest[edges[:, 1]] - rest[edges[:, 0]], axis=1)
    if not (lengths > 0.0).all():
        raise ValueError("It has edges without length: merge their ends with Mesh > Merge > By Distance.")
    return Body(
        s,
        rest,
        edges.astype(np.int32),
        request.pins,
        masses=lumped(len(rest), edges, material.line_density * lengths),
        moduli=np.tile([material.stretching, material.bending, material.twisting], (len(edges), 1)),
        gravity=np.asarray(request.gravity, np.float64),
    )


Material = TypeVar("Material", Solid, Shell, Rod)


def _material(request: SimulationRequest, make: Callable[[], Material]) -> Material:
    try:
        return make()
    except ValueError as error:
        raise Problem("material_unusable", object=request.object, reason=_clause(error)) from error


def _held(body: Body, request: SimulationRequest) -> Mask:
    """(B,) which of the body's vertices the mesh's pins and the bones hold."""
    pins = request.pins
    if body.embedding_corners is None or body.embedding_weights is None:
        return pins
    carried = body.embedding_corners, body.embedding_weights
    by_pins = held_by(pins, body.vertex_count, body.elements, carried)
    return by_pins | (_bones_of(body.rest_positions, request) >= 0)


def _clause(error: ValueError) -> str:
    """A sentence, to stand in another."""
    text = str(error).rstrip(".")
    return text[:1].lower() + text[1:]

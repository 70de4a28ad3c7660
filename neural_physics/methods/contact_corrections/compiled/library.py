"""The compiled library and its structures; see `native/contact_step.c`, whose names and order these have."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, Structure, byref, c_double, c_int64, c_void_p
from itertools import takewhile
from typing import Any

import numpy as np

from ....arrays import Doubles, Indices
from ....energies.colliders.box import Box
from ....energies.colliders.collider import Collider
from ....energies.colliders.half_space import HalfSpace
from ....energies.colliders.polygon import Polygon
from ....energies.colliders.sphere import Sphere
from ....energies.solids.compiled import CompiledElements, ElementsStructure
from ..dynamics import Dynamics, Residual
from ..networks import TanhNetwork

BALL, BOX, HALF_SPACE, POLYGON = range(4)


Fields = list[tuple[str, type[c_int64] | type[c_double] | type[c_void_p] | type[Structure]]]


def _fields(kind: type[c_int64] | type[c_double] | type[c_void_p], names: str) -> Fields:
    return [(name, kind) for name in names.split()]


class _Shapes(Structure):
    _fields_ = [("count", c_int64), *_fields(c_void_p, "kinds sizes begins corners normals")]


class _Network(Structure):
    _fields_ = [("layers", c_int64), *_fields(c_void_p, "sizes mean scale low high margin weights biases")]


class _Body(Structure):
    _fields_ = [
        *_fields(c_int64, "d vertices touching rows free bases points marks anchor anchors floats oriented"),
        ("balls", c_int64),
        *_fields(c_double, "stiffness reach reference_depth deepest location_scale self_stiffness"),
        *_fields(c_void_p, "weights gradients basis corners point_weights rest marked masses handles_rest"),
        ("radii", c_void_p),
        ("shapes", _Shapes),
        ("elements", ElementsStructure),
        ("internal", _Network),
        ("external", _Network),
    ]


class _Places(Structure):
    _fields_ = _fields(c_void_p, "centres turns scales")


class Acting(Structure):
    """What acts in a step."""

    _fields_ = [
        ("moving", c_int64),
        ("rate", c_double),
        ("places", _Places),
        *_fields(c_void_p, "frames sizes rotation aim before drag near"),
        ("pairs", c_int64),
    ]


OUT = (
    *(
        "value",
        "q",
        "shape",
        "r",
        "r_rest",
        "c",
        "features",
        "rest",
        "shares",
        "steepness",
        "dent_features",
        "dent_found",
    ),
    *(
        "moved",
        "dent_points",
        "dent_normals",
        "which",
        "shorts",
        "normals",
        "pairs",
        "overlaps",
        "directions",
    ),
    *("positions", "by_axis", "points"),
    *("forces", "away", "inverse", "near", "beside", "towards", "by_c", "by_inner", "room"),
)


class _Found(Structure):
    _fields_ = [
        *_fields(c_int64, "dents too_deep pressed overlapping"),
        *_fields(c_double, "outside energy"),
        *_fields(c_void_p, " ".join(OUT)),
    ]


def declare(library: ctypes.PyDLL) -> None:
    """Say what the library's functions are given."""
    body, acting, found = POINTER(_Body), POINTER(Acting), POINTER(_Found)
    arguments: dict[str, list[Any]] = {
        "contact_pose": [body, acting, c_void_p, found],
        "contact_residual": [body, acting, c_void_p, found],
        "contact_slopes": [body, acting, found, c_void_p, c_void_p],
        "contact_jacobian": [body, acting, found, *[c_void_p] * 3],
        "contact_hessian": [body, acting, found, *[c_void_p] * 3, c_int64, c_void_p, c_void_p],
        "contact_placement": [body, c_void_p, c_void_p],
        "contact_stiffness": [body, c_void_p, c_int64, c_void_p],
    }
    for name, types in arguments.items():
        function = getattr(library, name)
        function.argtypes, function.restype = types, None


class CompiledBody:
    """All that does not change while a body is played, and the room that its residual needs.

    found: what the last residual has left, by the names of `OUT`; overwritten by the next.
    """

    def __init__(self, library: ctypes.PyDLL, of: Dynamics) -> None:
        declare(library)
        self._library, self._kept = library, list[object]()
        self.last: Residual | None = None  # that `found` is of
        handles, corrections, contact, d = (
            of.part.handles,
            of.corrections,
            of.surface,
            of.handles.rest.shape[1],
        )
        anchor, count = of.handles.anchor, of.part.count
        # What moves comes first, and is all of one shape.
        outlines = takewhile(lambda shape: isinstance(shape, Polygon), contact.shapes)
        marks = [shape.marks for shape in outlines if isinstance(shape, Polygon)]
        marked = np.array(marks) if marks else np.zeros((0, 0, d))
        internal = corrections.internal.network if corrections.internal else None
        external = corrections.external.network if corrections.external else None
        cubature = of.cubature
        self._elements = CompiledElements(
            library,
            cubature.elements,
            cubature.inverse_rest,
            cubature.volumes,
            moduli=cubature.moduli,
            energy=cubature.energy,
        )
        self._body = _Body(
            d=d,
            vertices=count,
            touching=of.touching,
            rows=len(handles.rest),
            free=handles.free,
            bases=len(corrections.basis),
            points=len(contact.corners),
            marks=marked.shape[1],
            anchor=int(anchor[0]),
            anchors=len(anchor),
            floats=corrections.floats,
            oriented=corrections.oriented,
            stiffness=contact.stiffness,
            reach=contact.reach,
            reference_depth=corrections.reference_depth,
            deepest=corrections.deepest,
            location_scale=corrections.locator.scale,
            weights=self._doubles(handles.weights),
            gradients=self._doubles(handles.gradients),
            basis=self._doubles(of.part.basis),
            corners=self._indices(contact.corners),
            point_weights=self._doubles(contact.weights),
            rest=self._doubles(corrections.locator.rest),
            marked=self._doubles(marked),
            masses=self._doubles(of.cubature.masses),
            handles_rest=self._doubles(of.handles.rest),
            balls=len(of.self_contact.radii),
            self_stiffness=of.self_contact.stiffness,
            radii=self._doubles(of.self_contact.radii),
            shapes=self._shapes(contact.shapes),
            elements=self._elements.structure,
            internal=self._network(internal),
            external=self._network(external),
        )
        self._carried_basis = of.part.basis[d * of.first :]
        self._elements_count, self._d = len(of.cubature.elements), d
        self._at = byref(self._body)
        self.found = self._room(of, internal, external)
        columns = handles.free * d
        sizes = [
            sum(len(bias) for _, bias in network.layers) * len(network.mean)
            for network in (internal, external)
            if network is not None
        ]
        self._wide = np.empty(max(3 * max([*sizes, 1]), d * d * columns) + columns)
        self.out = _Found(**{name: self.found[name].ctypes.data for name in OUT})
        self._out_at = byref(self.out)

    def residual(self, acting: Acting, q: Doubles) -> None:
        """See `contact_residual`."""
        self._library.contact_residual(self._at, byref(acting), q.ctypes.data, self._out_at)

    def pose(self, acting: Acting, q: Doubles) -> None:
        """See `contact_pose`."""
        self._library.contact_pose(self._at, byref(acting), q.ctypes.data, self._out_at)

    def jacobian(self, acting: Acting) -> tuple[Doubles, Doubles, Doubles]:
        """Where the residual was found last: what a `Jacobian` is made of."""
        body, d = self._body, self._d
        columns = body.free * d
        slopes = np.empty((body.bases, columns))
        given = self._at, byref(acting), self._out_at
        self._library.contact_slopes(*given, slopes.ctypes.data, self._wide.ctypes.data)
        jacobian = self._carried_basis @ slopes
        changes = np.empty((self._elements_count, d * d, columns))
        masses = np.empty((columns, columns))
        at = (each.ctypes.data for each in (jacobian, changes, masses))
        self._library.contact_jacobian(*given, *at)
        return slopes, changes, masses

    def hessian(
        self, acting: Acting, jacobian: tuple[Doubles, Doubles, Doubles], *, projected: bool
    ) -> Doubles:
        """(d n, d n) where the residual was found last, with a Jacobian's slopes, changes and masses."""
        columns = self._body.free * self._d
        hessian = np.empty((columns, columns))
        at = (each.ctypes.data for each in jacobian)
        room = self._wide.ctypes.data, hessian.ctypes.data
        self._library.contact_hessian(self._at, byref(acting), self._out_at, *at, projected, *room)
        return hessian

    def placement(self, q: Doubles) -> Doubles:
        """(d, d): the anchor's rotation, with all handles at Q (h, d)."""
        rotation = np.empty((self._d, self._d))
        self._library.contact_placement(self._at, q.ctypes.data, rotation.ctypes.data)
        return rotation

    def stiffness(self, x: Doubles, *, projected: bool) -> Doubles:
        """(k, d d, d d): see `Cubature.stiffness`."""
        size = self._d**2
        found = np.empty((self._elements_count, size, size))
        x = np.ascontiguousarray(x)
        self._library.contact_stiffness(self._at, x.ctypes.data, projected, found.ctypes.data)
        return found

    def _room(
        self, of: Dynamics, internal: TanhNetwork | None, external: TanhNetwork | None
    ) -> dict[str, Any]:
        body, d = self._body, self._d
        colliders = moving = len(of.surface.shapes)
        units = [
            sum(len(bias) for _, bias in network.layers) if network else 0 for network in (internal, external)
        ]
        inputs = len(external.mean) if external else 0
        widest = max(body.rows * d, *units, inputs, 1)
        carried, pairs = body.vertices - of.first, of.self_contact.most_near
        shapes: dict[str, tuple[int, ...]] = {
            "value": (body.free, d),
            "q": (body.rows, d),
            "shape": (body.vertices, d),
            "r": (body.vertices, d),
            "r_rest": (body.touching, d),
            "c": (body.bases,),
            "features": (body.rows * d,),
            "rest": (units[0],),
            "shares": (moving,),
            "steepness": (moving,),
            "dent_features": (moving, inputs),
            "dent_found": (moving, units[1]),
            "moved": (moving, max(inputs - 1, 0), body.free, d),
            "dent_normals": (moving, d),
            "shorts": (colliders * body.points,),
            "normals": (colliders * body.points, d),
            "overlaps": (pairs,),
            "directions": (pairs, d),
            "positions": (body.vertices, d),
            "by_axis": (body.vertices, d, d),
            "points": (body.points, d),
            "forces": (body.vertices, d),
            "away": (carried, d),
            "inverse": (body.touching, d, d),
            "near": (body.touching,),
            "beside": (body.touching, d),
            "towards": (body.touching, d),
            "by_c": (body.bases,),
            "by_inner": (body.bases,),
            "room": (3 * widest,),
        }
        found: dict[str, Any] = {name: np.zeros(shape) for name, shape in shapes.items()}
        found["dent_points"] = np.zeros(moving, np.int64)
        found["which"] = np.zeros(colliders * body.points, np.int64)
        found["pairs"] = np.zeros(pairs, np.int64)
        return found

    def _doubles(self, array: Doubles) -> int:
        kept = np.ascontiguousarray(array, np.float64)
        self._kept.append(kept)
        return int(kept.ctypes.data)

    def _indices(self, array: Indices | Sequence[int]) -> int:
        kept = np.ascontiguousarray(array, np.int64)
        self._kept.append(kept)
        return int(kept.ctypes.data)

    def _network(self, network: TanhNetwork | None) -> _Network:
        if network is None:
            return _Network(layers=0, sizes=self._indices([0]))
        sizes = [len(network.mean), *(len(bias) for _, bias in network.layers)]
        return _Network(
            len(network.layers),
            self._indices(sizes),
            self._doubles(network.mean),
            self._doubles(network.scale),
            self._doubles(network.low),
            self._doubles(network.high),
            self._doubles(network.margin),
            self._doubles(np.concatenate([weight.ravel() for weight, _ in network.layers])),
            self._doubles(np.concatenate([bias for _, bias in network.layers])),
        )

    def _shapes(self, shapes: Sequence[Collider]) -> _Shapes:
        """Raises TypeError for a kind that no model has."""
        kinds, sizes = np.zeros(len(shapes), np.int64), np.zeros((len(shapes), 3))
        corners, normals, begins = [np.zeros((0, 2))], [np.zeros((0, 2))], [0]
        for number, shape in enumerate(shapes):
            if isinstance(shape, Sphere):
                kinds[number], sizes[number, 0] = BALL, shape.radius
            elif isinstance(shape, Box):
                kinds[number], sizes[number, : shape.dimension] = BOX, shape.half_extents
            elif isinstance(shape, HalfSpace):
                kinds[number] = HALF_SPACE
            elif isinstance(shape, Polygon):
                kinds[number] = POLYGON
                corners.append(shape.corners)
                normals.append(shape.feature_normals)
            else:
                raise TypeError(f"no model has a {type(shape).__name__}")
            begins.append(begins[-1] + (len(shape.corners) if isinstance(shape, Polygon) else 0))
        return _Shapes(
            len(shapes),
            self._indices(kinds),
            self._doubles(sizes),
            self._indices(begins),
            self._doubles(np.concatenate(corners)),
            self._doubles(np.concatenate(normals)),
        )

"""Pushing what plays out of what it is worn over, as that is on show at the frame."""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import bpy
import numpy as np

from ....arrays import Doubles, Floats, StoredIndices
from ....datasets.usable_numbers import FURTHEST
from ....errors import Problem
from ....layers.pushing import is_turned, lift_off
from ....layers.surface import Surface
from ....pairs import TooManyPairs
from ...scene.layers import layers_below, layers_problem
from ...scene.references import Numbered
from ...scene.sources import faces_of, mesh_data
from ...scene.sources import read_positions as coordinates_of
from ...settings.edits import edits
from ...settings.properties import settings_of
from .geometry_nodes import has_positions, read_positions
from .position_places import positions_mesh

LONGEST_PUSH = 5.0  # seconds that all layers of an object may take, where nobody can stop it
EDGES_AROUND = 3.0  # so far apart, in edges, what is worn at rest still says which side is out


class _Seen(NamedTuple):
    """A layer as it is on show: positions (V, 3) float32, its faces, and where it stands (4, 4)."""

    positions: Floats
    corners: StoredIndices
    face_sizes: StoredIndices
    world: Doubles


class Layering:
    """The layers below one object that plays.

    problem: why it is not pushed out of them. deep: how many vertices of the shape on show are left behind
    one, as deeper than allowed.
    """

    def __init__(self) -> None:
        self.problem: Problem | None = None
        self.deep = 0
        self._name, self._edits = "", -1
        self._below: list[_Layer] = []
        self._shown = b""  # what the shape on show was pushed out of

    @property
    def active(self) -> bool:
        """Whether there is anything to push out of."""
        return bool(self._below)

    @property
    def below(self) -> frozenset[int]:
        """The layers, by their session_uid."""
        return frozenset(layer.object.uid for layer in self._below)

    def follow(self, obj: bpy.types.Object) -> bool:
        """Read the layers of an object again if they may have been edited; whether that was so."""
        if self._edits == edits():
            return False
        self._edits, self._name, self.problem = edits(), obj.name, layers_problem(obj)
        self._below = [] if self.problem else [_Layer(other) for other in layers_below(obj)]
        return True

    def check_there(self, scene: bpy.types.Scene) -> None:
        """Cease to push, and say why, if an edit has deleted a layer."""
        for layer in self._below:
            obj = layer.object.original()
            if obj is None or scene.objects.get(obj.name) != obj:
                self._cease("layer_lost")
                return

    def moved(self, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether the layers are elsewhere, or shaped otherwise, than when the shape on show was made."""
        return self.active and _as_bytes(_world_of(obj, depsgraph), self._seen(depsgraph)) != self._shown

    def push(
        self,
        obj: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        positions: Floats,
        *,
        patient: bool = True,
    ) -> Floats:
        """Positions (V, 3) float32 of the shape to be shown, in the object's axes, pushed out.

        A layer that is hidden is one still: Blender evaluates what settings refer to. patient: for as long as
        it takes; else after `LONGEST_PUSH` no other layer is begun, and nothing is pushed any more.
        """
        self.deep, began = 0, perf_counter()
        if any(layer.object.original() is None for layer in self._below):
            self._cease("layer_lost")
        if not self.active:
            return positions
        world, seen = _world_of(obj, depsgraph), self._seen(depsgraph)
        self._shown = _as_bytes(world, seen)
        if not np.linalg.det(world[:3, :3]):
            return positions
        # About the object's origin: far from the world's, metres have no digits left.
        axes, origin = world[:3, :3].astype(np.float32), world[:3, 3]
        before = here = positions @ axes.T
        for layer, as_shown in zip(self._below, seen, strict=True):
            if not patient and perf_counter() - began > LONGEST_PUSH:
                self._cease("layer_in_one_place", layer=layer.name)
                return positions
            try:
                surface = layer.placed(as_shown, obj, depsgraph, origin)
                if surface is None:
                    continue
                settings = settings_of(obj)
                lifted = lift_off(here, surface, settings.layer_gap, settings.projection.depth_limit)
            except TooManyPairs:
                self._cease("layer_in_one_place", layer=layer.name)
                return positions
            here = lifted.positions
            self.deep += int(np.count_nonzero(lifted.deep))
        changed = np.flatnonzero((here != before).any(1))
        pushed = positions.copy()
        pushed[changed] = here[changed] @ np.linalg.inv(world[:3, :3]).astype(np.float32).T
        return pushed

    def _cease(self, code: str, **names: str) -> None:
        """Push no more until something is edited."""
        self.problem, self._below, self.deep = Problem(code, object=self._name, **names), [], 0

    def _seen(self, depsgraph: bpy.types.Depsgraph) -> list[_Seen | None]:
        return [layer.seen(depsgraph) for layer in self._below]


class _Layer:
    """One of them."""

    def __init__(self, obj: bpy.types.Object) -> None:
        self.object, self.name = Numbered(obj), obj.name
        self._faces: tuple[StoredIndices, StoredIndices] | None = None
        self._surface: Surface | None = None
        self._turned = False

    def seen(self, depsgraph: bpy.types.Depsgraph) -> _Seen | None:
        """As it is on show; None where it is not."""
        obj = self.object.original()
        evaluated = None if obj is None else obj.evaluated_get(depsgraph)
        if obj is None or evaluated is None or not evaluated.is_evaluated or obj.type != "MESH":
            return None
        written = positions_mesh(obj)
        fits = len(written.vertices) == len(mesh_data(obj).vertices)  # of a place in a file, anybody's
        if settings_of(obj).playing and fits and has_positions(written):
            # What it was given for this frame, which Blender has not evaluated yet.
            mesh, positions = mesh_data(obj), read_positions(written)
        else:
            mesh = mesh_data(evaluated)
            positions = coordinates_of(mesh)
        return _Seen(positions, *faces_of(mesh), _world_of(obj, depsgraph))

    def placed(
        self,
        seen: _Seen | None,
        worn: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        origin: Doubles,
    ) -> Surface | None:
        """Its surface as it is `seen`, about an origin of the world; None where it shows none.

        Raises TooManyPairs.
        """
        obj = self.object.original()
        if seen is None or obj is None or not len(seen.face_sizes):
            return None
        places = _moved(seen.positions, seen.world, origin)
        if not (np.abs(places) <= FURTHEST).all():  # or no numbers
            return None
        faces = seen.corners, seen.face_sizes
        if self._surface is None or self._faces is None or not all(map(np.array_equal, faces, self._faces)):
            self._faces, self._surface = faces, Surface(seen.positions, *faces)
            self._turned = not self._surface.closed and _faces_in(obj, worn, depsgraph)
        self._surface.place(places, turned=self._turned)
        # Scaled to nothing, as what is to be out of sight often is, it has no side to be pushed to.
        return self._surface if self._surface.edge_length else None


def _as_bytes(world: Doubles, seen: list[_Seen | None]) -> bytes:
    parts = [part for each in seen if each is not None for part in each]
    return b"".join(part.tobytes() for part in (world, *parts))


def _faces_in(layer: bpy.types.Object, worn: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether the faces of an open layer look away from what is worn over it, as both are at rest."""
    mesh, origin = mesh_data(layer), _world_of(worn, depsgraph)[:3, 3]
    if not mesh.polygons:
        return False
    at_rest = _moved(coordinates_of(mesh), _world_of(layer, depsgraph), origin)
    surface = Surface(at_rest, *faces_of(mesh))
    surface.place(at_rest)
    points = _moved(coordinates_of(mesh_data(worn)), _world_of(worn, depsgraph), origin)
    within = max(settings_of(worn).projection.depth_limit, EDGES_AROUND * surface.edge_length)
    return is_turned(points, surface, within)


def _world_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Doubles:
    return np.array(obj.evaluated_get(depsgraph).matrix_world)


def _moved(positions: Floats, world: Doubles, origin: Doubles) -> Floats:
    """(V, 3) float32: about an origin, in the axes of the world."""
    moved: Floats = (positions @ world[:3, :3].T + (world[:3, 3] - origin)).astype(np.float32)
    return moved

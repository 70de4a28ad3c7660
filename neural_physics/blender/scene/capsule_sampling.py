"""Where an object's capsules are at a frame."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ...arrays import Doubles, Floats
from ...capsules.placing import CarriedCapsules
from ...capsules.projection import Bodies, Capsules
from ...errors import Problem
from ...interaction.channels import SIZES, Channel
from ..settings.capsules import NEURALPHYSICS_PG_capsule
from ..settings.properties import settings_of
from .references import Numbered

MOST = 1000  # capsules of an object: one for each bone of the largest rigs of faces and hands, and more


def pushing_capsules(obj: bpy.types.Object) -> list[NEURALPHYSICS_PG_capsule]:
    """The capsules that an object is pushed out of: those switched on, if any are used at all."""
    settings = settings_of(obj)
    return [item for item in settings.capsules if item.enabled] if settings.projection.enabled else []


class CapsuleSettings(NamedTuple):
    """What a capsule is, whatever it is called; see `NEURALPHYSICS_PG_capsule`. source: its session_uid."""

    source: int
    bone: str
    start: tuple[float, ...]
    end: tuple[float, ...]
    radii: tuple[float, float]


class CapsuleSampler:
    """Samples the capsules of an object frame by frame.

    settings: of each of them. The capsules are those of when it was made: make another when the artist
    edits them. What carries them is found again after an undo, whatever it is called by then.
    """

    def __init__(self, obj: bpy.types.Object) -> None:
        """Raises Problem("capsules_too_many"), and "capsule_lost" for one whose object or bone is gone."""
        self._obj, self._name = Numbered(obj), obj.name
        items = pushing_capsules(obj)
        if len(items) > MOST:
            raise Problem("capsules_too_many", object=obj.name, count=len(items), most=MOST)
        by_source: dict[bpy.types.Object, list[tuple[int, str, str]]] = {}
        for place, item in enumerate(items):
            # What carries others, too, is not asked again: that goes through all objects of all scenes.
            if item.source is None or not (item.source in by_source or item.source.users_scene):
                raise Problem("capsule_lost", object=obj.name, capsule=item.name)
            by_source.setdefault(item.source, []).append((place, item.bone, item.name))
        self._carriers = [_Carrier(obj.name, source, rows) for source, rows in by_source.items()]
        self.settings = tuple(map(_settings_of, items))
        self._capsules = CarriedCapsules(
            np.array([item.start for item in self.settings], np.float64).reshape(-1, 3),
            np.array([item.end for item in self.settings], np.float64).reshape(-1, 3),
            np.array([item.radii for item in self.settings], np.float64).reshape(-1, 2),
        )
        self._carried = np.empty((len(items), 4, 4))

    def __len__(self) -> int:
        return len(self.settings)

    def carriers(self) -> dict[int, str]:
        """What the objects that carry them are called now, by their session_uid."""
        return dict(carrier.named() for carrier in self._carriers)

    def channels(self, taken: Container[str]) -> tuple[Channel, ...]:
        """A channel of kind "capsule" for each, of names that are not taken; `rows` has their values."""
        channels: list[Channel] = []
        number, names = 0, self.carriers()
        for item in self.settings:
            number += 1
            while f"Capsule {number}" in taken:
                number += 1
            channels.append(Channel(f"Capsule {number}", "capsule", SIZES["capsule"], names[item.source]))
        return tuple(channels)

    def present(self, depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether all that carries capsules is in an evaluated scene; what is hidden in renders is not."""
        return all(carrier.present(depsgraph) for carrier in self._carriers)

    def lost_from(self, scene: bpy.types.Scene) -> Problem | None:
        """Problem("capsule_lost") if a carrier was deleted: the capsule's setting keeps its data alive."""
        return next(filter(None, (carrier.lost_from(scene) for carrier in self._carriers)), None)

    def sample(self, depsgraph: bpy.types.Depsgraph, world_from_axes: Matrix | None = None) -> Bodies:
        """The capsules, and how deep a vertex may be to be pushed out, in these axes or the object's own.

        The depth limit is set in metres of the world; under uneven scale, in those of the mean.
        Raises Problem("capsule_lost" | "object_unknown").
        """
        obj = self._original()
        world = world_from_axes or obj.evaluated_get(depsgraph).matrix_world
        self._read(depsgraph, world.inverted_safe())
        return Bodies(self._capsules.placed(self._carried), _depth_limit(obj, world))

    def bodies(self, rows: Floats, world_from_axes: Matrix) -> Bodies:
        """The bodies of `sample`, from what `rows` gave at some frame. Raises Problem("object_unknown")."""
        starts, ends, radii = np.split(rows.reshape(-1, SIZES["capsule"]), (3, 6), axis=1)
        capsules = Capsules(starts, ends, radii[:, 0], radii[:, 1])
        return Bodies(capsules, _depth_limit(self._original(), world_from_axes))

    def rows(self, depsgraph: bpy.types.Depsgraph, axes_from_world: Matrix) -> Doubles:
        """The numbers of all `channels`, one after the other. Raises Problem("capsule_lost")."""
        self._read(depsgraph, axes_from_world)
        return self._capsules.rows(self._carried).reshape(-1)

    def _original(self) -> bpy.types.Object:
        obj = self._obj.original()
        if obj is None:
            raise Problem("object_unknown", object=self._name, scene=bpy.data.filepath)
        return obj

    def _read(self, depsgraph: bpy.types.Depsgraph, axes_from_world: Matrix) -> None:
        for carrier in self._carriers:
            carrier.read(depsgraph, axes_from_world, self._carried)


def _depth_limit(obj: bpy.types.Object, world_from_axes: Matrix) -> float:
    """How deep a vertex may be, in lengths of these axes; under uneven scale, of their mean."""
    volume = abs(world_from_axes.to_3x3().determinant())
    return float(settings_of(obj).projection.depth_limit / volume ** (1.0 / 3.0)) if volume else 0.0


def _settings_of(item: NEURALPHYSICS_PG_capsule) -> CapsuleSettings:
    source = item.source
    assert source is not None  # none of them is lost
    radii = item.start_radius, item.end_radius
    return CapsuleSettings(source.session_uid, item.bone, tuple(item.start), tuple(item.end), radii)


class _Carrier:
    """An object that carries capsules, by its bones or by itself."""

    def __init__(self, owner: str, source: bpy.types.Object, rows: list[tuple[int, str, str]]) -> None:
        """rows: of each capsule its place, its bone and its name. Raises Problem("capsule_lost")."""
        self._owner, self._source = owner, Numbered(source)
        self._itself = np.array([place for place, bone, _ in rows if not bone], np.intp)
        self._rows = [row for row in rows if row[1]]
        self._on_bones = np.array([place for place, _, _ in self._rows], np.intp)
        self._name = rows[0][2]
        self._buffer = np.empty((0, 4, 4), np.float32)
        self._bones = np.empty(0, np.intp)
        if self._rows:
            self._find_bones(source)

    def named(self) -> tuple[int, str]:
        """Its session_uid, and what it is called now; "" once it is deleted."""
        source = self._source.original()
        return self._source.uid, source.name if source is not None else ""

    def present(self, depsgraph: bpy.types.Depsgraph) -> bool:
        source = self._source.original()
        return source is None or source.evaluated_get(depsgraph).is_evaluated

    def lost_from(self, scene: bpy.types.Scene) -> Problem | None:
        source = self._source.original()
        if source is not None and scene.objects.get(source.name) == source:
            return None
        return Problem("capsule_lost", object=self._owner, capsule=self._name)

    def read(self, depsgraph: bpy.types.Depsgraph, axes_from_world: Matrix, out: Doubles) -> None:
        """Fill in axes_from_carrier (4, 4) of its capsules in `out` (C, 4, 4).

        Raises Problem("capsule_lost").
        """
        source = self._source.original()
        if source is None:
            raise Problem("capsule_lost", object=self._owner, capsule=self._name)
        evaluated = source.evaluated_get(depsgraph)
        axes_from_source = np.array(axes_from_world @ evaluated.matrix_world)
        out[self._itself] = axes_from_source
        if self._rows:
            pose = evaluated.pose
            if pose is None or len(pose.bones) != len(self._buffer):  # the rig was edited
                pose = self._find_bones(evaluated)
            pose.bones.foreach_get("matrix", self._buffer.reshape(-1))  # column by column
            out[self._on_bones] = axes_from_source @ self._buffer[self._bones].transpose(0, 2, 1)

    def _find_bones(self, source: bpy.types.Object) -> bpy.types.Pose:
        pose = source.pose
        found = [pose.bones.find(bone) if pose else -1 for _, bone, _ in self._rows]
        if pose is None or -1 in found:
            raise Problem("capsule_lost", object=self._owner, capsule=self._rows[found.index(-1)][2])
        self._bones = np.array(found, np.intp)
        self._buffer = np.empty((len(pose.bones), 4, 4), np.float32)
        return pose

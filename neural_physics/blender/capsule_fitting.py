"""Capsules fitted to what a simulated object runs into (Holden 2019, section 6.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..capsule_fit import FittedCapsule, fit_capsule, fit_free_capsule
from ..errors import Problem
from .properties import settings_of
from .setting_up import find_movers
from .sources import mesh_data, read_positions
from .vertex_weights import bone_weights

NEARLY = 0.999  # of the heaviest weight: as heavy, but for rounding
LEAST_WEIGHT = 4.0  # vertices: a bone with less of a body is not worth a capsule


@dataclass(frozen=True)
class _Found:
    """A capsule, in the axes of a bone at rest or of an object, and what carries it."""

    source: bpy.types.Object
    bone: str
    capsule: FittedCapsule


def capsule_sources(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """What capsules are fitted to where the artist chooses nothing: the armatures and colliders around."""
    return [mover for mover in find_movers(obj, scene) if mover.type in ("ARMATURE", "MESH")]


def fit_capsules(obj: bpy.types.Object, sources: Iterable[bpy.types.Object]) -> list[str]:
    """Fit capsules to armatures and meshes, and keep them with the simulated object; returns their names.

    An armature, or a mesh that follows one, gives a capsule for each of its deforming bones that moves enough
    of a body more than other bones do: of the meshes with that armature that collide, or are among the
    sources. Bodies are taken at rest, as they are without their modifiers. Any other mesh gives one capsule,
    in its object's axes.

    What there was of the same sources is replaced; a capsule that the artist switched off is off again.
    Bones at rest are not scaled, but their armature's object may be: sections are made round in its own
    axes, and `CarriedCapsules.placed` says what becomes of them.

    Raises Problem("object_linked" | "object_overridden" | "capsules_nothing" | "body_unweighted" |
    "body_missing"), and then changes nothing.
    """
    if obj.library:
        raise Problem("object_linked", object=obj.name)
    if obj.override_library:
        raise Problem("object_overridden", object=obj.name)
    share = settings_of(obj).projection.share
    found: list[_Found] = []
    for source, bodies in _bodies(obj, list(sources)).items():
        found.extend(_of_rig(source, bodies, share) if source.type == "ARMATURE" else _of_mesh(source, share))
    if not found:
        raise Problem("capsules_nothing", object=obj.name)
    return _keep(obj, found)


def _bodies(
    obj: bpy.types.Object, sources: list[bpy.types.Object]
) -> dict[bpy.types.Object, list[bpy.types.Object]]:
    """For every armature its bodies; meshes that follow none stand for themselves.

    Raises Problem("body_missing").
    """
    found: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for source in sources:
        if source == obj:
            continue
        if source.is_missing:  # whatever it was, an Empty stands in for it
            raise Problem("body_missing", body=source.name)
        rigs = _rigs_of(source)
        for rig in rigs:
            found.setdefault(rig, []).append(source)
        if source.type == "ARMATURE" or (source.type == "MESH" and not rigs):
            found.setdefault(source, [])
    for rig, bodies in found.items():
        if rig.type == "ARMATURE":
            bodies += [o for o in bpy.data.objects if o != obj and o.users_scene and _is_body(o, rig)]
            bodies[:] = dict.fromkeys(bodies)
        for used in (rig, *bodies):
            if used.data is None or used.data.is_missing:
                raise Problem("body_missing", body=used.name)
    return found


def _rigs_of(obj: bpy.types.Object) -> list[bpy.types.Object]:
    armatures = [m for m in obj.modifiers if isinstance(m, bpy.types.ArmatureModifier)]
    return [m.object for m in armatures if m.object is not None] if obj.type == "MESH" else []


def _is_body(obj: bpy.types.Object, rig: bpy.types.Object) -> bool:
    return rig in _rigs_of(obj) and any(m.type == "COLLISION" for m in obj.modifiers)


def _of_rig(rig: bpy.types.Object, bodies: list[bpy.types.Object], share: float) -> Iterator[_Found]:
    """Raises Problem("body_unweighted")."""
    bones = _deforming(rig)
    numbers = {bone.name: k for k, bone in enumerate(bones)}
    parts: list[tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]] = []
    for body in bodies:
        rows = bone_weights(body, numbers)
        if not len(rows):
            raise Problem("body_unweighted", body=body.name, rig=rig.name)
        rig_from_body = rig.matrix_world.inverted_safe() @ body.matrix_world
        points = _moved(rig_from_body, read_positions(mesh_data(body)))
        # What two bones share bends between them. A capsule around all that a forearm moves a little would
        # stick out of a bent elbow, so that each vertex counts for the bone that weighs on it most.
        heaviest = np.zeros(len(points))
        np.maximum.at(heaviest, rows.vertices, rows.weights)
        most = rows.weights >= NEARLY * heaviest[rows.vertices]
        parts.append((points[rows.vertices[most]], rows.bones[most], rows.weights[most]))
    if not parts:
        return
    points, owners, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    for k, bone in enumerate(bones):
        own = owners == k
        if weights[own].sum() >= LEAST_WEIGHT:
            in_bone = _moved(bone.matrix_local.inverted_safe(), points[own])
            tail = np.array((0.0, bone.length, 0.0))
            capsule = fit_capsule(in_bone, weights[own], np.zeros(3), tail, share, slide=True)
            yield _Found(rig, bone.name, capsule)


def _deforming(rig: bpy.types.Object) -> list[bpy.types.Bone]:
    return [bone for bone in cast(bpy.types.Armature, rig.data).bones if bone.use_deform]


def _of_mesh(source: bpy.types.Object, share: float) -> Iterator[_Found]:
    points = read_positions(mesh_data(source))
    if len(points) >= LEAST_WEIGHT:
        yield _Found(source, "", fit_free_capsule(points, np.ones(len(points)), share))


def _moved(matrix: Matrix, points: NDArray[np.floating]) -> NDArray[np.float64]:
    rows = np.array(matrix, np.float64)
    return np.asarray(points @ rows[:3, :3].T + rows[:3, 3])


def _keep(obj: bpy.types.Object, found: list[_Found]) -> list[str]:
    """Replace what there was of the same sources; returns the names."""
    settings = settings_of(obj)
    replaced = {one.source for one in found}
    switched_off = {(item.source, item.bone) for item in settings.capsules if not item.enabled}
    for index in reversed(range(len(settings.capsules))):
        if settings.capsules[index].source in replaced:
            settings.capsules.remove(index)
    for one in found:
        item = settings.capsules.add()
        item.name, item.source, item.bone = one.bone or one.source.name, one.source, one.bone
        item.start, item.end = one.capsule.start.tolist(), one.capsule.end.tolist()
        item.start_radius, item.end_radius = one.capsule.start_radius, one.capsule.end_radius
        item.enabled = (one.source, one.bone) not in switched_off
    settings.active_capsule = min(settings.active_capsule, len(settings.capsules) - 1)
    return [one.bone or one.source.name for one in found]

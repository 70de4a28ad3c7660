"""Capsules fitted to what a simulated object runs into (Holden 2019, section 6.4)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import cast

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...arrays import Doubles, Indices
from ...capsules.fitting import FittedCapsule, fit_capsule, fit_free_capsule
from ...errors import Problem
from ...wording import plural
from ..scene.capsule_sampling import MOST
from ..scene.rigs.vertex_weights import bone_weights
from ..scene.setting_up import find_movers
from ..scene.sources import check_shown_mesh, mesh_data, read_positions
from ..scene.targets import check_editable
from ..settings.capsules import NEURALPHYSICS_PG_capsule
from ..settings.edits import refresh_display
from ..settings.properties import settings_of

SOURCE_TYPES = ("ARMATURE", "MESH")
NEARLY = 0.999  # of the heaviest weight: as heavy, but for rounding
LEAST_WEIGHT = 4.0  # vertices: a bone with less of a body is not worth a capsule


@dataclass(frozen=True)
class Found:
    """A capsule, in the axes of a bone at rest or of an object, and what carries it."""

    source: bpy.types.Object
    bone: str
    capsule: FittedCapsule

    @property
    def name(self) -> str:
        """What the artist sees in the list."""
        return self.bone or self.source.name


@dataclass(frozen=True)
class Wanted:
    """A capsule that is to be fitted. key: the same for those that are alike."""

    source: bpy.types.Object
    bone: str
    key: Hashable
    fit: Callable[[], FittedCapsule]

    def found(self) -> Found:
        """It, fitted."""
        return Found(self.source, self.bone, self.fit())


def capsule_sources(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """What capsules are fitted to where the artist chooses nothing: the armatures and colliders around."""
    return [mover for mover in find_movers(obj, scene) if mover.type in SOURCE_TYPES]


def chosen_sources(obj: bpy.types.Object, selected: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """What capsules are fitted to where the artist has selected something beside the object."""
    return [other for other in selected if other != obj and other.type in SOURCE_TYPES]


def check_may_fit(obj: bpy.types.Object) -> None:
    """Whether capsules can be fitted for an object.

    Raises what `check_editable` and `sources.check_shown_mesh` do.
    """
    check_editable(obj)
    check_shown_mesh(obj)


def fit_capsules(obj: bpy.types.Object, sources: Iterable[bpy.types.Object]) -> list[str]:
    """Do what `fitting_capsules` does at once; returns the capsules' names. Raises what it does."""
    steps = fitting_capsules(obj, sources)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(list[str], end.value)


def fitting_capsules(
    obj: bpy.types.Object, sources: Iterable[bpy.types.Object]
) -> Generator[tuple[int, int], None, list[str]]:
    """Fit capsules to armatures and meshes, and keep them with the simulated object; returns their names.

    After each it yields how many are fitted, of how many.

    An armature, or a mesh that follows one, gives a capsule for each of its deforming bones that moves enough
    of a body more than other bones do: of the meshes with that armature that collide, or are among the
    sources. Bodies are taken at rest, as they are without their modifiers. Any other mesh gives one capsule,
    in its object's axes.

    What there was of the same sources is replaced; a capsule that the artist switched off is off again.
    Bones at rest are not scaled, but their armature's object may be: sections are made round in its own
    axes, and `CarriedCapsules.placed` says what becomes of them.

    Raises what `check_may_fit` does and Problem("capsules_nothing" | "capsules_too_many" |
    "body_unweighted" | "body_missing" | "edit_mode"), and then changes nothing.
    """
    check_may_fit(obj)
    share = settings_of(obj).projection.share
    wanted: list[Wanted] = []
    for source, bodies in _bodies(obj, list(sources)).items():
        wanted.extend(_of_rig(source, bodies, share) if source.type == "ARMATURE" else of_mesh(source, share))
        if len(wanted) > MOST:
            raise Problem("capsules_too_many", object=obj.name, count=len(wanted), most=MOST)
    if not wanted:
        raise Problem("capsules_nothing", object=obj.name)
    fitted: dict[Hashable, FittedCapsule] = {}  # objects that share a mesh have one capsule
    for number, each in enumerate(wanted, 1):
        if each.key not in fitted:
            fitted[each.key] = each.fit()
        yield number, len(wanted)
    return _keep(obj, [Found(each.source, each.bone, fitted[each.key]) for each in wanted])


def summary(obj: bpy.types.Object, names: list[str]) -> str:
    """What `fit_capsules` has just done, in one line; names: what it returned."""
    sources = dict.fromkeys(item.source.name for item in settings_of(obj).capsules[-len(names) :])
    return f"{obj.name} has {plural(len(names), 'capsule')} fitted to {', '.join(sources)}"


def _bodies(
    obj: bpy.types.Object, sources: list[bpy.types.Object]
) -> dict[bpy.types.Object, list[bpy.types.Object]]:
    """The bodies of every armature; meshes that follow none stand for themselves.

    Raises Problem("body_missing" | "edit_mode").
    """
    found: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for source in sources:
        if source == obj:
            continue
        if source.is_missing:  # whatever it was, an Empty stands in for it
            raise Problem("body_missing", body=source.name)
        rigs = rigs_of(source)
        for rig in rigs:
            found.setdefault(rig, []).append(source)
        if source.type == "ARMATURE" or (source.type == "MESH" and not rigs):
            found.setdefault(source, [])
    for rig, bodies in found.items():
        if rig.type == "ARMATURE":
            bodies += [o for o in bpy.data.objects if o != obj and _is_body(o, rig) and o.users_scene]
            bodies[:] = dict.fromkeys(bodies)
        for used in (rig, *bodies):
            check_readable(used)
    return found


def check_readable(obj: bpy.types.Object) -> None:
    """Whether the data of an armature or a mesh are there. Raises Problem("body_missing" | "edit_mode")."""
    if obj.data is None or obj.data.is_missing:
        raise Problem("body_missing", body=obj.name)
    if obj.type == "MESH" and mesh_data(obj).is_editmode:  # and has no vertices to be read
        raise Problem("edit_mode", object=obj.name)


def rigs_of(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The armatures that a mesh follows."""
    armatures = [m for m in obj.modifiers if isinstance(m, bpy.types.ArmatureModifier)]
    return [m.object for m in armatures if m.object is not None] if obj.type == "MESH" else []


def _is_body(obj: bpy.types.Object, rig: bpy.types.Object) -> bool:
    return rig in rigs_of(obj) and any(m.type == "COLLISION" for m in obj.modifiers)


def _of_rig(rig: bpy.types.Object, bodies: list[bpy.types.Object], share: float) -> Iterator[Wanted]:
    """Raises Problem("body_unweighted")."""
    bones = _deforming(rig)
    numbers = {bone.name: k for k, bone in enumerate(bones)}
    parts: list[tuple[Doubles, Indices, Doubles]] = []
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
    whole = np.bincount(owners, weights, len(bones))
    order = np.argsort(owners, kind="stable")
    ends = np.bincount(owners, minlength=len(bones)).cumsum()
    for k, bone in enumerate(bones):
        if whole[k] >= LEAST_WEIGHT:
            own = order[ends[k - 1] if k else 0 : ends[k]]
            in_bone = _moved(bone.matrix_local.inverted_safe(), points[own])
            tail = np.array((0.0, bone.length, 0.0))
            fit = partial(fit_capsule, in_bone, weights[own], np.zeros(3), tail, share=share, slide=True)
            yield Wanted(rig, bone.name, (rig.session_uid, bone.name), fit)


def _deforming(rig: bpy.types.Object) -> list[bpy.types.Bone]:
    return [bone for bone in cast(bpy.types.Armature, rig.data).bones if bone.use_deform]


def of_mesh(source: bpy.types.Object, share: float) -> Iterator[Wanted]:
    """The capsule around all of a mesh; none where it has hardly a vertex."""
    mesh = mesh_data(source)
    if len(mesh.vertices) < LEAST_WEIGHT:
        return

    def fit() -> FittedCapsule:
        points = read_positions(mesh_data(source))
        return fit_free_capsule(points, np.ones(len(points)), share)

    yield Wanted(source, "", mesh.session_uid, fit)


def _moved(matrix: Matrix, points: NDArray[np.floating]) -> Doubles:
    rows = np.array(matrix, np.float64)
    return np.asarray(points @ rows[:3, :3].T + rows[:3, 3])


def _keep(obj: bpy.types.Object, found: list[Found]) -> list[str]:
    """Replace what there was of the same sources; returns the names."""
    settings = settings_of(obj)
    replaced = {one.source for one in found}
    switched_off = {(item.source, item.bone) for item in settings.capsules if not item.enabled}
    for index in reversed(range(len(settings.capsules))):
        if settings.capsules[index].source in replaced:
            settings.capsules.remove(index)
    for one in found:
        add(obj, one).enabled = (one.source, one.bone) not in switched_off
    settings.active_capsule = min(settings.active_capsule, len(settings.capsules) - 1)
    refresh_display(settings, bpy.context)
    return [one.name for one in found]


def add(obj: bpy.types.Object, found: Found) -> NEURALPHYSICS_PG_capsule:
    """One more capsule in an object's list."""
    item = settings_of(obj).capsules.add()
    item.name, item.source, item.bone = found.name, found.source, found.bone
    # Rounded, as "-0 m" would be shown for what the fit leaves of a zero.
    item.start, item.end = (
        (place.round(6) + 0.0).tolist() for place in (found.capsule.start, found.capsule.end)
    )
    item.start_radius, item.end_radius = found.capsule.start_radius, found.capsule.end_radius
    return item

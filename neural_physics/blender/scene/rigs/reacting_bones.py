"""Of which bones of an armature the joints are read: all that deform, or those in the line's list.

Production rigs have hundreds: of fingers and eyelids a skirt learns nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import cast

import bpy
import numpy as np
from mathutils import kdtree

from ....arrays import Doubles
from ...settings.properties import NEURALPHYSICS_PG_interaction
from ..sources import mesh_data, read_positions
from .vertex_weights import bone_weights

TIP = "/tip"  # after the name of a bone whose tail is meant
MANY = 30  # deforming bones: of more, those that are near are chosen when an armature is listed
REACH = 0.2  # of the object's diagonal: so near to its vertices a body's are seen
FINE = 1e-3  # of that reach: of vertices nearer to each other one stands for all
CARRIED = 0.2  # of a vertex's weight, at least, for a bone to carry it
MOST_COPIED = 2_000_000  # vertices of bodies that share their mesh, beyond the first: looked at in seconds


def deforming_bones(rig: bpy.types.Object) -> list[bpy.types.Bone]:
    """Those that deform anything, or all of an armature in which none does."""
    bones = cast(bpy.types.Armature, rig.data).bones
    return [bone for bone in bones if bone.use_deform] or list(bones)


def reacting_bones(item: NEURALPHYSICS_PG_interaction) -> list[bpy.types.Bone]:
    """The bones that a line of the list, which is about an armature, is read from."""
    bones, listed = deforming_bones(item.object), {bone.name for bone in item.bones}
    return [bone for bone in bones if bone.name in listed] or bones


def joint_names(item: NEURALPHYSICS_PG_interaction) -> tuple[str, ...]:
    """Every such bone's head, and the tips of those after which none comes."""
    bones, all_bones = reacting_bones(item), cast(bpy.types.Armature, item.object.data).bones
    known = {bone.name for bone in (bones if len(bones) < len(deforming_bones(item.object)) else all_bones)}
    ends = [bone for bone in bones if not any(child.name in known for child in bone.children)]
    return (*(bone.name for bone in bones), *(bone.name + TIP for bone in ends))


def choose_bones(item: NEURALPHYSICS_PG_interaction, names: Collection[str]) -> None:
    """List these bones of a line's armature; none for all."""
    item.bones.clear()
    for bone in deforming_bones(item.object):
        if bone.name in names:
            item.bones.add().name = bone.name


def near_bones(obj: bpy.types.Object, rig: bpy.types.Object) -> list[str]:
    """The bones that carry vertices of an object, or of a body near it; all as they are now."""
    bones = deforming_bones(rig)
    numbers = {bone.name: number for number, bone in enumerate(bones)}
    near = np.zeros(len(bones), bool)
    near[bone_weights(obj, numbers).bones] = True
    points = _in_world(obj)
    if not len(points):
        return []
    reach = REACH * float(np.linalg.norm(np.ptp(points, axis=0)))
    low, high, tree = points.min(axis=0) - reach, points.max(axis=0) + reach, _tree_of(points, FINE * reach)
    left = MOST_COPIED
    for bodies in _by_mesh(_bodies_of(rig, obj)):
        rows = bone_weights(bodies[0], numbers)  # the mesh has them: they are the others', too
        held = rows.weights >= CARRIED
        vertices, owners = rows.vertices[held], rows.bones[held]
        for number, body in enumerate(bodies):
            sought = ~near[owners]
            vertices, owners = vertices[sought], owners[sought]
            left -= len(mesh_data(body).vertices) if number else 0
            if not len(owners) or left < 0:
                break
            places = _in_world(body)
            away = np.full(len(places), np.inf)
            some = np.flatnonzero(((places >= low) & (places <= high)).all(axis=1))  # others are too far away
            away[some] = [tree.find(place)[2] for place in places[some].tolist()]
            near[owners[away[vertices] <= reach]] = True
    return [bone.name for bone, is_near in zip(bones, near, strict=True) if is_near]


def _tree_of(points: Doubles, fine: float) -> kdtree.KDTree:
    """One point of each cell so wide: a tree of many in one place is gone through whole."""
    cells = np.round(points / fine) if fine else np.zeros_like(points)
    some = points[np.unique(cells, axis=0, return_index=True)[1]]
    tree = kdtree.KDTree(len(some))
    for number, point in enumerate(some.tolist()):
        tree.insert(point, number)
    tree.balance()
    return tree


def _bodies_of(rig: bpy.types.Object, obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The other meshes that an armature carries."""
    for other in bpy.data.objects:
        carriers = [m.object for m in other.modifiers if isinstance(m, bpy.types.ArmatureModifier)]
        if other.type == "MESH" and other != obj and rig in carriers:
            yield other


def _by_mesh(bodies: Iterable[bpy.types.Object]) -> Iterable[list[bpy.types.Object]]:
    """Those that have one mesh together."""
    found = dict[int, list[bpy.types.Object]]()
    for body in bodies:
        found.setdefault(mesh_data(body).session_uid, []).append(body)
    return found.values()


def _in_world(obj: bpy.types.Object) -> Doubles:
    world = np.array(obj.matrix_world)
    return np.asarray(read_positions(mesh_data(obj)) @ world[:3, :3].T + world[:3, 3], np.float64)

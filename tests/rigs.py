"""A tube with a chain of bones in it, for tests of what follows bones."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Quaternion
from numpy.typing import NDArray

RING = 8  # vertices around
LENGTH = 2.0  # metres


def add_rig(bones: int, name: str = "Rig") -> bpy.types.Object:
    """Bones one on the other up the Z axis, each a child of the one below, turned about their own axes."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    parent, step = None, LENGTH / bones
    for i in range(bones):
        bone = data.edit_bones.new(f"bone{i}")
        bone.head, bone.tail, bone.roll = (0.0, 0.0, i * step), (0.02 * i, 0.0, (i + 1) * step), 0.4 * i
        bone.parent = parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def add_tube(rig: bpy.types.Object, rings: int = 9, name: str = "Tube") -> bpy.types.Object:
    """A tube around the chain whose vertices follow the two or three bones next to them, by an armature."""
    heights = np.linspace(0.0, LENGTH, rings)
    angles = 2.0 * np.pi * np.arange(RING) / RING
    ring = 0.2 * np.stack([np.cos(angles), np.sin(angles)], 1)
    points = [(x, y, z) for z in heights for x, y in ring]
    quads = [
        (r * RING + c, r * RING + (c + 1) % RING, (r + 1) * RING + (c + 1) % RING, (r + 1) * RING + c)
        for r in range(rings - 1)
        for c in range(RING)
    ]
    data = bpy.data.meshes.new(name)
    data.from_pydata(points, [], quads)
    tube = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(tube)
    bones = rig.data.bones
    for bone in bones:
        group = tube.vertex_groups.new(name=bone.name)
        middle, reach = (bone.head_local.z + bone.tail_local.z) / 2.0, 1.2 * bone.length
        for v, point in enumerate(points):
            near = 1.0 - abs(point[2] - middle) / reach
            if near > 0.0:
                group.add([v], near, "REPLACE")
    modifier = tube.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    return tube


def pose(rig: bpy.types.Object, seed: int, turn: float = 0.6, shift: float = 0.0) -> None:
    """Turn every bone about a random axis by up to so many radians, and shift it by up to so many metres."""
    rng = np.random.default_rng(seed)
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = Quaternion(rng.normal(size=3), turn * rng.uniform(-1.0, 1.0))
        bone.location = shift * rng.uniform(-1.0, 1.0, 3)


def shown(obj: bpy.types.Object) -> NDArray[np.float32]:
    """(V, 3) metres: the object's evaluated mesh, in world space."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", points.reshape(-1))
    world = np.array(evaluated.matrix_world)
    evaluated.to_mesh_clear()
    return points @ world[:3, :3].T + world[:3, 3]

"""A limb on the two bones of `scenes.add_rig`, its radius and its weights known at every height."""

from __future__ import annotations

from math import cos, pi, sin

import bpy
import numpy as np
from scenes import add_rig

RINGS, SIDES = 41, 24
BOTTOM, TOP = 0.30, 0.14  # radii at heights 0 and 2


def add_limb(name: str = "Limb", rig: bpy.types.Object | None = None, collides: bool = True):
    """A tapered tube of 2 m around both bones; between heights 0.9 and 1.1 they share it. Returns it, rig."""
    rig = rig or add_rig()
    heights = np.linspace(0.0, 2.0, RINGS)
    radii = BOTTOM + (TOP - BOTTOM) * heights / 2.0
    vertices = [
        (r * cos(2 * pi * k / SIDES), r * sin(2 * pi * k / SIDES), z)
        for z, r in zip(heights, radii, strict=True)
        for k in range(SIDES)
    ]
    faces = [
        (a + k, a + (k + 1) % SIDES, a + SIDES + (k + 1) % SIDES, a + SIDES + k)
        for a in range(0, (RINGS - 1) * SIDES, SIDES)
        for k in range(SIDES)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    limb = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(limb)
    lower, upper = (limb.vertex_groups.new(name=bone) for bone in ("lower", "upper"))
    for index, (_, _, z) in enumerate(vertices):
        share = float(np.clip((z - 0.9) / 0.2, 0.0, 1.0))
        lower.add([index], 1.0 - share, "REPLACE")
        upper.add([index], share, "REPLACE")
    limb.modifiers.new("Armature", "ARMATURE").object = rig
    if collides:
        limb.modifiers.new("Collision", "COLLISION")
    return limb, rig


def bend(rig: bpy.types.Object, angle: float) -> None:
    """Turn the upper bone about its own X axis."""
    bone = rig.pose.bones["upper"]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (angle, 0.0, 0.0)


def in_world(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """(V, 3): the evaluated vertices in world space."""
    evaluated = obj.evaluated_get(depsgraph)
    points = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
    world = np.array(evaluated.matrix_world)
    return points @ world[:3, :3].T + world[:3, 3]

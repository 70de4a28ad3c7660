"""Whether rigs are posed the same each time that a frame is evaluated.

Where constraints or drivers of bones go round in a circle, Blender begins with what the last evaluation left;
inverse kinematics by iTaSC do so by design in the mode Simulation. What a body learns from such bones it
would never meet again.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ....arrays import Floats
from ....errors import Problem
from ...settings.properties import settings_of
from .bone_joints import joint_moves, joints_of
from .reacting_bones import deforming_bones

SAME = 1e-4  # of a turn in radians, and of the rig's size


def check_rigs_repeat(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int) -> None:
    """Evaluate a frame twice, and go back to the one that is shown; without rigs nothing is done.

    Raises Problem("rig_not_repeatable").
    """
    rigs = [rig for rig in dict.fromkeys(_rigs_of(obj)) if deforming_bones(rig)]
    if not rigs:
        return
    shown = scene.frame_current
    scene.frame_set(frame)
    before = [_moves(scene, rig) for rig in rigs]
    for rig in rigs:
        rig.update_tag()
    scene.view_layers[0].update()
    for rig, moves in zip(rigs, before, strict=True):
        apart = np.abs(_moves(scene, rig) - moves)
        apart[:, :3, 3] /= max(rig.dimensions.length, 1e-9)
        worst = int(np.argmax(apart.max(axis=(1, 2))))
        if apart[worst].max() > SAME:
            bones = [bone.name for bone in deforming_bones(rig) for _ in joints_of(bone)]
            raise Problem("rig_not_repeatable", object=obj.name, rig=rig.name, bone=bones[worst], frame=frame)
    scene.frame_set(shown)


def _rigs_of(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """Armatures that an object reacts to, is framed by, or is carried by."""
    settings = settings_of(obj)
    armatures = (m.object for m in obj.modifiers if isinstance(m, bpy.types.ArmatureModifier))
    reacting = (item.object for item in settings.interactions)
    for other in (settings.frame_object, *armatures, *reacting):
        if other is not None and other.pose is not None:
            yield other


def _moves(scene: bpy.types.Scene, rig: bpy.types.Object) -> Floats:
    """(n, 4, 4): from rest, of every joint of the bones that deform."""
    depsgraph = scene.view_layers[0].depsgraph
    assert depsgraph is not None  # the frame was just set
    joints = [joint for bone in deforming_bones(rig) for joint in joints_of(bone)]
    return joint_moves(rig.evaluated_get(depsgraph), joints)

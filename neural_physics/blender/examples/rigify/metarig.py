"""What Rigify makes of one of its metarigs. Enables it: for a Blender that is nobody's."""

from __future__ import annotations

import addon_utils
import bpy

from ....errors import Problem

ADD_ON = "rigify"


def generate(metarig: str) -> bpy.types.Object:
    """The rig that Rigify makes of what an operator of its own adds, such as `armature_human_metarig_add`.

    The metarig is gone again. Raises Problem("rigify_missing").
    """
    # Unless it is among the preferences' add-ons, Rigify does not find its own settings.
    if addon_utils.enable(ADD_ON, default_set=True) is None:
        raise Problem("rigify_missing")
    getattr(bpy.ops.object, metarig)()
    drawn = bpy.context.object
    assert drawn is not None  # it was just added
    before = set(bpy.data.objects)
    bpy.ops.pose.rigify_generate()  # type: ignore[attr-defined]
    rig = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE" and obj not in before)
    armature = drawn.data
    bpy.data.objects.remove(drawn)
    assert isinstance(armature, bpy.types.Armature)
    bpy.data.armatures.remove(armature)
    return rig


def remove_scripts(rig: bpy.types.Object) -> None:
    """Delete the text that Rigify leaves with a rig, which a property of the rig keeps.

    It draws a panel of buttons, and Blender would run it whenever the .blend is opened. No example brings
    Python into anybody's file; the rig poses without it.
    """
    for name in [name for name, value in rig.items() if isinstance(value, bpy.types.Text)]:
        del rig[name]
    for text in list(bpy.data.texts):  # there is no other
        bpy.data.texts.remove(text)

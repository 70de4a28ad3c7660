"""The curves of an action's slot."""

from __future__ import annotations

import bpy


def curves_of_slot(action: bpy.types.Action, handle: int) -> list[bpy.types.FCurve]:
    """All of them, of every layer. What a later Blender has put beside its strips of keys is passed over."""
    strips = [strip for layer in action.layers for strip in layer.strips]
    bags = [bag for strip in strips for bag in getattr(strip, "channelbags", ())]
    return [curve for bag in bags if bag.slot_handle == handle for curve in bag.fcurves]


def curves_played(animation: bpy.types.AnimData) -> list[bpy.types.FCurve]:
    """Those of the slot that is played now, none where there is none."""
    action, slot = animation.action, animation.action_slot
    return [] if action is None or slot is None else curves_of_slot(action, slot.handle)

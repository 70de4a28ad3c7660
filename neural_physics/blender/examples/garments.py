"""What garments have in common: cloth on a character that does one action after the other."""

from __future__ import annotations

import bpy

from ..capsule_fitting import fit_capsules
from ..properties import settings_of
from .character import follow_bone
from .character_motion import add_actions, play_in_turn
from .parts import add_interaction, cotton


def dress(
    scene: bpy.types.Scene, garment: bpy.types.Object, rig: bpy.types.Object, carrier: str, frame: str
) -> None:
    """Let a garment be simulated, and learned from what the character does.

    carrier: the bone that carries its vertex group "Pins". frame: the bone in whose axes it is learned
    (Holden 2019, section 5.1: the neck for a cape, the hips for a skirt). The scene ends with the last
    action.
    """
    follow_bone(garment, rig, carrier)
    scene.frame_end = play_in_turn(rig, add_actions(rig))
    cotton(garment, "Pins", scene.frame_end)
    settings = settings_of(garment)
    add_interaction(garment, rig).motion = "ACTIONS"
    settings.frame_object, settings.frame_bone = rig, frame
    settings.moving_frame, settings.use_ground = True, True
    fit_capsules(garment, [rig])

"""What garments have in common: cloth on a character that does one action after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy

from ...modelling.capsule_fitting import fit_capsules
from ...settings.properties import settings_of
from ..characters.character_motion import ACTIONS
from ..characters.posing import Key, perform
from ..limbs import follow_bone
from ..parts import add_interaction, cotton

KEPT_FOR_TESTING = "Walk"  # every part of which other actions have, each its own way
TAKE_FRAMES = 2000  # every action twice
VARIATION = 0.4  # what was learned from one way to run alone would not hold for a walk
CLEARANCE = 0.012  # of the cloth from the skin of what it lies on, metres
DEPTH_LIMIT = 0.08  # metres, in a capsule: a hem through which a leg swings gets that deep into a thigh


def dress(
    scene: bpy.types.Scene,
    garment: bpy.types.Object,
    rig: bpy.types.Object,
    carrier: str,
    *,
    frame: str,
    poses: Mapping[str, Sequence[Key]] = ACTIONS,
    root: str = "",
) -> bpy.types.ClothModifier:
    """Let a garment be simulated, and learned from what the character does.

    carrier: the bone that carries its vertex group "Pins". frame: the bone in whose axes it is learned
    (Holden 2019, section 5.1: the neck for a cape, the hips for a skirt). poses, root: see `perform`. The
    scene ends with the last action. Returns its cloth.
    """
    follow_bone(garment, rig, carrier)
    actions = perform(scene, rig, poses, root)
    cloth = cotton(garment, "Pins", scene.frame_end)
    cloth.collision_settings.distance_min = CLEARANCE
    settings = settings_of(garment)
    item = add_interaction(garment, rig)
    item.motion, item.variation = "ACTIONS", VARIATION
    item.test_action = actions[list(poses).index(KEPT_FOR_TESTING)].name
    settings.frame_object, settings.frame_bone = rig, frame
    settings.moving_frame, settings.use_ground = True, True
    settings.take_frames = TAKE_FRAMES
    # The cloth keeps off the skin, so that capsules around all of the body never push what is right.
    settings.projection.share, settings.projection.depth_limit = 1.0, DEPTH_LIMIT
    fit_capsules(garment, [rig])
    return cloth

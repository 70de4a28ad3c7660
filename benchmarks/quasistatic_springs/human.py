"""MakeHuman's body on its own rig, made of the soft character's flesh: one that nothing here was tuned for.

The same human as that of the tests, at full resolution, with two actions of random keys.
"""

from __future__ import annotations

import sys

import bpy
import numpy as np

from neural_physics.blender.examples.characters.flesh import soften
from neural_physics.blender.examples.characters.soft_character import TETRAHEDRA, YOUNG
from neural_physics.blender.examples.parts import add_interaction
from neural_physics.blender.settings.properties import settings_of
from neural_physics.methods.quasistatic_springs import specification as quasistatic_springs
from tools.workshop import ROOT

sys.path.insert(0, str(ROOT / "tests"))

import human

BONE_RADIUS = 0.03  # metres: its limbs are half as thick as the soft character's
STEP = 8  # frames from key to key
# Of both actions: seed; frames; by how much joints are turned, radians, and all is shifted, metres, at most.
ACTIONS = {"Random Keys": (1, 88, 0.3, 0.10), "Other Random Keys": (2, 88, 0.25, 0.12)}


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """The human with its actions; returns its body."""
    body, rig = human.add_human()
    soften(body, BONE_RADIUS, YOUNG, TETRAHEDRA)
    for name, (seed, frames, turn, shift) in ACTIONS.items():
        _add_action(rig, name, np.random.default_rng(seed), frames, turn=turn, shift=shift)
    settings_of(body).method = quasistatic_springs.SPECIFICATION.id
    add_interaction(body, rig).motion = "ACTIONS"
    scene.frame_end = max(frames for _, frames, _, _ in ACTIONS.values())
    return body


def _add_action(
    rig: bpy.types.Object, name: str, rng: np.random.Generator, frames: int, *, turn: float, shift: float
) -> None:
    """Random keys between two at rest; the rig is left without the action, standing."""
    animation, armature = rig.animation_data_create(), rig.pose
    assert animation is not None and armature is not None  # an armature has both
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    animation.action = action
    for frame in range(1, frames + 1, STEP):
        still = frame == 1 or frame + STEP > frames
        rig.location = (0.0, 0.0, 0.0) if still else tuple(rng.uniform(-shift, shift, 3))
        rig.keyframe_insert("location", frame=frame)
        for bone in (armature.bones[each] for each in human.MOVED):
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = (0.0, 0.0, 0.0) if still else tuple(rng.uniform(-turn, turn, 3))
            bone.keyframe_insert("rotation_euler", frame=frame)
    animation.action = None
    rig.location = (0.0, 0.0, 0.0)
    for posed in armature.bones:
        posed.rotation_euler = (0.0, 0.0, 0.0)

"""What bodies of flesh on bones have in common: what they are made of, and what they learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy

from ....methods.quasistatic_springs import specification as quasistatic_springs
from ...settings.properties import settings_of
from ..parts import add_interaction, simulate_as
from .posing import Key, perform

TAKE_FRAMES = 120  # the longest action, and some of another
STEPS = 2  # one alone brakes flesh that swings four times a second too much


def soften(body: bpy.types.Object, bone_radius: float, young: float, tetrahedra: int) -> None:
    """Let the bundled solver simulate a body as flesh, held by the bones of its armature.

    bone_radius, m: how near to a bone it goes with the bone. young, Pa.
    """
    simulation = simulate_as(body, "SOLID", "flesh")
    simulation.pins = ""
    simulation.bone_radius, simulation.young = bone_radius, young
    simulation.tetrahedra, simulation.steps = tetrahedra, STEPS


def learn_to_jiggle(
    scene: bpy.types.Scene,
    body: bpy.types.Object,
    rig: bpy.types.Object,
    poses: Mapping[str, Sequence[Key]],
    *,
    kept: str,
    root: str = "",
) -> None:
    """Let springs learn a body from what its rig does; the scene shows one action after the other.

    kept: the action for testing alone. root: see `perform`.
    """
    actions = perform(scene, rig, poses, root)
    settings = settings_of(body)
    settings.method, settings.take_frames = quasistatic_springs.SPECIFICATION.id, TAKE_FRAMES
    item = add_interaction(body, rig)
    item.motion, item.test_action = "ACTIONS", actions[list(poses).index(kept)].name

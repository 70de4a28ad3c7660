"""Soft Character: a stout figure of flesh on bones, which does jumping jacks (as in Jin 2022)."""

from __future__ import annotations

from dataclasses import replace

import bpy

from ..blobs import Ball, melted
from ..limbs import Limb, add_rig, balls_along, bind, with_both_sides
from ..stage import CLAY, View, add_mesh, open_stage
from .character import LEFT, TRUNK
from .flesh import learn_to_jiggle, soften
from .soft_character_motion import ACTIONS

RESOLUTION = 0.035  # of the body's faces, metres
BLEND = 0.04  # metres, of the weights of neighbouring bones
KEPT_FOR_TESTING = "Walk"
# m; Pa: at 12 kPa the belly hung 6 cm and swung twice a second, as often as jumping jacks jump.
BONE_RADIUS, YOUNG, TETRAHEDRA = 0.045, 3e4, 8_000
STOUT = 1.35  # as thick as the other character
# Head and tail radii, metres, where that would be too little or too much.
RADII = {
    "hips": (0.20, 0.22),
    "spine": (0.22, 0.22),
    "chest": (0.21, 0.12),
    "neck": (0.085, 0.08),
    "head": (0.11, 0.125),
    "thigh": (0.135, 0.095),
    "upper_arm": (0.095, 0.082),
    "forearm": (0.078, 0.058),
    "hand": (0.06, 0.06),
    "shin": (0.095, 0.066),
    "foot": (0.068, 0.056),
}
ASIDE = 0.055  # metres: how much wider apart arms and legs are, for thighs not to melt together
# Heads and tails, metres, of arms held away from the body: skin between the two could not stretch so far
# as jumping jacks ask for.
ARMS = {
    "upper_arm": ((0.225, 0.0, 1.41), (0.46, 0.0, 1.275)),
    "forearm": ((0.46, 0.0, 1.275), (0.67, -0.03, 1.145)),
    "hand": ((0.67, -0.03, 1.145), (0.76, -0.05, 1.08)),
}


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """A figure of 1.8 m with a belly, on its own rig; returns its body."""
    view = View(camera=(1.9, -4.9, 1.45), target=(0.0, 0.0, 0.98), lens=72.0)
    collection = open_stage(scene, "Soft Character", view, ground=0.0, frames=1)
    limbs = with_both_sides([_stout(limb) for limb in TRUNK], [_aside(_stout(limb)) for limb in LEFT])
    rig = add_rig(scene, collection, "Soft Character", limbs)
    body = add_mesh(
        collection, "Soft Body", melted([*balls_along(limbs), *_flesh()], RESOLUTION), CLAY, roughness=0.5
    )
    bind(body, rig, limbs, BLEND)
    soften(body, BONE_RADIUS, YOUNG, TETRAHEDRA)
    learn_to_jiggle(scene, body, rig, ACTIONS, kept=KEPT_FOR_TESTING)
    return body


def _stout(limb: Limb) -> Limb:
    head, tail = RADII.get(limb.name, (STOUT * limb.head_radius, STOUT * limb.tail_radius))
    return replace(limb, head_radius=head, tail_radius=tail)


def _aside(limb: Limb) -> Limb:
    shifted = ((x + ASIDE, y, z) for x, y, z in (limb.head, limb.tail))
    head, tail = ARMS.get(limb.name, shifted)
    return replace(limb, head=head, tail=tail)


def _flesh() -> list[Ball]:
    """Belly, breasts, armpits, buttocks and a nose."""
    belly: list[Ball] = [((0.0, -0.13, 1.08), 0.19), ((0.0, -0.10, 1.20), 0.16)]
    pairs = [((0.10, -0.11, 1.34), 0.095), ((0.22, 0.0, 1.31), 0.06), ((0.10, 0.11, 0.95), 0.13)]
    nose: Ball = ((0.0, -0.125, 1.64), 0.03)
    return [*belly, *(((s * x, y, z), r) for (x, y, z), r in pairs for s in (1.0, -1.0)), nose]

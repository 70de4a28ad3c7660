"""Rigify Human: the rig that Rigify makes of its human, in a body of soft flesh, and a skirt."""

from __future__ import annotations

from math import cos, pi, sin
from typing import cast

import bpy
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...modelling.layer_editing import add_layers
from ...scene.rigs.reacting_bones import choose_bones
from ...scene.setting_up import bones_that_matter
from ...scene.sources import mesh_data
from ...settings.properties import settings_of
from ..blobs import Ball, melted
from ..characters.flesh import learn_to_jiggle, soften
from ..cloth.garment_shapes import flared
from ..cloth.garments import KEPT_FOR_TESTING, dress
from ..limbs import Limb, balls_along, bind
from ..parts import pin
from ..stage import CLAY, MOSS, Point, View, add_mesh, open_stage
from .generating import Generation
from .human_motion import ACTIONS, ROOT

METARIG = "armature_basic_human_metarig_add"  # without fingers and face, of which a body of balls has none
NAME, RIG = "Rigify Human", "Rigify Human Rig"
DEFORMING = "DEF-"  # what Rigify has before the names of bones that deform
LIMBS = ("upper_arm_parent", "thigh_parent")  # controls that have the switch between IK and FK
SHOWN = ("Torso", "Arm.L (FK)", "Arm.R (FK)", "Leg.L (FK)", "Leg.R (FK)", "Root")  # of the controls
# Radii, metres, around the heads and tails of deforming bones; those of the left stand for both sides.
TRUNK = {
    "spine": (0.085, 0.150),
    "spine.001": (0.160, 0.155),
    "spine.002": (0.155, 0.150),
    "spine.003": (0.150, 0.080),
    "spine.004": (0.070, 0.066),
    "spine.005": (0.070, 0.085),
    "spine.006": (0.095, 0.050),
}
LEFT = {
    "pelvis": (0.085, 0.085),
    "breast": (0.085, 0.080),
    "shoulder": (0.070, 0.075),
    "upper_arm": (0.076, 0.066),
    "upper_arm.001": (0.066, 0.057),
    "forearm": (0.056, 0.050),
    "forearm.001": (0.050, 0.040),
    "hand": (0.042, 0.044),
    # So thin that the two do not melt together: skin between them could not stretch as far as steps ask for.
    "thigh": (0.098, 0.082),
    "thigh.001": (0.082, 0.070),
    "shin": (0.070, 0.066),
    "shin.001": (0.066, 0.046),
    "foot": (0.052, 0.046),
    "toe": (0.046, 0.038),
}
RESOLUTION = 0.032  # of the body's faces, metres
BLEND = 0.03  # metres, of the weights of neighbouring bones
BONE_RADIUS, YOUNG, TETRAHEDRA = 0.045, 3e4, 8_000  # m; Pa
SKIN = 0.008  # of the collider, metres
CENTRE, WAIST = 0.02, 1.13  # metres along Y and Z: where the skirt is held
OFF = 0.022  # of the waist from the body, metres: as far as cloth keeps off it
BENDING = 2.0  # of cloth too heavy for small folds
HEM = (0.40, 0.62)  # radius and height, metres
# A cone falls into folds that lie elsewhere each time; these are sewn in, so many and so deep at the hem, m.
PLEATS, DEEP = 8, 0.04


def build(scene: bpy.types.Scene) -> bpy.types.Object:
    """Let the rig be made, wait for it, and go on with `finish`. Raises what that does."""
    making = begin()
    making.wait()
    return finish(scene, making)


def begin() -> Generation:
    """The rig, as it can be made in the background."""
    return Generation(METARIG)


def finish(scene: bpy.types.Scene, making: Generation, sides: int = 64) -> bpy.types.Object:
    """The rig that was made, a body of flesh that follows it, and a skirt of sides x 3 sides / 8 vertices.

    Returns the skirt. Raises what `Generation.rig` does.
    """
    try:
        rig = making.rig()
    finally:
        making.close()
    view = View(camera=(2.1, -5.4, 1.5), target=(0.0, 0.0, 1.03), lens=80.0)
    collection = open_stage(scene, NAME, view, ground=0.0, frames=1)
    _make_ready(rig)
    collection.objects.link(rig)
    limbs = limbs_of(rig)
    body = add_mesh(
        collection, "Body", melted([*balls_along(limbs), *_flesh()], RESOLUTION), CLAY, roughness=0.55
    )
    bind(body, rig, limbs, BLEND)
    body.modifiers.new("Collision", "COLLISION")
    cast(bpy.types.CollisionSettings, body.collision).thickness_outer = SKIN
    soften(body, BONE_RADIUS, YOUNG, TETRAHEDRA)
    learn_to_jiggle(scene, body, rig, ACTIONS, kept=KEPT_FOR_TESTING, root=ROOT)
    shape = flared(_around(body, sides), _pleated(sides), 3 * sides // 8, looks_out=True)
    skirt = add_mesh(collection, "Skirt", shape, MOSS, roughness=0.75)
    pin(skirt, "Pins", range(sides))
    _hang(scene, skirt, rig, body)
    return skirt


def limbs_of(rig: bpy.types.Object) -> list[Limb]:
    """What is around each bone that deforms."""
    bones = cast(bpy.types.Armature, rig.data).bones
    radii = {**TRUNK, **{_sided(name, side): pair for name, pair in LEFT.items() for side in "LR"}}
    limbs = []
    for name, (head_radius, tail_radius) in radii.items():
        bone = bones[DEFORMING + name]
        head, tail = (cast(Point, end.to_tuple()) for end in (bone.head_local, bone.tail_local))
        limbs.append(Limb(bone.name, "", head, tail, head_radius=head_radius, tail_radius=tail_radius))
    return limbs


def _sided(name: str, side: str) -> str:
    """As Rigify names it: the side stands before the number."""
    first, dot, number = name.partition(".")
    return f"{first}.{side}{dot}{number}"


def _make_ready(rig: bpy.types.Object) -> None:
    """Let FK turn its limbs, as the actions do, and show the controls that do something then."""
    data = cast(bpy.types.Armature, rig.data)
    rig.name = data.name = RIG  # not the name of the collection, which an instance in a shot takes
    assert rig.pose is not None  # an armature has one
    for control in LIMBS:
        for side in "LR":
            rig.pose.bones[f"{control}.{side}"]["IK_FK"] = 1.0
    for shown in data.collections_all:
        shown.is_visible = shown.name in SHOWN


def _flesh() -> list[Ball]:
    """A belly, buttocks, hands, heels and a face."""
    belly: list[Ball] = [((0.0, -0.12, 1.24), 0.165), ((0.0, -0.10, 1.35), 0.14), ((0.0, -0.07, 1.15), 0.14)]
    pairs = [
        ((0.095, 0.10, 1.02), 0.112),
        ((0.755, 0.036, 1.235), 0.040),
        ((0.098, 0.045, 0.045), 0.042),
    ]
    head: list[Ball] = [
        ((0.0, -0.035, 1.845), 0.118),
        ((0.0, -0.02, 1.905), 0.112),
        ((0.0, -0.165, 1.845), 0.03),
    ]
    return [*belly, *head, *(((s * x, y, z), r) for (x, y, z), r in pairs for s in (1.0, -1.0))]


def _hang(
    scene: bpy.types.Scene, skirt: bpy.types.Object, rig: bpy.types.Object, body: bpy.types.Object
) -> None:
    """Let cloth hang from the hips, and learn it."""
    hips = DEFORMING + "spine"
    cloth = dress(scene, skirt, rig, hips, frame=hips, poses=ACTIONS, root=ROOT)
    # Else a stride leaves folds behind that pass through each other and do not come undone.
    cloth.collision_settings.use_self_collision, cloth.collision_settings.self_distance_min = True, 0.008
    cloth.settings.bending_stiffness = BENDING
    settings = settings_of(skirt)
    item = settings.interactions[0]
    choose_bones(item, bones_that_matter(skirt, item))
    # The belly swings beyond what capsules on bones know of.
    settings.capsules.clear()
    add_layers(skirt, [body])


def _pleated(sides: int) -> list[Point]:
    """The outline of the skirt's hem."""
    radius, height = HEM
    turns = [2.0 * pi * i / sides for i in range(sides)]
    radii = [radius + DEEP * cos(PLEATS * turn) for turn in turns]
    return [(r * cos(turn), r * sin(turn), height) for r, turn in zip(radii, turns, strict=True)]


def _around(body: bpy.types.Object, sides: int) -> list[Point]:
    """The outline of the skirt's waist, a little off the body."""
    mesh = mesh_data(body)
    places = [vertex.co.to_tuple() for vertex in mesh.vertices]
    tree = BVHTree.FromPolygons(places, [tuple(face.vertices) for face in mesh.polygons])
    assert tree is not None  # there are polygons
    middle = Vector((0.0, CENTRE, WAIST))
    outline = []
    for turn in (2.0 * pi * i / sides for i in range(sides)):
        outwards = Vector((cos(turn), sin(turn), 0.0))
        place = tree.ray_cast(middle, outwards)[0]
        assert place is not None  # the body is closed
        outline.append(cast(Point, (place + OFF * outwards).to_tuple()))
    return outline

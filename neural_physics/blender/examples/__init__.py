"""Example scenes made from Blender's own content, ready for Bake (four of Holden 2019, section 7)."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from .characters import soft_animal, soft_character
from .cloth import (
    ball_and_sheet,
    cape,
    cloth_over_objects,
    cloth_shell,
    flag,
    flag_levels,
    four_pins,
    pinned_cloth,
    skirt,
)
from .solids import (
    bunny,
    bunny_with_core,
    cantilever,
    dragon,
    ears,
    finger,
    flat_jelly,
    hanging_figure,
    jelly,
    microstructures,
    soft_body_ball,
    worm,
)
from .strands import hair_tuft, sliding_hair, turning_hair

# What a menu shows: identifier, label, description.
EXAMPLES: list[tuple[str, str, str]] = [
    ("BALL_AND_SHEET", "Ball & Sheet", "A hanging sheet, and a ball that runs into it"),
    ("FOUR_PINS", "Four Pins", "A sheet held at its corners by four Empties"),
    ("FLAG", "Flag", "A flag on a pole, in a wind that shifts and swells"),
    ("SOFT_BODY_BALL", "Soft Body Ball", "A rubber ball squashed and shoved by a hard one"),
    ("CAPE", "Cape", "A cape on the shoulders of a character that walks, jumps and bows"),
    ("SKIRT", "Skirt", "A skirt on the hips of a character that walks, jumps and bows"),
    ("JELLY", "Jelly", "A jelly on a plate to shake; simulated by the bundled solver"),
    ("BUNNY", "Bunny", "A soft animal, and a ball to strike it with; simulated by the bundled solver"),
    ("DRAGON", "Dragon", "A long soft body, and Suzanne to strike it with; simulated by the bundled solver"),
    ("CANTILEVER", "Cantilever", "A rubber beam in a clamp; simulated by the bundled solver"),
    ("HAIR_TUFT", "Hair Tuft", "Strands on a head to turn and shake; simulated by the bundled solver"),
    ("CLOTH_SHELL", "Cloth Shell", "A sheet in two hands, and a ball; simulated by the bundled solver"),
    ("PINNED_CLOTH", "Pinned Cloth", "A small sheet on a bar to slide; simulated by the bundled solver"),
    ("SLIDING_HAIR", "Sliding Hair", "Strands below a cube to slide; simulated by the bundled solver"),
    ("TURNING_HAIR", "Turning Hair", "Strands on a cube to turn; simulated by the bundled solver"),
    (
        "HANGING_FIGURE",
        "Hanging Figure",
        "A soft creature on a bar to swing; simulated by the bundled solver",
    ),
    ("EARS", "Ears", "Soft ears on a hard head that nods; simulated by the bundled solver"),
    ("JELLY_WITH_CIRCLE", "Jelly with Circle", "A flat jelly and a wheel; simulated by the bundled solver"),
    ("JELLY_WITH_COMB", "Jelly with Comb", "A flat jelly and a comb; simulated by the bundled solver"),
    ("JELLY_WITH_STAR", "Jelly with Star", "A flat jelly and a star; simulated by the bundled solver"),
    ("ACCORDION", "Accordion", "Alternating stiff and soft stripes to pull; simulated by the bundled solver"),
    ("AUXETIC", "Auxetic", "A body that thickens when pulled; simulated by the bundled solver"),
    (
        "WORM",
        "Worm",
        "Three bones in soft flesh, to steer between posts; simulated by the bundled solver",
    ),
    (
        "FINGER",
        "Finger",
        "Soft tissue around bones, with balls of four sizes; simulated by the bundled solver",
    ),
    (
        "BUNNY_WITH_CORE",
        "Bunny with Core",
        "Soft flesh around a stiff core, with handles on its skin; simulated by the bundled solver",
    ),
    ("FLAG_LEVELS", "Hierarchical Flag", "A detailed flag whose coarsest level is simulated during playback"),
    ("CLOTH_OVER_OBJECTS", "Cloth over Objects", "A cloth to drag over balls, with adjustable stiffness"),
    ("SOFT_CHARACTER", "Soft Character", "A stout, fleshy character that does jumping jacks"),
    ("SOFT_ANIMAL", "Soft Animal", "A fleshy dog that trots, leaps and shakes itself"),
]
_BUILDERS: dict[str, Callable[[bpy.types.Scene], bpy.types.Object]] = {
    "BALL_AND_SHEET": ball_and_sheet.build,
    "FOUR_PINS": four_pins.build,
    "FLAG": flag.build,
    "SOFT_BODY_BALL": soft_body_ball.build,
    "CAPE": cape.build,
    "SKIRT": skirt.build,
    "JELLY": jelly.build,
    "BUNNY": bunny.build,
    "DRAGON": dragon.build,
    "CANTILEVER": cantilever.build,
    "HAIR_TUFT": hair_tuft.build,
    "CLOTH_SHELL": cloth_shell.build,
    "PINNED_CLOTH": pinned_cloth.build,
    "SLIDING_HAIR": sliding_hair.build,
    "TURNING_HAIR": turning_hair.build,
    "HANGING_FIGURE": hanging_figure.build,
    "EARS": ears.build,
    "JELLY_WITH_CIRCLE": flat_jelly.circle,
    "JELLY_WITH_COMB": flat_jelly.comb,
    "JELLY_WITH_STAR": flat_jelly.star,
    "ACCORDION": microstructures.accordion,
    "AUXETIC": microstructures.auxetic,
    "WORM": worm.build,
    "FINGER": finger.build,
    "BUNNY_WITH_CORE": bunny_with_core.build,
    "FLAG_LEVELS": flag_levels.build,
    "CLOTH_OVER_OBJECTS": cloth_over_objects.build,
    "SOFT_CHARACTER": soft_character.build,
    "SOFT_ANIMAL": soft_animal.build,
}


def build(name: str, scene: bpy.types.Scene) -> bpy.types.Object:
    """Add one example, light and camera included, to a scene; returns its simulated object.

    name: an identifier of `EXAMPLES`.
    """
    return _BUILDERS[name](scene)

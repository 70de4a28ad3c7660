"""Example scenes made from Blender's own content, ready for Bake (the scenes of Holden 2019, section 7)."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from . import ball_and_sheet, flag, four_pins, soft_body_ball

# What a menu shows: identifier, label, description.
EXAMPLES: list[tuple[str, str, str]] = [
    ("BALL_AND_SHEET", "Ball & Sheet", "A hanging sheet, and a ball that runs into it"),
    ("FOUR_PINS", "Four Pins", "A sheet held at its corners by four Empties"),
    ("FLAG", "Flag", "A flag on its pole, in a wind that turns and swells"),
    ("SOFT_BODY_BALL", "Soft Body Ball", "A rubber ball that a hard one squashes and shoves"),
]
_BUILDERS: dict[str, Callable[[bpy.types.Scene], bpy.types.Object]] = {
    "BALL_AND_SHEET": ball_and_sheet.build,
    "FOUR_PINS": four_pins.build,
    "FLAG": flag.build,
    "SOFT_BODY_BALL": soft_body_ball.build,
}


def build(name: str, scene: bpy.types.Scene) -> bpy.types.Object:
    """Add one example, light and camera included, to a scene; returns its simulated object.

    name: an identifier of `EXAMPLES`.
    """
    return _BUILDERS[name](scene)

"""Example scenes made from Blender's own content, ready for Bake (four of Holden 2019, section 7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from ...edition import FULL
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
    three_garments,
)
from .rigify import human
from .rigify.generating import Generation
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

GROUPS = [
    ("CLOTH", "Cloth", "Sheets and flags"),
    ("CHARACTERS", "Characters", "Garments, and flesh on bones"),
    ("SOLIDS", "Solids", "Rubber, jelly and soft bodies"),
    ("STRANDS", "Hair", "Strands"),
]


@dataclass(frozen=True)
class InBackground:
    """What another Blender makes of an example, for seconds: begun, and built once that has ended."""

    begin: Callable[[], Generation]
    finish: Callable[[bpy.types.Scene, Generation], bpy.types.Object]


@dataclass(frozen=True)
class Example:
    """One example scene.

    description: a line for its tooltip. group: an identifier of `GROUPS`. build: adds it, light and camera
    included, to a scene; returns its simulated object. full: whether baking or training it needs the full
    edition. solver: whether the bundled solver simulates it. background: how it is built without waiting for
    what takes seconds; None where nothing does.
    """

    label: str
    description: str
    group: str
    build: Callable[[bpy.types.Scene], bpy.types.Object]
    full: bool = False
    solver: bool = False
    background: InBackground | None = None

    @property
    def tooltip(self) -> str:
        """The description, and what simulates it where that is not Blender."""
        return f"{self.description}; simulated by the bundled solver" if self.solver else self.description


ALL = {
    "BALL_AND_SHEET": Example(
        "Ball & Sheet", "A hanging sheet, and a ball that runs into it", "CLOTH", ball_and_sheet.build
    ),
    "FOUR_PINS": Example(
        "Four Pins", "A sheet held at its corners by four Empties", "CLOTH", four_pins.build
    ),
    "FLAG": Example(
        "Flag", "A flag on a pole to move, in a wind that shifts and swells", "CLOTH", flag.build
    ),
    "SOFT_BODY_BALL": Example(
        "Soft Body Ball", "A rubber ball squashed and shoved by a hard one", "SOLIDS", soft_body_ball.build
    ),
    "CAPE": Example(
        "Cape", "A cape on the shoulders of a character that walks, jumps and bows", "CHARACTERS", cape.build
    ),
    "SKIRT": Example(
        "Skirt", "A skirt on the hips of a character that walks, jumps and bows", "CHARACTERS", skirt.build
    ),
    "JELLY": Example("Jelly", "A jelly on a plate to shake", "SOLIDS", jelly.build, full=True, solver=True),
    "BUNNY": Example(
        "Bunny", "A soft animal, and a ball to strike it with", "SOLIDS", bunny.build, full=True, solver=True
    ),
    "DRAGON": Example(
        "Dragon",
        "A long soft body, and Suzanne to strike it with",
        "SOLIDS",
        dragon.build,
        full=True,
        solver=True,
    ),
    "CANTILEVER": Example(
        "Cantilever", "A rubber beam in a clamp", "SOLIDS", cantilever.build, full=True, solver=True
    ),
    "HAIR_TUFT": Example(
        "Hair Tuft", "Strands on a head to turn and shake", "STRANDS", hair_tuft.build, full=True, solver=True
    ),
    "CLOTH_SHELL": Example(
        "Cloth Shell", "A sheet in two hands, and a ball", "CLOTH", cloth_shell.build, full=True, solver=True
    ),
    "PINNED_CLOTH": Example(
        "Pinned Cloth", "A small sheet on a bar to slide", "CLOTH", pinned_cloth.build, full=True, solver=True
    ),
    "SLIDING_HAIR": Example(
        "Sliding Hair", "Strands below a cube to slide", "STRANDS", sliding_hair.build, full=True, solver=True
    ),
    "TURNING_HAIR": Example(
        "Turning Hair", "Strands on a cube to turn", "STRANDS", turning_hair.build, full=True, solver=True
    ),
    "HANGING_FIGURE": Example(
        "Hanging Figure",
        "A soft creature on a bar to swing",
        "SOLIDS",
        hanging_figure.build,
        full=True,
        solver=True,
    ),
    "EARS": Example(
        "Ears", "Soft ears on a hard head that nods", "SOLIDS", ears.build, full=True, solver=True
    ),
    "JELLY_WITH_CIRCLE": Example(
        "Jelly with Circle", "A flat jelly and a wheel", "SOLIDS", flat_jelly.circle, full=True, solver=True
    ),
    "JELLY_WITH_COMB": Example(
        "Jelly with Comb", "A flat jelly and a comb", "SOLIDS", flat_jelly.comb, full=True, solver=True
    ),
    "JELLY_WITH_STAR": Example(
        "Jelly with Star", "A flat jelly and a star", "SOLIDS", flat_jelly.star, full=True, solver=True
    ),
    "ACCORDION": Example(
        "Accordion",
        "Alternating stiff and soft stripes to pull",
        "SOLIDS",
        microstructures.accordion,
        full=True,
        solver=True,
    ),
    "AUXETIC": Example(
        "Auxetic",
        "A body that thickens when pulled",
        "SOLIDS",
        microstructures.auxetic,
        full=True,
        solver=True,
    ),
    "WORM": Example(
        "Worm",
        "Three bones in soft flesh, to steer between posts",
        "SOLIDS",
        worm.build,
        full=True,
        solver=True,
    ),
    "FINGER": Example(
        "Finger",
        "Soft tissue around bones, with balls of four sizes",
        "SOLIDS",
        finger.build,
        full=True,
        solver=True,
    ),
    "BUNNY_WITH_CORE": Example(
        "Bunny with Core",
        "Soft flesh around a stiff core, with handles on its skin",
        "SOLIDS",
        bunny_with_core.build,
        full=True,
        solver=True,
    ),
    "FLAG_LEVELS": Example(
        "Hierarchical Flag",
        "A detailed flag whose coarsest level is simulated during playback",
        "CLOTH",
        flag_levels.build,
        full=True,
    ),
    "CLOTH_OVER_OBJECTS": Example(
        "Cloth over Objects",
        "A cloth to drag over balls, with adjustable stiffness",
        "CLOTH",
        cloth_over_objects.build,
        full=True,
    ),
    "SOFT_CHARACTER": Example(
        "Soft Character",
        "A stout, fleshy character that does jumping jacks",
        "CHARACTERS",
        soft_character.build,
        full=True,
    ),
    "SOFT_ANIMAL": Example(
        "Soft Animal",
        "A fleshy dog that trots, leaps and shakes itself",
        "CHARACTERS",
        soft_animal.build,
        full=True,
    ),
    "THREE_GARMENTS": Example(
        "Three Garments",
        "A skirt, a tunic over it, a cape over both and hair, baked together",
        "CHARACTERS",
        three_garments.build,
    ),
    "RIGIFY_HUMAN": Example(
        "Rigify Human",
        "A rig that Rigify makes, with a soft belly and a skirt",
        "CHARACTERS",
        human.build,
        full=True,
        background=InBackground(human.begin, human.finish),
    ),
}
# Those that this edition can bake and train, in the order of menus.
EXAMPLES = {name: example for name, example in ALL.items() if FULL or not example.full}


def build(name: str, scene: bpy.types.Scene) -> bpy.types.Object:
    """Add one example, light and camera included, to a scene; returns its simulated object."""
    return EXAMPLES[name].build(scene)


def own_scene(context: bpy.types.Context, name: str) -> bpy.types.Scene:
    """The scene for an example: the current one if nothing is in it, else a new one, shown from then on.

    So nothing of the artist's gets another frame rate, resolution or neighbour.
    """
    current, window = context.scene, context.window
    if window is None or (current is not None and not current.objects):
        assert current is not None  # there is always one
        return current
    window.scene = bpy.data.scenes.new(EXAMPLES[name].label)
    return window.scene

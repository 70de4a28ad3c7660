"""The handles that the artist places: `object.neural_physics.handles`."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty, PointerProperty, StringProperty

from .edits import refresh_display
from .in_shots import IN_SHOTS


def _can_be_handle(_item: bpy.types.PropertyGroup, obj: bpy.types.Object) -> bool:
    return obj.type in ("EMPTY", "ARMATURE")


class NEURALPHYSICS_PG_handle(bpy.types.PropertyGroup):
    """A point of the body that is simulated, and that the artist can hold: an Empty, or a bone's head.

    Or a core: a stiff part around it, which turns, too.
    """

    # `name` is the channel's name, by which a shared model is bound again.
    object: PointerProperty(
        override=IN_SHOTS,
        name="Handle",
        description="An Empty inside the mesh, or an armature with a bone whose head is inside it",
        type=bpy.types.Object,
        poll=_can_be_handle,
        update=refresh_display,
    )
    bone: StringProperty(
        name="Bone", description="Bone of the armature whose head is the handle", update=refresh_display
    )
    radius: FloatProperty(
        name="Core Radius",
        description=(
            "Everything within this distance of the Empty or bone is rigid, in the simulation too, "
            "and moves and rotates as one piece; 0: a point. Bake again after changing it"
        ),
        default=0.0,
        min=0.0,
        soft_max=1.0,
        precision=3,
        unit="LENGTH",
        update=refresh_display,
    )
    hold: BoolProperty(
        name="Hold",
        description="During playback, hold this point of the body at its Empty or bone; can be animated",
        default=False,
        update=refresh_display,
    )

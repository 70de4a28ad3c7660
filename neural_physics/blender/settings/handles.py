"""The handles that the artist places: `object.neural_physics.handles`."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty, PointerProperty, StringProperty

from .edits import refresh_display


def _can_be_handle(_item: bpy.types.PropertyGroup, obj: bpy.types.Object) -> bool:
    return obj.type in ("EMPTY", "ARMATURE")


class NEURALPHYSICS_PG_handle(bpy.types.PropertyGroup):
    """A point of the body that is simulated, and that the artist can hold: an Empty, or a bone's head.

    Or a core: a stiff part around it, which turns, too.
    """

    # `name` is the channel's name, by which a shared model is bound again.
    object: PointerProperty(
        name="Handle",
        description="An Empty inside the mesh, or an armature with a bone whose head is",
        type=bpy.types.Object,
        poll=_can_be_handle,
        update=refresh_display,
    )
    bone: StringProperty(
        name="Bone", description="The bone of the armature whose head it is", update=refresh_display
    )
    radius: FloatProperty(
        name="Core Radius",
        description="What is nearer than this to the Empty, or to the bone, is stiff, in the simulation too, "
        "and goes and turns as one piece; 0: a point. Bake anew after it was changed",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        precision=3,
        unit="LENGTH",
        update=refresh_display,
    )
    hold: BoolProperty(
        name="Hold",
        description="While it plays, keep this point of the body where its Empty or bone is; can be keyed",
        default=False,
        update=refresh_display,
    )

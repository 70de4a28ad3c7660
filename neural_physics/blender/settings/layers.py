"""What a simulated object is worn over: `object.neural_physics.layers_below`."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, PointerProperty

from .edits import refresh_display
from .in_shots import IN_SHOTS

# About the thickness of two fabrics, and more than a shape that is bent between two vertices sags.
GAP = 0.004


def _is_mesh(_: object, obj: bpy.types.Object) -> bool:
    return obj.type == "MESH"


class NEURALPHYSICS_PG_layer(bpy.types.PropertyGroup):
    """An object whose shape the one that is worn over it is pushed out of."""

    object: PointerProperty(
        override=IN_SHOTS,
        name="Worn Over",
        description="Another garment, or a body: any mesh, whatever moves it",
        type=bpy.types.Object,
        poll=_is_mesh,
        update=refresh_display,
    )
    enabled: BoolProperty(
        override=IN_SHOTS,
        name="Use",
        description="Push vertices out of this object",
        default=True,
        update=refresh_display,
    )

"""The capsules that a simulated object is pushed out of: `object.neural_physics.capsules`, `.projection`."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, PointerProperty, StringProperty

from ...capsules.fitting import SHARE
from .edits import refresh_display
from .in_shots import IN_SHOTS
from .vectors import declare_numbers, stored_as

# What Holden's simulations keep between cloth and limbs (section 4), and so what a prediction may be off.
DEPTH_LIMIT = 0.05


class NEURALPHYSICS_PG_capsule(bpy.types.PropertyGroup):
    """One capsule, in the axes of a bone at rest (Y along it), or of an object without bones."""

    # `name` is what the artist sees; `source` and `bone` say what carries it.
    source: PointerProperty(
        override=IN_SHOTS,
        name="Attached To",
        description="An armature, or any other object",
        type=bpy.types.Object,
        update=refresh_display,
    )
    bone: StringProperty(
        name="Bone", description="Bone of the armature; if empty, the object itself", update=refresh_display
    )
    enabled: BoolProperty(
        name="Use", description="Push vertices out of this capsule", default=True, update=refresh_display
    )
    start: FloatVectorProperty(
        name="Start",
        size=3,
        subtype="TRANSLATION",
        unit="LENGTH",
        update=refresh_display,
        **stored_as("start"),
    )
    end: FloatVectorProperty(
        name="End", size=3, subtype="TRANSLATION", unit="LENGTH", update=refresh_display, **stored_as("end")
    )
    start_radius: FloatProperty(
        name="Start Radius", default=0.1, min=0.0, precision=4, unit="LENGTH", update=refresh_display
    )
    end_radius: FloatProperty(
        name="End Radius", default=0.1, min=0.0, precision=4, unit="LENGTH", update=refresh_display
    )


for _end in ("start", "end"):
    declare_numbers(NEURALPHYSICS_PG_capsule, _end, (0.0, 0.0, 0.0))


class NEURALPHYSICS_PG_projection(bpy.types.PropertyGroup):
    """How vertices are pushed out of an object's capsules while its model plays."""

    enabled: BoolProperty(
        name="Push Out of Capsules",
        description="Move vertices that are predicted inside a limb to its surface",
        default=True,
        update=refresh_display,
    )
    depth_limit: FloatProperty(
        name="Max Depth",
        description=(
            "Vertices deeper inside than this are left alone: the nearest surface may be the far "
            "side of the limb"
        ),
        default=DEPTH_LIMIT,
        min=0.0,
        soft_max=0.5,
        precision=3,
        unit="LENGTH",
        update=refresh_display,
    )
    share: FloatProperty(
        name="Coverage",
        description="Fraction of the body around a bone that a fitted capsule encloses",
        default=SHARE,
        min=0.05,
        max=1.0,
        subtype="FACTOR",
    )
    show: BoolProperty(name="Show Capsules", description="Draw the capsules in the viewport", default=True)

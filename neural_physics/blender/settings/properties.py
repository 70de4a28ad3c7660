"""The artist's settings, kept with each simulated object in its .blend: `object.neural_physics`."""

from __future__ import annotations

from typing import Any, cast

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...interaction.training_motion import MotionBox
from ...methods.registry import DEFAULT, SPECIFICATIONS
from ...methods.specification import (
    BASES,
    DEFAULT_PRESET,
    PRESETS,
    LiveSetting,
    MethodSpecification,
    NumberSetting,
)
from ...projective_dynamics.cloth import Fabric
from .capsules import NEURALPHYSICS_PG_capsule, NEURALPHYSICS_PG_projection
from .edits import refresh_display
from .from_files import limits
from .handles import NEURALPHYSICS_PG_handle
from .in_shots import IN_SHOTS
from .layers import GAP, NEURALPHYSICS_PG_layer
from .motions import Item, motions_of
from .named_places import agree, can_name, is_place, place_named
from .registration import register_classes, unregister_classes
from .simulation import BENDING_LIMITS, STRETCH_LIMITS, NEURALPHYSICS_PG_simulation
from .vectors import PLACES, declare_numbers, stored_as

LAST_FRAME = 1_048_574  # of Blender
DECODERS = [
    ("PROCESSOR", "CPU", "Bit-identical positions wherever and however it is played"),
    (
        "CARD",
        "GPU",
        "Faster for large meshes; positions differ by at most a hundred-thousandth of the object's size",
    ),
]
METHODS = [(method.id, method.label, method.choose_for, method.number) for method in SPECIFICATIONS.values()]
POSE_SOURCES = [
    ("RANDOM", "Random", "Rotate each bone at random, within its limits if it has any"),
    ("ACTIONS", "Actions", "Frames from all of the armature's actions, except any reserved for testing"),
    ("BOTH", "Random and Actions", "Half of the poses random, half from actions"),
]
TURN_AXES = [
    ("ANY", "Any Axis", "A different axis for each rotation"),
    ("X", "X", "Local X axis only"),
    ("Y", "Y", "Local Y axis only"),
    ("Z", "Z", "Local Z axis only, like a carousel"),
]


def _motions(item: bpy.types.PropertyGroup, _context: bpy.types.Context | None) -> list[Item]:
    return motions_of(cast(NEURALPHYSICS_PG_interaction, item).object)


def _suit_simulation(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Let the solver bake what the method can learn and play."""
    chosen = cast(NEURALPHYSICS_PG_object, settings)
    for name, value in method_of(cast(bpy.types.Object, chosen.id_data)).solver_settings.items():
        setattr(chosen.simulation, name, value)


def _agree_to_dataset(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Called when it is typed, chosen or set by a script, and not when a file is opened."""
    _agree_to(cast(NEURALPHYSICS_PG_object, settings).dataset_folder)


def _agree_to_model(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    _agree_to(cast(NEURALPHYSICS_PG_object, settings).model_path)


def _agree_to(chosen: str) -> None:
    if chosen and can_name(chosen) and is_place(chosen):
        agree(place_named(chosen))


def _number(setting: NumberSetting) -> Any:  # noqa: ANN401 (what Blender makes properties from)
    """The property of a number that a training can be given."""
    make: Any = IntProperty if isinstance(setting.default, int) else FloatProperty
    return make(
        name=setting.label,
        description=setting.description,
        default=setting.default,
        min=setting.least,
        max=setting.most,
        soft_max=setting.usual_most,
    )


def _live(setting: LiveSetting) -> Any:  # noqa: ANN401 (see `_number`)
    """The property of a setting that a model reads while it plays."""
    if setting.kind == "vertex_group":
        return StringProperty(
            override=IN_SHOTS, name=setting.label, description=setting.description, update=refresh_display
        )
    if setting.kind == "switch":
        return BoolProperty(
            override=IN_SHOTS, name=setting.label, description=setting.description, update=refresh_display
        )
    return FloatProperty(
        override=IN_SHOTS,
        name=setting.label,
        description=setting.description,
        default=setting.default,
        min=setting.least,
        max=setting.most,
        soft_max=setting.usual_most,
        update=refresh_display,
    )


class NEURALPHYSICS_PG_bone(bpy.types.PropertyGroup):
    """A bone of an armature, by its name."""


class NEURALPHYSICS_PG_interaction(bpy.types.PropertyGroup):
    """One object that the simulation reacts to: a collider, a pin's Empty, an armature or a wind."""

    # `name` is the channel's name, by which a shared model is bound again.
    object: PointerProperty(override=IN_SHOTS, name="Object", type=bpy.types.Object, update=refresh_display)
    bones: CollectionProperty(type=NEURALPHYSICS_PG_bone)  # of an armature; none for all that deform
    motion: EnumProperty(name="Training Motion", items=_motions, default=0)
    test_action: StringProperty(
        name="Test Action",
        description=(
            "Action reserved for test takes, so the model is judged on motion it has never seen. "
            "Needs 8 takes or more, so that there is a test take"
        ),
    )
    variation: FloatProperty(
        name="Variation",
        description=(
            "How much the speed and amplitude of an action vary between repetitions: 0.3 is up to 30 % "
            "faster or slower, larger or smaller. Test takes play actions unchanged"
        ),
        default=0.0,
        min=0.0,
        max=0.9,
        subtype="FACTOR",
    )
    box_low: FloatVectorProperty(
        name="Box Min", size=3, subtype="TRANSLATION", unit="LENGTH", **stored_as("box_low")
    )
    box_high: FloatVectorProperty(
        name="Box Max", size=3, subtype="TRANSLATION", unit="LENGTH", **stored_as("box_high")
    )
    shortest: FloatProperty(
        name="Shortest Move",
        description="Shortest time between two targets",
        default=MotionBox.shortest,
        min=0.02,
        unit="TIME_ABSOLUTE",
    )
    longest: FloatProperty(
        name="Longest Move",
        description="Longest time between two targets",
        default=MotionBox.longest,
        min=0.02,
        unit="TIME_ABSOLUTE",
    )
    fastest: FloatProperty(
        name="Max Speed",
        description="Speed limit; motion faster than the simulation can follow only teaches errors",
        default=MotionBox.fastest,
        min=0.01,
        unit="VELOCITY",
    )
    own_motion: FloatProperty(
        name="Own Keys",
        description=(
            "Share of the time in which it follows the path of its own location keys, up to a quarter faster "
            "or slower, in place of wandering"
        ),
        default=0.0,
        min=0.0,
        max=0.9,
        subtype="FACTOR",
    )
    strength_low: FloatProperty(name="Wind Min", description="Weakest wind during training", default=0.0)
    strength_high: FloatProperty(
        name="Wind Max", description="Strongest wind during training", default=1000.0
    )
    turning: BoolProperty(
        name="Rotation",
        description="Also react to this object's rotation, and rotate it while it wanders during training",
        default=False,
        update=refresh_display,
    )
    turn: FloatProperty(
        name="Max Angle",
        description="Largest rotation during training away from the current orientation",
        default=0.8,
        min=0.0,
        max=3.1416,
        subtype="ANGLE",
    )
    turn_axis: EnumProperty(
        name="Axis",
        description="Local axis to rotate about, or a different one for each rotation",
        items=TURN_AXES,
        default="ANY",
    )


class NEURALPHYSICS_PG_object(bpy.types.PropertyGroup):
    """All settings of one simulated object."""

    enabled: BoolProperty(name="Use Neural Physics", description="This object has been set up", default=False)

    # Set up
    simulation: PointerProperty(type=NEURALPHYSICS_PG_simulation)
    interactions: CollectionProperty(override=IN_SHOTS, type=NEURALPHYSICS_PG_interaction)
    active_interaction: IntProperty(name="Active Interaction", default=0, min=0)
    show_boxes: BoolProperty(
        name="Show Boxes", description="Draw the training motion boxes in the viewport", default=True
    )
    frame_object: PointerProperty(
        override=IN_SHOTS,
        name="Reference Frame",
        description="Learn the motion relative to this object, such as a character's armature",
        type=bpy.types.Object,
        update=refresh_display,
    )
    frame_bone: StringProperty(
        name="Bone", description="Learn relative to this bone of the armature", update=refresh_display
    )
    moving_frame: BoolProperty(
        name="Moving Frame",
        description="Also react to how the reference frame (or the object itself) moves and rotates",
        default=False,
    )
    use_ground: BoolProperty(
        name="Ground",
        description="Also react to where the ground is, relative to the reference frame",
        default=False,
    )
    ground_height: FloatProperty(name="Ground Height", default=0.0, unit="LENGTH", update=refresh_display)

    # Capsules
    capsules: CollectionProperty(override=IN_SHOTS, type=NEURALPHYSICS_PG_capsule)
    active_capsule: IntProperty(name="Active Capsule", default=0, min=0)
    projection: PointerProperty(type=NEURALPHYSICS_PG_projection)

    # Layers
    layers_below: CollectionProperty(override=IN_SHOTS, type=NEURALPHYSICS_PG_layer)
    use_layers: BoolProperty(
        override=IN_SHOTS,
        name="Push Out of Layers",
        description="Move vertices that are predicted behind the layers below to their surface",
        default=True,
        update=refresh_display,
    )
    active_layer: IntProperty(name="Active Layer", default=0, min=0)
    layer_gap: FloatProperty(
        override=IN_SHOTS,
        name="Gap",
        description="How far above the layers below vertices are kept",
        default=GAP,
        min=0.0,
        soft_max=0.05,
        precision=4,
        unit="LENGTH",
        update=refresh_display,
    )

    # Handles, of contact corrections
    handles: CollectionProperty(override=IN_SHOTS, type=NEURALPHYSICS_PG_handle)
    active_handle: IntProperty(name="Active Handle", default=0, min=0)

    # Bake
    dataset_folder: StringProperty(
        name="Dataset",
        description="Folder for the takes; if empty, beside the .blend",
        subtype="DIR_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE"},
        update=_agree_to_dataset,
    )
    take_count: IntProperty(
        name="Takes",
        description=(
            "Number of simulations to run. With two or more, a tenth (at least one) is used for "
            "validation; with eight or more, another tenth is reserved for the evaluation"
        ),
        default=8,
        min=1,
        max=1000,
    )
    bake_together: BoolProperty(
        name="Bake Together",
        description=(
            "In the same takes, record the other objects of the scene that Blender simulates and that react "
            "to nothing else: each gets a dataset of its own"
        ),
        default=False,
    )
    take_frames: IntProperty(
        name="Frames per Take", description="Length of each simulation", default=1000, min=3, max=1_000_000
    )
    pose_count: IntProperty(
        name="Poses",
        description=(
            "Number of poses with the flesh at rest, from which Jiggle Springs learns how it bulges "
            "and folds; a tenth is used for validation. 0: none"
        ),
        default=500,
        min=0,
        max=100_000,
        soft_max=5000,
    )
    pose_source: EnumProperty(
        name="Pose Source", description="Where the baked poses come from", items=POSE_SOURCES
    )
    pose_range: FloatProperty(
        name="Max Bone Angle",
        description=(
            "In random poses, the largest rotation of bones without limits about each axis, in "
            "either direction"
        ),
        default=0.5236,
        min=0.0,
        max=3.1416,
        subtype="ANGLE",
    )
    seed: IntProperty(
        name="Seed", description="Random seed for the training motion and poses", default=0, min=0
    )
    choose_takes: BoolProperty(
        name="Where Unsure",
        description=(
            "Let the trained model choose the motion of new takes: of eight random ones for each, those "
            "where it is least sure. Without a model that knows how far off it may be, they are random"
        ),
        default=False,
    )
    parallel_takes: IntProperty(
        name="Parallel Takes",
        description="Takes to bake in parallel, at most four per core; 0: one per core",
        default=0,
        min=0,
        max=256,
    )

    # Train
    method: EnumProperty(name="Method", description="Learning method", items=METHODS, update=_suit_simulation)
    preset: EnumProperty(name="Preset", items=PRESETS, default=DEFAULT_PRESET)
    basis_count: _number(BASES)
    training_seed: IntProperty(name="Training Seed", default=0, min=0)
    model_path: StringProperty(
        name="Model",
        description="The trained model file; if empty, beside the .blend",
        subtype="FILE_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE"},
        update=_agree_to_model,
    )

    # Play
    playing: BoolProperty(
        override=IN_SHOTS,
        name="Play",
        description="Show the learned motion instead of the simulation",
        default=False,
        options=set(),  # nothing begins to play, or stops, by a key
        update=refresh_display,
    )
    hint: StringProperty(name="Hint", default="", options={"HIDDEN"})  # what the viewport says to do
    show_captions: BoolProperty(
        override=IN_SHOTS,
        name="Viewport Text",
        description="While it plays, show in the viewport how fast the model is",
        default=True,
        update=refresh_display,
    )
    # Of what moves others, while it is grabbed: see `playing.grabbing`.
    resting_action: PointerProperty(name="Action Put Aside", type=bpy.types.Action, options={"HIDDEN"})
    resting_strips: BoolProperty(name="NLA Put Aside", default=False, options={"HIDDEN"})
    # Whether Play locked the interface, which Stop then unlocks.
    locked_interface: BoolProperty(
        override=IN_SHOTS, name="Interface Locked by Play", default=False, options={"HIDDEN"}
    )
    model: PointerProperty(
        override=IN_SHOTS,
        name="Packed Model",
        description="The model stored in this .blend",
        type=bpy.types.Text,
    )
    bases_shown: IntProperty(
        override=IN_SHOTS,
        name="Quality",
        description="Number of bases to decode; 0: all",
        default=0,
        min=0,
        max=BASES.most,
        update=refresh_display,
    )
    look_ahead: BoolProperty(
        override=IN_SHOTS,
        name="Look Ahead",
        description=(
            "Where bones are keyframed, let the flesh also see the next pose, for full accuracy. "
            "Bones posed by hand during playback are followed without it"
        ),
        default=True,
        update=refresh_display,
    )
    decode_with: EnumProperty(
        override=IN_SHOTS,
        name="Decode With",
        description="Which processor computes the mesh from the learned shapes",
        items=DECODERS,
        update=refresh_display,
    )
    use_preview: BoolProperty(
        override=IN_SHOTS,
        name="Viewport Preview",
        description=(
            "While the animation plays, compute and draw the shape on the GPU alone; the mesh is "
            "updated once it stops, and in renders"
        ),
        default=False,
    )
    show_trained_range: BoolProperty(
        override=IN_SHOTS,
        name="Show Trained Range",
        description=(
            "While it plays, draw the boxes that objects moved in during training: amber and red at the face "
            "through which an object leaves its box"
        ),
        default=True,
    )
    write_numbers: BoolProperty(
        override=IN_SHOTS,
        name="Numbers for Nodes",
        description=(
            "In each frame write coefficients, the expected error and how far outside the trained range this "
            "is into the object, for drivers, shaders and node groups. Playing takes about twice as long"
        ),
        default=False,
        update=refresh_display,
    )
    # Of the frame on show, for drivers.
    outside_now: FloatProperty(name="Outside Now", default=0.0, subtype="FACTOR", options={"HIDDEN"})
    error_now: FloatProperty(name="Expected Error Now", default=0.0, unit="LENGTH", options={"HIDDEN"})
    show_typical_error: BoolProperty(
        override=IN_SHOTS,
        name="Show Typical Error",
        description=(
            "While it plays, color each place by how far off it may be at this frame, or, where the model "
            "does not know that, by how far off it typically was on motion that it had not seen"
        ),
        default=False,
    )
    stretch: FloatProperty(
        name="Stretch",
        description="Stretch stiffness of the cloth during playback, in N/m; can be animated",
        default=Fabric.stretch,
        min=STRETCH_LIMITS[0],
        max=STRETCH_LIMITS[1],
        precision=1,
        update=refresh_display,
    )
    bending: FloatProperty(
        name="Bending",
        description="Bending stiffness of the cloth during playback, in N m; can be animated",
        default=Fabric.bending,
        min=BENDING_LIMITS[0],
        max=BENDING_LIMITS[1],
        precision=7,
        update=refresh_display,
    )
    start_frame: IntProperty(
        name="Start",
        description="Frame on which the motion starts",
        default=1,
        min=-LAST_FRAME,
        max=LAST_FRAME,
        update=refresh_display,
    )
    resting_collision: BoolVectorProperty(
        description="Whether Play switched the Collision modifier off in the viewport and in renders",
        size=2,
        options={"HIDDEN"},
        **stored_as("resting_collision", PLACES),
    )
    hidden_modifiers: StringProperty(
        override=IN_SHOTS,
        description="The physics modifiers that Play switched off, to switch on again",
        options={"HIDDEN"},
    )


declare_numbers(NEURALPHYSICS_PG_interaction, "box_low", (-1.0, -1.0, -1.0))
declare_numbers(NEURALPHYSICS_PG_interaction, "box_high", (1.0, 1.0, 1.0))
declare_numbers(NEURALPHYSICS_PG_object, "resting_collision", (False, False))
# What a method's training can be given, and what it reads while it plays, as its specification declares it.
for _method in SPECIFICATIONS.values():
    NEURALPHYSICS_PG_object.__annotations__.update(
        {setting.property: _number(setting) for setting in _method.training_settings}
        | {setting.property: _live(setting) for setting in _method.live_settings}
    )


CLASSES = (
    NEURALPHYSICS_PG_simulation,
    NEURALPHYSICS_PG_bone,
    NEURALPHYSICS_PG_interaction,
    NEURALPHYSICS_PG_capsule,
    NEURALPHYSICS_PG_projection,
    NEURALPHYSICS_PG_layer,
    NEURALPHYSICS_PG_handle,
    NEURALPHYSICS_PG_object,
)


def register() -> None:
    """Register the classes of the settings and attach them to every object."""
    register_classes(CLASSES)
    settings = PointerProperty(override=IN_SHOTS, type=NEURALPHYSICS_PG_object)
    setattr(bpy.types.Object, "neural_physics", settings)  # noqa: B010
    limits.register()


def unregister() -> None:
    """Detach the settings from objects and unregister their classes."""
    limits.unregister()
    delattr(bpy.types.Object, "neural_physics")
    unregister_classes(CLASSES)


def settings_of(obj: bpy.types.Object) -> NEURALPHYSICS_PG_object:
    """An object's settings, typed."""
    return obj.neural_physics  # type: ignore[attr-defined]


def method_of(obj: bpy.types.Object) -> MethodSpecification:
    """The method that an object is to be learned by; the first one for one that is not known here."""
    return SPECIFICATIONS.get(settings_of(obj).method, SPECIFICATIONS[DEFAULT])

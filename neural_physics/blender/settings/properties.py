"""The artist's settings, kept with each simulated object in its .blend: `object.neural_physics`."""

from __future__ import annotations

from pathlib import Path
from typing import cast

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

from ...methods.registry import DEFAULT, SPECIFICATIONS
from ...methods.specification import MethodSpecification
from .capsules import NEURALPHYSICS_PG_capsule, NEURALPHYSICS_PG_projection
from .edits import refresh_display
from .handles import NEURALPHYSICS_PG_handle
from .named_places import agree
from .registration import register_classes, unregister_classes
from .simulation import BENDING_LIMITS, STRETCH_LIMITS, NEURALPHYSICS_PG_simulation

DECODERS = [
    ("PROCESSOR", "Processor", "The same positions to the last bit, wherever and however it is played"),
    (
        "CARD",
        "Graphics Card",
        "Faster for large meshes; positions differ by a hundred-thousandth of the size at most",
    ),
]
METHODS = [(method.id, method.label, method.choose_for, method.number) for method in SPECIFICATIONS.values()]
PRESETS = [
    ("preview", "Preview", "A minute or two: to see whether the setup makes sense"),
    ("balanced", "Balanced", "Up to ten minutes: good for most scenes"),
    ("final", "Final", "An hour or more: the best quality this dataset can give"),
    ("paper", "Paper", "The recipe of the method's paper, for large datasets and long trainings"),
]
MOTIONS = [
    ("WANDER", "Wander in a Box", "Random positions at random times inside the box, new in every take"),
    ("KEEP", "Keep Animation", "The animation it has in this scene"),
    ("ACTIONS", "Play Actions", "All its actions one after the other, in another order in every take"),
]
POSE_SOURCES = [
    ("RANDOM", "Random", "Each bone turned at random, within its limits where it has some"),
    ("ACTIONS", "Actions", "Frames of all of the armature's actions, but for one that is kept for testing"),
    ("BOTH", "Random and Actions", "Half of the one, half of the other"),
]
TURN_AXES = [
    ("ANY", "Any Axis", "Another axis for each turn"),
    ("X", "X", "Its own X axis alone"),
    ("Y", "Y", "Its own Y axis alone"),
    ("Z", "Z", "Its own Z axis alone, as a carousel does"),
]


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
    if chosen:
        agree(Path(bpy.path.abspath(chosen)))


class NEURALPHYSICS_PG_interaction(bpy.types.PropertyGroup):
    """One object that the simulation reacts to: a collider, a pin's Empty, an armature or a wind."""

    # `name` is the channel's name, by which a shared model is bound again.
    object: PointerProperty(name="Object", type=bpy.types.Object, update=refresh_display)
    motion: EnumProperty(name="Training Motion", items=MOTIONS, default="WANDER")
    test_action: StringProperty(
        name="For Testing",
        description=(
            "An action for test takes alone, so that the model is judged by what it has never seen. "
            "Needs 8 takes or more, of which one is a test take"
        ),
    )
    variation: FloatProperty(
        name="Variation",
        description=(
            "How much pace and extent of an action differ from one time to the next: 0.3 is up to 30 % "
            "faster or slower, further or less far. Test takes play actions as they are"
        ),
        default=0.0,
        min=0.0,
        max=0.9,
        subtype="FACTOR",
    )
    box_low: FloatVectorProperty(
        name="Box From", size=3, default=(-1.0, -1.0, -1.0), subtype="TRANSLATION", unit="LENGTH"
    )
    box_high: FloatVectorProperty(
        name="Box To", size=3, default=(1.0, 1.0, 1.0), subtype="TRANSLATION", unit="LENGTH"
    )
    shortest: FloatProperty(
        name="Shortest Move",
        description="Least time between two targets",
        default=0.4,
        min=0.02,
        unit="TIME_ABSOLUTE",
    )
    longest: FloatProperty(
        name="Longest Move",
        description="Most time between two targets",
        default=1.6,
        min=0.02,
        unit="TIME_ABSOLUTE",
    )
    fastest: FloatProperty(
        name="Fastest",
        description="Speed limit; faster than the simulation can follow only teaches mistakes",
        default=3.0,
        min=0.01,
        unit="VELOCITY",
    )
    strength_low: FloatProperty(name="Least Wind", description="Weakest wind in training", default=0.0)
    strength_high: FloatProperty(name="Most Wind", description="Strongest wind in training", default=1000.0)
    turning: BoolProperty(
        name="Turning",
        description="Also react to how it is turned, and turn it while it wanders in training",
        default=False,
        update=refresh_display,
    )
    turn: FloatProperty(
        name="Turn",
        description="How far it turns in training from how it is turned now",
        default=0.8,
        min=0.0,
        max=3.1416,
        subtype="ANGLE",
    )
    turn_axis: EnumProperty(
        name="About",
        description="The only one of its own axes that it turns about, or another one for each turn",
        items=TURN_AXES,
        default="ANY",
    )


class NEURALPHYSICS_PG_object(bpy.types.PropertyGroup):
    """All settings of one simulated object."""

    enabled: BoolProperty(name="Use Neural Physics", description="This object has been set up", default=False)

    # Set up
    simulation: PointerProperty(type=NEURALPHYSICS_PG_simulation)
    interactions: CollectionProperty(type=NEURALPHYSICS_PG_interaction)
    active_interaction: IntProperty(name="Active Interaction", default=0, min=0)
    show_boxes: BoolProperty(
        name="Show Boxes", description="Draw the boxes of the training motion in the viewport", default=True
    )
    frame_object: PointerProperty(
        name="Reference Frame",
        description="Learn the motion relative to this object, such as a character's armature",
        type=bpy.types.Object,
        update=refresh_display,
    )
    frame_bone: StringProperty(
        name="Bone", description="Learn relative to this bone of the armature", update=refresh_display
    )
    moving_frame: BoolProperty(
        name="Frame Moves",
        description="Also react to how the reference frame (or the object itself) moves and turns",
        default=False,
    )
    use_ground: BoolProperty(
        name="Ground",
        description="Also react to where the ground is, seen from the reference frame",
        default=False,
    )
    ground_height: FloatProperty(name="Ground Height", default=0.0, unit="LENGTH", update=refresh_display)

    # Capsules
    capsules: CollectionProperty(type=NEURALPHYSICS_PG_capsule)
    active_capsule: IntProperty(name="Active Capsule", default=0, min=0)
    projection: PointerProperty(type=NEURALPHYSICS_PG_projection)

    # Handles, of contact corrections
    handles: CollectionProperty(type=NEURALPHYSICS_PG_handle)
    active_handle: IntProperty(name="Active Handle", default=0, min=0)

    # Bake
    dataset_folder: StringProperty(
        name="Dataset",
        description="Where the takes are kept; empty: beside the .blend",
        subtype="DIR_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE"},
        update=_agree_to_dataset,
    )
    take_count: IntProperty(
        name="Takes",
        description=(
            "How many simulations to run. From two on a tenth of them, at least the last one, only checks "
            "the training; from eight on another tenth is kept for the evaluation"
        ),
        default=8,
        min=1,
        max=1000,
    )
    take_frames: IntProperty(
        name="Frames per Take", description="How long each simulation is", default=1000, min=3, max=1_000_000
    )
    pose_count: IntProperty(
        name="Poses",
        description=(
            "Poses in which the flesh is at rest, for Jiggle Springs to learn how it bulges and folds; "
            "a tenth of them checks the training. 0: none"
        ),
        default=500,
        min=0,
        max=100_000,
        soft_max=5000,
    )
    pose_source: EnumProperty(name="Poses From", description="Which poses are baked", items=POSE_SOURCES)
    pose_range: FloatProperty(
        name="Turn Bones",
        description="In random poses: how far bones without limits turn about each axis, either way",
        default=0.5236,
        min=0.0,
        max=3.1416,
        subtype="ANGLE",
    )
    seed: IntProperty(name="Seed", description="Another seed, other motion and poses", default=0, min=0)
    parallel_takes: IntProperty(
        name="At Once",
        description="Takes to bake at the same time; 0: one per core",
        default=0,
        min=0,
        max=256,
    )

    # Train
    method: EnumProperty(
        name="Method", description="How it is learned", items=METHODS, update=_suit_simulation
    )
    preset: EnumProperty(name="Preset", items=PRESETS, default="balanced")
    basis_count: IntProperty(
        name="Bases", description="Shapes that are mixed; more keep finer folds", default=64, min=1, max=1024
    )
    training_seed: IntProperty(name="Training Seed", default=0, min=0)
    model_path: StringProperty(
        name="Model",
        description="The trained model file; empty: beside the .blend",
        subtype="FILE_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE"},
        update=_agree_to_model,
    )

    # Play
    playing: BoolProperty(
        name="Play",
        description="Show the learned motion instead of the simulation",
        default=False,
        update=refresh_display,
    )
    model: PointerProperty(
        name="Packed Model", description="The model as it travels in this .blend", type=bpy.types.Text
    )
    bases_shown: IntProperty(
        name="Quality",
        description="Bases that are decoded; 0: all of them",
        default=0,
        min=0,
        max=1024,
        update=refresh_display,
    )
    jiggle: FloatProperty(
        name="Jiggle",
        description="How many times as far as learned flesh strays from where bones take it; 0: not at all",
        default=1.0,
        min=0.0,
        max=100.0,
        soft_max=3.0,
        update=refresh_display,
    )
    jiggle_group: StringProperty(
        name="Jiggle Group",
        description="A vertex group that holds flesh back: its weights are the share of the jiggle left",
        update=refresh_display,
    )
    look_ahead: BoolProperty(
        name="Look Ahead",
        description=(
            "Where keys move the bones, let the flesh see the next pose, too: as exact as it was learned. "
            "Bones that you pose by hand while it plays it follows without that"
        ),
        default=True,
        update=refresh_display,
    )
    decode_with: EnumProperty(
        name="Decode With",
        description="What makes vertices of the mesh out of learned shapes",
        items=DECODERS,
        update=refresh_display,
    )
    use_preview: BoolProperty(
        name="Viewport Preview",
        description=(
            "While the animation plays, let the graphics card make and draw the shape by itself; "
            "the mesh follows as soon as it stops, and in renders"
        ),
        default=False,
    )
    stretch: FloatProperty(
        name="Stretch",
        description="How the cloth that plays resists stretching, N/m; can be keyed",
        default=300.0,
        min=STRETCH_LIMITS[0],
        max=STRETCH_LIMITS[1],
        precision=1,
        update=refresh_display,
    )
    bending: FloatProperty(
        name="Bending",
        description="How the cloth that plays resists bending, N m; can be keyed",
        default=1e-4,
        min=BENDING_LIMITS[0],
        max=BENDING_LIMITS[1],
        precision=7,
        update=refresh_display,
    )
    start_frame: IntProperty(
        name="Start", description="The frame the motion starts at", default=1, update=refresh_display
    )
    resting_collision: BoolVectorProperty(
        description="Whether Play switched the Collision modifier off in the viewport and in renders",
        size=2,
        options={"HIDDEN"},
    )
    hidden_modifiers: StringProperty(
        description="The physics modifiers that Play switched off, to switch on again", options={"HIDDEN"}
    )


# What a method's training can be given, as its specification declares it.
NEURALPHYSICS_PG_object.__annotations__.update(
    {
        setting.property: IntProperty(
            name=setting.label,
            description=setting.description,
            default=setting.default,
            min=setting.least,
            max=setting.most,
            soft_max=setting.usual_most,
        )
        for method in SPECIFICATIONS.values()
        for setting in method.training_settings
    }
)


CLASSES = (
    NEURALPHYSICS_PG_simulation,
    NEURALPHYSICS_PG_interaction,
    NEURALPHYSICS_PG_capsule,
    NEURALPHYSICS_PG_projection,
    NEURALPHYSICS_PG_handle,
    NEURALPHYSICS_PG_object,
)


def register() -> None:
    register_classes(CLASSES)
    setattr(bpy.types.Object, "neural_physics", PointerProperty(type=NEURALPHYSICS_PG_object))  # noqa: B010


def unregister() -> None:
    delattr(bpy.types.Object, "neural_physics")
    unregister_classes(CLASSES)


def settings_of(obj: bpy.types.Object) -> NEURALPHYSICS_PG_object:
    """An object's settings, typed."""
    return obj.neural_physics  # type: ignore[attr-defined]


def method_of(obj: bpy.types.Object) -> MethodSpecification:
    """The method that an object is to be learned by; the first one for one that is not known here."""
    return SPECIFICATIONS.get(settings_of(obj).method, SPECIFICATIONS[DEFAULT])

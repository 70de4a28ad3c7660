"""Finding what a simulated object reacts to, so that an artist has little left to set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...errors import Problem
from ...interaction.channels import Channel, ChannelLayout
from ..settings.from_files.limits import enable
from ..settings.motions import is_wind
from ..settings.properties import NEURALPHYSICS_PG_interaction, settings_of
from ..settings.simulation import preset_names, use_preset
from .evaluated import nameable
from .interaction_names import MOST_INTERACTIONS, check_room, interaction_names
from .moving_bones import moving_bones
from .references import with_parents
from .rigs.holding_bones import carrying_rig, suggested_radius
from .rigs.reacting_bones import MANY, choose_bones, deforming_bones, near_bones
from .rigs.rig_actions import actions_of
from .sampling import bindings_of
from .sources import check_target, mesh_data, read_positions

Corner = NDArray[np.floating]
Bounds = tuple[Corner, Corner]

Physics = Literal["CLOTH", "SOFT_BODY"]
NEW_PHYSICS: dict[Physics, str] = {"CLOTH": "Cloth", "SOFT_BODY": "Soft Body"}  # and the modifiers' names

BOUND_KINDS = ("position", "joints", "pose", "wind")  # of channels that an object is chosen for

MOST_POSED = 4  # armatures whose bones Set Up chooses: each is posed for it, all of the scene with it
BACKDROP = 1.5  # a collider at rest that is this much larger than the object is part of the set
MARGIN = 2.0  # how far beyond the object a collider's centre goes, in its own radii
PIN_REACH = 0.3  # how far a pin strays, in sizes of the object
SPEED = 1.5  # the speed limit, in sizes of the object per second
WIND_RANGE = 1.5  # the strongest wind in training, in strengths of what is set
WEAKEST_RANGE = 100.0  # of a wind that is off now


def set_up(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[str]:
    """Enable Neural Physics for an object; add what moves it and is not in its list yet.

    Returns the names of what was added. Raises what `sources.check_target` does, and
    Problem("movers_too_many").
    """
    check_target(obj)
    settings = settings_of(obj)
    known = {item.object for item in settings.interactions}
    movers = [mover for mover in find_movers(obj, scene) if mover not in known]
    if movers and len(movers) + len(settings.interactions) > MOST_INTERACTIONS:
        found = f"{len(movers) + len(settings.interactions):,}"
        raise Problem("movers_too_many", object=obj.name, found=found, allowed=MOST_INTERACTIONS)
    if not settings.enabled:  # later they are the artist's
        enable(settings)
        settings.moving_frame = is_animated(obj)
        settings.start_frame = scene.frame_start
    posed = [mover for mover in movers if mover.type == "ARMATURE"][:MOST_POSED]
    for mover in movers:
        add_interaction(obj, mover, choose=mover in posed)
    return [mover.name for mover in movers]


def set_up_as(obj: bpy.types.Object, scene: bpy.types.Scene, kind: str) -> list[str]:
    """`set_up`, the object being simulated as a kind of `simulation.KINDS`.

    Where it cannot be that, the settings stay as they are. A solid without pins is held by the bones of the
    armature that carries it, if there is one.
    """
    simulation = settings_of(obj).simulation
    before = simulation.kind
    simulation.kind = kind
    try:
        added = set_up(obj, scene)
    except Problem:
        simulation.kind = before
        raise
    rig = carrying_rig(obj)
    if kind == "SOLID" and rig is not None and not simulation.pins and simulation.bone_radius <= 0.0:
        simulation.bone_radius = suggested_radius(obj, rig)
    return added


def set_up_with_physics(obj: bpy.types.Object, scene: bpy.types.Scene, physics: Physics) -> list[str]:
    """`set_up` of a mesh to which Blender's own physics is added first, with its default settings.

    Where it cannot be set up, nothing is added, nor where it has that physics already.
    """
    if any(modifier.type == physics for modifier in obj.modifiers):  # Blender adds no second one
        return set_up(obj, scene)
    modifier = obj.modifiers.new(NEW_PHYSICS[physics], physics)
    try:
        return set_up(obj, scene)
    except Problem:
        obj.modifiers.remove(modifier)
        raise


def check_materials(obj: bpy.types.Object) -> None:
    """Raise Problem("materials_none") for what materials say nothing of."""
    if not preset_names(settings_of(obj).simulation.kind):
        raise Problem("materials_none", object=obj.name)


def use_material(obj: bpy.types.Object, name: str) -> None:
    """Set what a material preset says. Raises Problem("material_unknown")."""
    simulation = settings_of(obj).simulation
    known = preset_names(simulation.kind)
    if name not in known:
        raise Problem("material_unknown", object=obj.name, material=name, known=", ".join(known) or "none")
    use_preset(simulation, name)


def add_empty_interaction(obj: bpy.types.Object) -> None:
    """One more line in the list, for which the artist chooses the object."""
    settings = settings_of(obj)
    settings.interactions.add()
    settings.active_interaction = len(settings.interactions) - 1


def keep_names(obj: bpy.types.Object, channels: ChannelLayout) -> None:
    """Give lines of the list that have no name that of the channel they stand for.

    They go by their object's name until then, and would be lost if that is renamed.
    """
    wanted = {channel.name for channel in channels.channels}
    items = [item for item in settings_of(obj).interactions if item.object]
    for item, name in zip(items, interaction_names(obj), strict=True):
        if not item.name and name in wanted:
            item.name = name


def list_unbound(obj: bpy.types.Object, channels: ChannelLayout) -> None:
    """Add a line to the list for every channel that is read from an object, and is bound to none.

    Where this file has an object of the name it was trained with, that is chosen, if it is `nameable`.
    """
    unbound = _unbound(obj, channels)
    bounds = _bounds(obj) if unbound else None
    sources: list[bpy.types.Object | None] = [
        bpy.data.objects.get((channel.source, None)) for channel in unbound
    ]
    free = nameable(source for source in sources if source is not None)
    for channel, source in zip(unbound, sources, strict=True):
        item = settings_of(obj).interactions.add()
        item.name, item.object = channel.name, source if source in free else None
        suggest_motion(obj, item, bounds)


def check_unbound(obj: bpy.types.Object, channels: ChannelLayout, model: str) -> None:
    """Raise Problem("model_reacts_to_too_much") where `list_unbound` would add more lines than may be."""
    known = len(settings_of(obj).interactions)
    check_room(obj, model, len(_unbound(obj, channels)), known, allowed=MOST_INTERACTIONS)


def _unbound(obj: bpy.types.Object, channels: ChannelLayout) -> list[Channel]:
    known = {item.name for item in settings_of(obj).interactions} | bindings_of(obj).keys()
    return [each for each in channels.channels if each.kind in BOUND_KINDS and each.name not in known]


def add_interaction(
    obj: bpy.types.Object, mover: bpy.types.Object, *, choose: bool = True
) -> NEURALPHYSICS_PG_interaction:
    """One more line in the list, with training motion that suits what it is.

    choose: whether, of an armature of many bones, those that matter are listed, and not all.
    Raises Problem("edit_mode"), and then adds none.
    """
    settings = settings_of(obj)
    item = settings.interactions.add()
    settings.active_interaction = len(settings.interactions) - 1
    item.name, item.object = mover.name, mover
    suggest_motion(obj, item)
    if choose and mover.type == "ARMATURE" and len(deforming_bones(mover)) > MANY:
        try:
            choose_bones(item, bones_that_matter(obj, item))
        except Problem:  # of a body that the artist is editing
            settings.interactions.remove(len(settings.interactions) - 1)
            raise
    return item


def bones_that_matter(obj: bpy.types.Object, item: NEURALPHYSICS_PG_interaction) -> list[str]:
    """The bones of a line's armature near an object; where it plays its actions, those that they move."""
    near = near_bones(obj, item.object)
    return moving_bones(obj, item.object, near) if item.motion == "ACTIONS" else near


def suggest_motion(
    obj: bpy.types.Object, item: NEURALPHYSICS_PG_interaction, bounds: Bounds | None = None
) -> None:
    """Fill in an interaction's motion, box, speed and wind from what is in the scene.

    bounds: the object's, where they are known.
    """
    if item.object is not None:
        item.motion = _motion_of(item.object)
    suggest_box(obj, item, bounds)


def suggest_box(
    obj: bpy.types.Object, item: NEURALPHYSICS_PG_interaction, bounds: Bounds | None = None
) -> None:
    """The same for a motion that was chosen, which stays."""
    mover = item.object
    if mover is None:
        return
    low, high = bounds or _bounds(obj)
    size = float(max(high - low))
    place = np.array(mover.matrix_world.translation)
    if mover.type == "MESH":
        margin = MARGIN * max(mover.dimensions) / 2.0
    else:
        low, high, margin = place, place, PIN_REACH * size
    item.fastest = max(0.01, SPEED * size)
    item.box_low = np.minimum(low - margin, place).tolist()
    item.box_high = np.maximum(high + margin, place).tolist()
    if is_wind(mover):
        strength = cast(bpy.types.FieldSettings, mover.field).strength
        item.strength_high = WIND_RANGE * abs(strength) or WEAKEST_RANGE


def find_movers(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Pins, armatures, colliders and winds that act on an object, each once, in that order."""
    around = nameable(scene.objects)
    found = [*_carriers(obj), *_colliders(obj, around), *(each for each in around if is_wind(each))]
    return list(dict.fromkeys(mover for mover in found if mover != obj))


def _carriers(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """What the object's own modifiers hang it on."""
    for modifier in obj.modifiers:
        if isinstance(modifier, bpy.types.HookModifier | bpy.types.ArmatureModifier) and modifier.object:
            yield modifier.object


def _colliders(obj: bpy.types.Object, around: Iterable[bpy.types.Object]) -> Iterator[bpy.types.Object]:
    low, high = _bounds(obj)
    for other in around:
        if other == obj or not any(m.type == "COLLISION" for m in other.modifiers):
            continue
        armatures = [a for a in _carriers(other) if a.type == "ARMATURE"]
        if armatures:
            yield from armatures  # where a body's origin is says nothing; where its joints are does
        elif is_animated(other) or sorted(other.dimensions[:])[1] < BACKDROP * float(max(high - low)):
            yield other


def _motion_of(mover: bpy.types.Object) -> str:
    if mover.type == "ARMATURE":
        return "ACTIONS" if any(True for _ in actions_of(mover)) else "KEEP"
    # What something else carries would lose its hold if it wandered, and what is keyed is to move like that.
    carried = mover.parent is not None or is_animated(mover)
    return "KEEP" if carried and not is_wind(mover) else "WANDER"


def is_animated(obj: bpy.types.Object) -> bool:
    """Whether something else than the artist's hand moves an object."""
    return any(_is_animated_itself(each) for each in with_parents(obj))


def _is_animated_itself(obj: bpy.types.Object) -> bool:
    animation = obj.animation_data
    animated = animation is not None and bool(animation.action or animation.drivers or animation.nla_tracks)
    return animated or len(obj.constraints) > 0


def _bounds(obj: bpy.types.Object) -> Bounds:
    """Opposite corners of the object's own mesh, before any modifier, in world space.

    Of one without vertices its origin.
    """
    world = np.array(obj.matrix_world)
    points = read_positions(mesh_data(obj)) if mesh_data(obj).vertices else np.zeros((1, 3))
    points = points @ world[:3, :3].T + world[:3, 3]
    return points.min(axis=0), points.max(axis=0)

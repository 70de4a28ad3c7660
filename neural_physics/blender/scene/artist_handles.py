"""The handles that the artist places in a body and holds while it plays: Empties, and heads of bones."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ...datasets.simulation_request import Core
from ...errors import Problem
from ...interaction.channels import HANDLE_PREFIX, Channel, ChannelLayout
from ..settings.handles import NEURALPHYSICS_PG_handle
from ..settings.properties import method_of, settings_of
from .animation.keying import KeyedPaths
from .evaluated import may_be_named
from .interaction_names import check_room
from .live_fabric import setting_path
from .rigid_placement import placement
from .sampling import handle_source

MOST_HANDLES = 1000  # lines that a model may add: all are read for each frame that plays


def add_handles(obj: bpy.types.Object, others: Iterable[bpy.types.Object]) -> None:
    """A line in the list for each Empty, and for the active bone of each armature, that is not in it yet.

    With neither among the others an empty line, for which the artist chooses.
    """
    settings = settings_of(obj)
    listed = {handle_source(item) for item in settings.handles}
    chosen = [(other, _active_bone(other)) for other in others if other.type in ("EMPTY", "ARMATURE")]
    for other, bone in chosen:
        name = f"{other.name}/{bone}" if bone else other.name
        if name not in listed:
            item = settings.handles.add()
            item.name, item.object, item.bone = name, other, bone
    if not chosen:
        settings.handles.add()
    settings.active_handle = len(settings.handles) - 1


def remove_handle(obj: bpy.types.Object) -> None:
    """Take the chosen line off the list."""
    settings = settings_of(obj)
    settings.handles.remove(settings.active_handle)
    settings.active_handle = max(0, min(settings.active_handle, len(settings.handles) - 1))


def check_handles(obj: bpy.types.Object) -> None:
    """Raise Problem("contact_handle_unset") for a line of the list without an Empty or a bone."""
    for row, item in enumerate(settings_of(obj).handles, 1):
        if not handle_source(item):
            raise Problem("contact_handle_unset", object=obj.name, row=row)


def handle_arguments(obj: bpy.types.Object) -> list[str]:
    """The handles, where they are now, for the command that trains; m, in the axes of the body at rest.

    Of cores only the names: they are where they were baked.

    Lines without an Empty or a bone are left out: `check_handles` reports them.
    """
    words = []
    rest_from_world = np.linalg.inv(placement(obj.matrix_world))
    for item in filter(handle_source, settings_of(obj).handles):
        if item.radius > 0.0:
            words += ["--handle", f"{item.name}=core"]
            continue
        place = rest_from_world @ [*_place(item), 1.0]
        numbers = ",".join(f"{number:.6g}" for number in place[:3])
        words += ["--handle", f"{item.name}={numbers}"]
    return words


def cores_of(obj: bpy.types.Object) -> tuple[Core, ...]:
    """The stiff parts of a solid that contact corrections are to learn, as bones are at rest, Empties now."""
    settings = settings_of(obj)
    if not method_of(obj).has_handles or settings.simulation.kind != "SOLID":
        return ()
    rest_from_world = np.linalg.inv(placement(obj.matrix_world))
    cores = []
    for item in settings.handles:
        if item.radius > 0.0 and handle_source(item):
            ends = [rest_from_world[:3] @ [*end, 1.0] for end in _ends(item)]
            cores.append(Core(item.name, np.array(ends), item.radius))
    return tuple(cores)


def list_unbound_handles(obj: bpy.types.Object, channels: ChannelLayout) -> None:
    """Add a line for every handle of a model that has none, with the Empty of that name, if there is one.

    It is chosen if it `may_be_named`.
    """
    for channel in _unbound(obj, channels):
        item = settings_of(obj).handles.add()
        rig, _, bone = channel.source.rpartition("/")
        item.name = channel.name.removeprefix(HANDLE_PREFIX)
        found = bpy.data.objects.get((channel.source, None))
        if found is None and rig:
            found, item.bone = bpy.data.objects.get((rig, None)), bone
        item.object = found if found is not None and may_be_named(found) else None


def check_unbound_handles(obj: bpy.types.Object, channels: ChannelLayout, model: str) -> None:
    """Raise Problem("model_reacts_to_too_much") where that would be more lines than may be."""
    known = len(settings_of(obj).handles)
    check_room(obj, model, len(_unbound(obj, channels)), known, allowed=MOST_HANDLES)


def _unbound(obj: bpy.types.Object, channels: ChannelLayout) -> list[Channel]:
    known = {handle.name for handle in settings_of(obj).handles}
    handles = (each for each in channels.channels if each.kind == "handle")
    return [each for each in handles if each.name.removeprefix(HANDLE_PREFIX) not in known]


def hold_is_keyed(obj: bpy.types.Object, channel: str, keyed: KeyedPaths) -> bool:
    """Whether a handle is held and let go of by what is keyed of the object, and not by the artist's hand."""
    number = settings_of(obj).handles.find(channel.removeprefix(HANDLE_PREFIX))
    return number >= 0 and setting_path(f"handles[{number}].hold") in keyed


def _active_bone(other: bpy.types.Object) -> str:
    """The bone of an armature that was selected last, or its only one; "" where there is neither."""
    if not isinstance(other.data, bpy.types.Armature):
        return ""
    bones = other.data.bones
    bone = bones.active or (bones[0] if len(bones) == 1 else None)
    return bone.name if bone else ""


def _ends(item: NEURALPHYSICS_PG_handle) -> list[tuple[float, float, float]]:
    """The head and tail of a bone at rest, in the world; of an Empty twice its place."""
    rig = item.object
    assert rig is not None  # it has a source
    if not isinstance(rig.data, bpy.types.Armature):
        return [rig.matrix_world.translation.to_tuple()] * 2
    bone = rig.data.bones[item.bone]
    return [(rig.matrix_world @ end).to_tuple() for end in (bone.head_local, bone.tail_local)]


def _place(item: NEURALPHYSICS_PG_handle) -> tuple[float, float, float]:
    other = item.object
    assert other is not None  # it has a source
    matrix = other.matrix_world
    if other.pose is not None:
        matrix = matrix @ other.pose.bones[item.bone].matrix
    x, y, z = matrix.translation.to_tuple()
    return x, y, z

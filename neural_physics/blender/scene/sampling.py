"""Reading the interaction vector y from an evaluated scene (Holden 2019, section 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import cast

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ...arrays import Doubles, Floats
from ...baking.fabric_ranges import LIVE, fabric_channels
from ...errors import Problem
from ...interaction.channels import (
    HANDLE_PREFIX,
    KINEMATIC_KINDS,
    LARGEST_LAYOUT,
    ORIENTATION,
    POSE_ROWS,
    SHAPE_KEYS,
    SIZE_PREFIX,
    SIZES,
    Channel,
    ChannelLayout,
    FrameKinematics,
    frame_kinematics,
)
from ..settings.from_files.readable_names import readable_full_name, readable_name
from ..settings.handles import NEURALPHYSICS_PG_handle
from ..settings.motions import is_wind
from ..settings.properties import (
    NEURALPHYSICS_PG_interaction,
    NEURALPHYSICS_PG_object,
    method_of,
    settings_of,
)
from ..settings.simulation import settings_for_solver
from .capsule_sampling import CapsuleSampler
from .collider_sizes import Widths, size_reader
from .interaction_names import ChannelNames, check_interactions, interaction_names
from .references import Named, find
from .rigs.joint_positions import joints_reader
from .rigs.reacting_bones import joint_names
from .rigs.shape_keys import key_names, keys_reader
from .rigs.skins import followed_joints, is_skinned_by, pose_reader

# The key of `bindings` that binds the reference frame to another object or "Object/Bone".
FRAME_BINDING = "Reference Frame"
UP = Vector((0.0, 0.0, 1.0))

Values = Sequence[float] | NDArray[np.floating]
Reader = Callable[[bpy.types.Depsgraph, Matrix], Values]


def reference_frame_of(obj: bpy.types.Object) -> str:
    """The frame of positions and channels: "Object", "Object/Bone", or "" for `obj` itself."""
    return _frame_name(obj, settings_of(obj))


def _frame_name(obj: bpy.types.Object, settings: NEURALPHYSICS_PG_object) -> str:
    frame = settings.frame_object
    if frame is None or (frame == obj and not settings.frame_bone):
        return ""
    name = readable_name(frame)
    return f"{name}/{settings.frame_bone}" if settings.frame_bone else name


def layout_of(obj: bpy.types.Object) -> ChannelLayout:
    """The channels that the object's settings ask for, in their order.

    Raises Problem("interactions_too_many" | "interactions_too_large" | "interaction_unset" |
    "armature_without_bones" | "no_interactions").
    """
    check_interactions(obj)
    settings = settings_of(obj)
    frame = settings.frame_object or obj
    channels: list[Channel] = []
    names = ChannelNames()
    for row, item in enumerate(settings.interactions, 1):
        if item.object is None:
            raise Problem("interaction_unset", object=obj.name, row=row)
        # Where the frame is, seen from itself, says nothing; that it moves does.
        if item.object != frame or item.object.type == "ARMATURE":
            channel = _channel_of(obj, item, names)
            channels.append(channel)
            if channel.kind == "position" and item.turning:
                name = channel.name + ORIENTATION
                names.take(name)
                channels.append(Channel(name, "orientation", SIZES["orientation"], channel.source))
    if any(channel.kind == "pose" for channel in channels):
        keys = key_names(obj)
        if keys:
            channels.append(Channel(names.add(SHAPE_KEYS), "shape_keys", len(keys), parts=keys))
    if settings.use_ground:
        channels.append(Channel("Ground", "ground", 4))
    if settings.moving_frame:
        for kind in KINEMATIC_KINDS:
            channels.append(Channel(f"Frame {kind.replace('_', ' ')}", kind, 3, readable_name(frame)))
    if settings.simulation.kind == "SPRINGS":
        channels += fabric_channels(settings_for_solver(settings.simulation))
    if not channels:
        raise Problem("no_interactions", object=obj.name)
    layout = ChannelLayout(tuple(channels))
    if layout.size > LARGEST_LAYOUT:
        found, allowed = f"{layout.size:,}", f"{LARGEST_LAYOUT:,}"
        raise Problem("interactions_too_large", object=obj.name, found=found, allowed=allowed)
    return layout


def bindings_of(obj: bpy.types.Object) -> dict[str, str]:
    """What `ChannelSampler` reads in this scene: the names that the object's settings bind, see `find`.

    An interaction without an object binds nothing.
    """
    bound = ((name, readable_full_name(source), bone) for name, source, bone in _bound(obj))
    return {name: f"{source}/{bone}" if bone else source for name, source, bone in bound}


def bound_numbers(obj: bpy.types.Object) -> dict[str, tuple[int, str]]:
    """What `bindings_of` names, by session_uid and bone: the same when an object is renamed."""
    return {name: (source.session_uid, bone) for name, source, bone in _bound(obj)}


def _bound(obj: bpy.types.Object) -> Iterator[tuple[str, bpy.types.Object, str]]:
    """The name of each channel that is bound, its object, and that object's bone, "" for none."""
    settings = settings_of(obj)
    sources = [item.object for item in settings.interactions if item.object]
    for name, source in zip(interaction_names(obj), sources, strict=True):
        yield name, source, ""
    for handle in settings.handles:
        held = handle.object
        if held is not None and handle_source(handle):
            yield HANDLE_PREFIX + handle.name, held, "" if held.pose is None else handle.bone
    frame = settings.frame_object
    if frame is not None and _frame_name(obj, settings):
        yield FRAME_BINDING, frame, settings.frame_bone


def handle_source(item: NEURALPHYSICS_PG_handle) -> str:
    """What a handle is read from: "Empty" or "Rig/bone"; "" where it is not chosen."""
    other = item.object
    if other is None:
        return ""
    if other.pose is None:
        return readable_name(other)
    return f"{readable_name(other)}/{item.bone}" if item.bone in other.pose.bones else ""


def source_of(channel: Channel, bindings: Mapping[str, str]) -> str:
    """What a channel is read from; "" for the reference frame, and for a handle that cannot be held here."""
    if channel.kind in KINEMATIC_KINDS:
        return ""  # its source is what the frame was called in the takes
    if channel.kind == "handle":
        return bindings.get(channel.name, "")
    if channel.kind == "orientation":
        return bindings.get(channel.name.removesuffix(ORIENTATION), channel.source)
    if channel.kind == "size":
        return bindings.get(channel.name.removeprefix(SIZE_PREFIX), channel.source)
    return bindings.get(channel.name, channel.source)


def object_in(name: str) -> str:
    """The object of "Object" or "Object/Bone"."""
    return name if find(name) else name.rpartition("/")[0]


def _channel_of(obj: bpy.types.Object, item: NEURALPHYSICS_PG_interaction, names: ChannelNames) -> Channel:
    source = cast(bpy.types.Object, item.object)
    source_name = readable_name(source)
    name = names.add(item.name or source_name)
    if method_of(obj).follows_bones and is_skinned_by(obj, source):
        parts = followed_joints(obj, source)
        return Channel(name, "pose", POSE_ROWS * (2 + len(parts)), source_name, parts=parts)
    if source.type == "ARMATURE":
        parts = joint_names(item)
        if not parts:
            raise Problem("armature_without_bones", object=obj.name, rig=source_name)
        return Channel(name, "joints", 3 * len(parts), source_name, parts=parts)
    return Channel(name, "wind" if is_wind(source) else "position", 3, source_name)


class ChannelSampler:
    """Samples y frame by frame, the same way while baking and while playing.

    bindings: channel name -> name of the object to read in this scene; the channel's source where
    it says nothing. fps: frames per second of the scene, for velocities and accelerations. capsules: whose
    channels y has after those of the layout. widths: how wide objects were in the takes, m, by the channels
    of their sizes.
    What an undo or a newly opened file has replaced is found again by its name.
    """

    def __init__(
        self,
        obj: bpy.types.Object,
        layout: ChannelLayout,
        reference_frame: str,
        bindings: Mapping[str, str],
        *,
        fps: float,
        capsules: CapsuleSampler | None = None,
        widths: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Raises Problem("interaction_missing") for an object or bone that is not in this file."""
        self._widths, self._measured = widths, Widths()
        self._obj = Named(obj.name, obj.name)
        self._dt = 1.0 / fps
        self._layout = layout
        frame_name = bindings.get(FRAME_BINDING, reference_frame)
        self._frame = _Frame(obj.name, frame_name) if frame_name else None
        self._matrices: dict[int, Doubles] = {}
        self._y = np.empty(layout.size + (SIZES["capsule"] * len(capsules) if capsules else 0), np.float32)
        slices = layout.slices()
        self._readers: list[tuple[Reader, slice]] = []
        self._kinematics: list[tuple[str, slice]] = []
        self._places: list[tuple[Named, slice]] = []
        self._frame_from_world = Matrix.Identity(4)  # as it was sampled last
        for channel in layout.channels:
            if channel.kind in KINEMATIC_KINDS:
                self._kinematics.append((channel.kind, slices[channel.name]))
            else:
                source = source_of(channel, bindings)
                self._readers.append((self._reader(channel, source), slices[channel.name]))
                if channel.kind == "position":
                    self._places.append((Named(obj.name, source), slices[channel.name]))
        if capsules is not None:
            self._readers.append((capsules.rows, slice(layout.size, None)))

    def sample(self, depsgraph: bpy.types.Depsgraph, frame: int) -> Floats:
        """y (e,) float32 at the frame that `depsgraph` is evaluated at.

        Velocities and accelerations are differences to the frames sampled before; before the first
        of them the reference frame stood still. The array is reused by the next call.
        Raises Problem("interaction_missing" | "capsule_lost").
        """
        world_from_frame = self.world_from_frame(depsgraph)
        self._frame_from_world = frame_from_world = world_from_frame.inverted_safe()
        self._measured.forget()
        y = self._y
        for read, where in self._readers:
            y[where] = read(depsgraph, frame_from_world)
        if self._kinematics:
            moves = self._kinematics_at(frame, world_from_frame)
            for kind, where in self._kinematics:
                y[where] = getattr(moves, kind)
        return y

    def with_places(self, y: Floats, place_of: Callable[[bpy.types.Object], Vector | None]) -> Floats:
        """A copy of y as if objects that are followed were where `place_of` says, in world space.

        The reference frame, and what it gives no place for, are as they were sampled last.
        Raises Problem("interaction_missing").
        """
        y = y.copy()
        for source, where in self._places:
            place = place_of(source.original())
            if place is not None:
                y[where] = (self._frame_from_world @ place).to_tuple()
        return y

    def frame_from_world(self) -> Doubles:
        """(4, 4): to the reference frame's axes, as it was sampled last."""
        return np.array(self._frame_from_world)

    def object_from_frame(self, depsgraph: bpy.types.Depsgraph) -> Doubles | None:
        """(4, 4): from the reference frame's axes to the object's; None where they are the same."""
        if self._frame is None:
            return None
        object_from_world = self._obj.evaluated(depsgraph).matrix_world.inverted_safe()
        return np.array(object_from_world @ self._frame.matrix(depsgraph))

    def forget_from(self, frame: int) -> None:
        """Forget how the reference frame stood at `frame` and after."""
        for late in [f for f in self._matrices if f >= frame]:
            del self._matrices[late]

    def world_from_frame(self, depsgraph: bpy.types.Depsgraph) -> Matrix:
        """The matrix from the reference frame's axes, or the object's own, to the world's."""
        if self._frame is None:
            return self._obj.evaluated(depsgraph).matrix_world
        return self._frame.matrix(depsgraph)

    def _kinematics_at(self, frame: int, world_from_frame: Matrix) -> FrameKinematics:
        known = self._matrices
        now = known[frame] = np.array(world_from_frame)
        before = known.get(frame - 1, now)
        earlier = known.get(frame - 2, before)
        return frame_kinematics([now, before, earlier], self._dt)

    def _reader(self, channel: Channel, source: str) -> Reader:
        if channel.kind in PLAIN_READERS:
            return PLAIN_READERS[channel.kind](Named(self._obj.name, source))
        match channel.kind:
            case "joints":
                return joints_reader(Named(self._obj.name, source), channel)
            case "pose":
                return pose_reader(Named(self._obj.name, source), self._obj, channel)
            case "size" if channel.name in self._widths:
                return size_reader(Named(self._obj.name, source), self._widths[channel.name], self._measured)
            case _:
                return self._own_reader(channel, source)

    def _own_reader(self, channel: Channel, source: str) -> Reader:
        """The reader of what the object is or has by itself, or is set in its settings."""
        if channel.kind == "shape_keys":
            return keys_reader(self._obj, channel)
        if channel.kind == "ground":
            return _ground_reader(self._obj)
        if channel.kind == "handle":
            place = _Frame(self._obj.name, source) if source else None
            return _handle_reader(self._obj, channel.name.removeprefix(HANDLE_PREFIX), place)
        if channel.kind == "value" and channel.name in LIVE:
            return _live_reader(self._obj, channel.name)
        raise Problem("channel_not_sampled", object=self._obj.name, channel=channel.name)


class _Frame:
    """A reference frame: an object, or a bone of an armature ("Rig/neck")."""

    def __init__(self, owner: str, name: str) -> None:
        rig, _, bone = name.rpartition("/")
        self._bone = bone if rig and find(rig) and not find(name) else ""
        self._object = Named(owner, rig if self._bone else name)
        if self._bone and not self._has_bone():
            raise Problem("interaction_missing", object=owner, interaction=name)

    def _has_bone(self) -> bool:
        pose = self._object.original().pose
        return pose is not None and self._bone in pose.bones

    def matrix(self, depsgraph: bpy.types.Depsgraph) -> Matrix:
        """world_from_frame."""
        obj = self._object.evaluated(depsgraph)
        if not self._bone:
            return obj.matrix_world
        assert obj.pose is not None  # seen when it was bound
        return obj.matrix_world @ obj.pose.bones[self._bone].matrix


def _position_reader(source: Named) -> Reader:
    def read(depsgraph: bpy.types.Depsgraph, frame_from_world: Matrix) -> Values:
        return (frame_from_world @ source.evaluated(depsgraph).matrix_world.translation).to_tuple()

    return read


def _orientation_reader(source: Named) -> Reader:
    """The first two axes of an object, without its scale."""

    def read(depsgraph: bpy.types.Depsgraph, frame_from_world: Matrix) -> Values:
        turned = source.evaluated(depsgraph).matrix_world.to_quaternion()
        axes = (frame_from_world.to_quaternion() @ turned).to_matrix().col
        return (*axes[0], *axes[1])

    return read


def _wind_reader(source: Named) -> Reader:
    """The wind blows along its object's Z axis; direction times strength."""

    def read(depsgraph: bpy.types.Depsgraph, frame_from_world: Matrix) -> Values:
        obj = source.evaluated(depsgraph)
        field = cast(bpy.types.FieldSettings, obj.field)
        blows = obj.matrix_world.to_quaternion() @ UP
        return (frame_from_world.to_quaternion() @ (blows * field.strength)).to_tuple()

    return read


def _live_reader(owner: Named, name: str) -> Reader:
    """What the object's cloth is made of at a frame: one of `LIVE`."""

    def read(depsgraph: bpy.types.Depsgraph, _frame_from_world: Matrix) -> Values:
        return (getattr(settings_of(owner.evaluated(depsgraph)), name),)

    return read


def _handle_reader(owner: Named, name: str, source: _Frame | None) -> Reader:
    """A place and 1 where the artist holds the handle of this name, four zeros where it is free."""

    def read(depsgraph: bpy.types.Depsgraph, frame_from_world: Matrix) -> Values:
        handles = settings_of(owner.evaluated(depsgraph)).handles
        if source is None or name not in handles or not handles[name].hold:
            return 0.0, 0.0, 0.0, 0.0
        x, y, z = (frame_from_world @ source.matrix(depsgraph).translation).to_tuple()
        return x, y, z, 1.0

    return read


def _ground_reader(owner: Named) -> Reader:
    """The world's up in the frame's axes, and how high the frame's origin is above the ground."""

    def read(_depsgraph: bpy.types.Depsgraph, frame_from_world: Matrix) -> Values:
        height = settings_of(owner.original()).ground_height
        origin = frame_from_world.inverted_safe().translation
        up = frame_from_world.to_quaternion() @ UP
        return up.x, up.y, up.z, origin.z - height

    return read


# Of channels that are read from one object alone.
PLAIN_READERS: Mapping[str, Callable[[Named], Reader]] = {
    "position": _position_reader,
    "orientation": _orientation_reader,
    "wind": _wind_reader,
}

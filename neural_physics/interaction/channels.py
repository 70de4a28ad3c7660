"""What an object reacts to: named channels <-> the interaction vector y (Holden 2019, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats

Kind = Literal[
    "position",  # of an object's origin, in the reference frame
    "orientation",  # an object's first two axes, unit vectors in the reference frame
    "joints",  # positions of an armature's joints, in the reference frame
    "pose",  # where an armature takes the mesh at rest, in world space; see `Channel.parts`
    "shape_keys",  # values of the mesh's own, which change what an armature carries
    "ground",  # the world's up direction and the height above the ground, in the reference frame
    "velocity",  # of the reference frame, in its own axes
    "acceleration",
    "angular_velocity",
    "angular_acceleration",
    "wind",  # direction times strength, in the reference frame
    "capsule",  # the middles of its two balls, in the reference frame, then both radii
    "handle",  # how firmly, 0 or 1, the artist holds a handle, and before it where to, times that
    "size",  # how many times as wide as in the takes an object is
    "value",  # anything else, from an imported file
]
UNITS: dict[Kind, str] = {
    "position": "m",
    "orientation": "1",
    "joints": "m",
    "pose": "1",
    "shape_keys": "1",
    "ground": "m",
    "velocity": "m/s",
    "acceleration": "m/s^2",
    "angular_velocity": "rad/s",
    "angular_acceleration": "rad/s^2",
    "wind": "1",
    "capsule": "m",
    "handle": "m",
    "size": "1",
    "value": "1",
}
# Numbers of y that a channel of each kind takes; those not named take any.
SIZES: dict[Kind, int] = {
    "position": 3,
    "orientation": 6,
    "ground": 4,
    "velocity": 3,
    "acceleration": 3,
    "angular_velocity": 3,
    "angular_acceleration": 3,
    "wind": 3,
    "capsule": 8,
    "handle": 4,
    "size": 1,
}
# Kinds that no take has, and that a model is given while it plays.
PLAYED_KINDS: frozenset[Kind] = frozenset({"handle", "size"})
LARGEST_LAYOUT = 32768  # the 668 joints that move a human of Rigify take 8,040
POSE_ROWS = 12  # numbers of each matrix in a channel of kind "pose"


@dataclass(frozen=True)
class Channel:
    """One thing an object reacts to.

    name: unique within a layout; what the artist binds again in another scene.
    size: how many numbers of y it takes.
    source: the name of the object it was sampled from, "" if none.
    parts: names of the joints, for kind "joints"; size is then 3 * len(parts). Names of K bones, for kind
    "pose"; size is then 12 * (2 + K): the first three rows of K + 2 matrices, each row by row. They take
    points from the world to the reference frame, and from the object's axes to the world: as the object
    itself is placed, then as each bone takes a vertex that follows it alone. Names of the keys, for kind
    "shape_keys"; size is then len(parts).
    """

    name: str
    kind: Kind
    size: int
    source: str = ""
    parts: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """The unit of its numbers."""
        return UNITS[self.kind]


@dataclass(frozen=True)
class ChannelLayout:
    """The order of the channels in y. `dt`-dependent kinds are differences of whole frames."""

    channels: tuple[Channel, ...]

    @property
    def size(self) -> int:
        """Length e of y."""
        return sum(channel.size for channel in self.channels)

    def slices(self) -> dict[str, slice]:
        """Where each channel stands in y, by name."""
        result, first = {}, 0
        for channel in self.channels:
            result[channel.name] = slice(first, first + channel.size)
            first += channel.size
        return result

    def names(self) -> list[str]:
        """One name per number of y: `Ball.0`, `Ball.1`, ..."""
        return [f"{channel.name}.{i}" for channel in self.channels for i in range(channel.size)]

    def pack(self, values: Mapping[str, Sequence[float] | NDArray[Any]]) -> Floats:
        """Lay the channels' values, by name, into y (e,) float32."""
        y = np.empty(self.size, np.float32)
        for name, where in self.slices().items():
            y[where] = np.ravel(values[name])
        return y

    def to_json(self) -> list[dict[str, Any]]:
        """The layout as it is stored with datasets and models."""
        return [
            {
                "name": c.name,
                "kind": c.kind,
                "size": c.size,
                "unit": c.unit,
                "source": c.source,
                "parts": list(c.parts),
            }
            for c in self.channels
        ]

    @staticmethod
    def from_json(items: object) -> ChannelLayout:
        """Read what `to_json` wrote. Raises KeyError, TypeError or ValueError on anything else."""
        layout = ChannelLayout(tuple(_channel_from_json(item) for item in _list(items)))
        names = [channel.name for channel in layout.channels]
        if not names or len(set(names)) != len(names) or layout.size > LARGEST_LAYOUT:
            raise ValueError("channels are missing, repeated or too many")
        return layout


def _list(items: object) -> Iterable[Any]:
    if not isinstance(items, list):
        raise TypeError("not a list")
    return items


def _channel_from_json(item: Mapping[str, Any]) -> Channel:
    kind, size = item["kind"], item["size"]
    if kind not in get_args(Kind) or not isinstance(size, int) or not 0 < size <= LARGEST_LAYOUT:
        raise ValueError(f"unknown channel {item!r}"[:120])
    parts = tuple(str(part) for part in item.get("parts", ()))
    sizes = {"joints": 3 * len(parts), "pose": POSE_ROWS * (2 + len(parts)), "shape_keys": len(parts)}
    wanted = sizes.get(kind, SIZES.get(kind, size))
    if size != wanted:
        raise ValueError(f"a channel of kind {kind} has {wanted} numbers, not {size}")
    return Channel(str(item["name"]), kind, size, str(item.get("source", "")), parts=parts)


ORIENTATION = " orientation"  # after an object's name, in those of channels of this kind
HANDLE_PREFIX = "Handle "  # of the names of channels of kind "handle"
SHAPE_KEYS = "Shape Keys"  # of the name of the channel of this kind
SIZE_PREFIX = "Size "  # before the name of an object's channel of kind "position", in those of its size


def handle_channel(name: str) -> Channel:
    """How the artist holds a handle: an object of this name, or "Rig/bone"."""
    return Channel(HANDLE_PREFIX + name, "handle", SIZES["handle"], name)


def size_channel(position: Channel) -> Channel:
    """How large the object is whose place a channel holds."""
    return Channel(SIZE_PREFIX + position.name, "size", SIZES["size"], position.source)


# Channels that follow from where a reference frame is now and was one and two frames ago.
KINEMATIC_KINDS: tuple[Kind, ...] = ("velocity", "acceleration", "angular_velocity", "angular_acceleration")


@dataclass(frozen=True)
class FrameKinematics:
    """How a reference frame moves, in its own axes (Holden 2019, section 5.1). Each (3,) float64."""

    velocity: Doubles
    acceleration: Doubles
    angular_velocity: Doubles
    angular_acceleration: Doubles


def frame_kinematics(matrices: Sequence[Doubles], dt: float) -> FrameKinematics:
    """Velocities and accelerations of a frame by backward differences.

    matrices: world_from_frame (4, 4) now, one step ago and two steps ago. Backward, so that live
    play, where the future is unknown, sees the same numbers as the bake did. dt in seconds.
    """
    now, before, earlier = (np.asarray(m, float) for m in matrices)
    to_frame = _rotation(now).T
    velocity = (now[:3, 3] - before[:3, 3]) / dt
    velocity_before = (before[:3, 3] - earlier[:3, 3]) / dt
    omega = _rotation_vector(_rotation(now) @ _rotation(before).T) / dt
    omega_before = _rotation_vector(_rotation(before) @ _rotation(earlier).T) / dt
    return FrameKinematics(
        velocity=to_frame @ velocity,
        acceleration=to_frame @ (velocity - velocity_before) / dt,
        angular_velocity=to_frame @ omega,
        angular_acceleration=to_frame @ (omega - omega_before) / dt,
    )


def _rotation(matrix: Doubles) -> Doubles:
    """The rotation of a 4x4 matrix, its scale removed."""
    return matrix[:3, :3] / np.maximum(np.linalg.norm(matrix[:3, :3], axis=0), 1e-12)


def _rotation_vector(rotation: Doubles) -> Doubles:
    """Axis times angle of a rotation matrix, radians, for angles below pi."""
    skew = 0.5 * np.array(
        [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
    )
    sine = float(np.linalg.norm(skew))
    angle = np.arctan2(sine, 0.5 * (np.trace(rotation) - 1.0))
    return skew if sine < 1e-9 else skew * (angle / sine)

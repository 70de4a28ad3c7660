"""What the interaction y of one object that plays is read from, in one scene and with one setup."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import bpy

from ...capsules.projection import Bodies
from ...errors import Problem
from ...interaction.channels import ChannelLayout
from ...methods.interface import Method
from ...models.model_file import ModelInfo
from ...skinning.shape_keys import MOST_KEYS
from ...timeline.timeline import MOST_STEPS, Timeline
from ..scene.artist_handles import MOST_HANDLES
from ..scene.capsule_sampling import CapsuleSampler, CapsuleSettings
from ..scene.collider_sizes import widths_of
from ..scene.interaction_names import MOST_INTERACTIONS, check_interactions
from ..scene.references import Named
from ..scene.sampling import FRAME_BINDING, ChannelSampler, bindings_of, bound_numbers, object_in, source_of
from ..scene.setting_up import BOUND_KINDS, is_animated
from ..settings.frame_rate import frame_rate_of
from ..settings.properties import settings_of
from .output.projecting import Projection
from .unanimated_channels import UnanimatedChannels


class Setup(NamedTuple):
    """What a binding depends on; when it changes, the object starts over.

    scene: its session_uid. fps: frames per second. start_frame: shows the start state.
    bound: see `sampling.bound_numbers`. capsules: that cloth is simulated against; carriers: see
    `CapsuleSampler`.
    """

    scene: int
    fps: float
    start_frame: int
    bound: dict[str, tuple[int, str]]
    capsules: tuple[CapsuleSettings, ...]
    carriers: dict[int, str]


def setup_of(scene: bpy.types.Scene, obj: bpy.types.Object, capsules: CapsuleSampler | None) -> Setup:
    """What the scene and the object's settings ask for now.

    Raises Problem("interactions_too_many" | "frame_rate_missing").
    """
    check_interactions(obj)
    fps, start = frame_rate_of(scene), settings_of(obj).start_frame
    settings, carriers = (capsules.settings, capsules.carriers()) if capsules is not None else ((), {})
    return Setup(scene.session_uid, fps, start, bound_numbers(obj), settings, carriers)


def check_channels(obj: bpy.types.Object, channels: ChannelLayout, model: str) -> None:
    """Raise Problem("model_reacts_to_too_much") for more than an object's lists can bind.

    So an imported model is checked, too; one in a .blend may have come there by any way.
    """
    counts = Counter[str](channel.kind for channel in channels.channels)
    listed = sum(counts.pop(kind, 0) for kind in BOUND_KINDS)
    keys = sum(len(channel.parts) for channel in channels.channels if channel.kind == "shape_keys")
    most = [(listed, MOST_INTERACTIONS), (counts.pop("handle", 0), MOST_HANDLES), (keys, MOST_KEYS)]
    most += [(counts.pop("shape_keys", 0), 1)]
    # Values are live settings, each at most once, or they are not sampled; sizes are of colliders.
    most += [(count, MOST_INTERACTIONS) for kind, count in counts.items() if kind not in ("value", "size")]
    for found, allowed in most:
        if found > allowed:
            numbers = {"found": f"{found:,}", "allowed": f"{allowed:,}"}
            raise Problem("model_reacts_to_too_much", path=model, object=obj.name, **numbers)


class Binding:
    """sampler: reads y. timeline: the states that follow from it. followed: all objects that y depends on, by
    name; sources: those that each channel is read from. unanimated: the channels that only a hand moves.
    """

    def __init__(
        self,
        obj: bpy.types.Object,
        setup: Setup,
        info: ModelInfo,
        method: Method,
        *,
        projection: Projection,
        cloth_capsules: CapsuleSampler | None,
    ) -> None:
        """cloth_capsules: those capsules that a method which simulates collides with, as channels of y.

        Raises Problem("frame_rate_unusable" | "interaction_missing" | "channel_not_sampled").
        """
        if not 1.0 / MOST_STEPS <= setup.fps * method.dt <= MOST_STEPS:
            rates = {"found": f"{setup.fps:.3g}", "expected": f"{1.0 / method.dt:.3g}"}
            raise Problem("frame_rate_unusable", object=obj.name, **rates)
        self.setup = setup
        self._projection, self._cloth_capsules, self._own_size = (
            projection,
            cloth_capsules,
            info.channels.size,
        )
        bindings = bindings_of(obj)
        if not info.reference_frame:
            bindings.pop(FRAME_BINDING, None)
        self.sampler = ChannelSampler(
            obj,
            info.channels,
            info.reference_frame,
            bindings,
            fps=setup.fps,
            capsules=cloth_capsules,
            widths=widths_of(method),
        )
        self.timeline = Timeline(method, setup.fps, setup.start_frame)
        frame = bindings.get(FRAME_BINDING, info.reference_frame)
        frame = object_in(frame) or obj.name
        names = {
            channel.name: obj.name
            if channel.kind == "shape_keys"
            else object_in(source_of(channel, bindings)) or frame
            for channel in method.channels.channels
        }
        self.followed = {name: Named(obj.name, name) for name in {*names.values(), frame}}
        self.sources = {channel: self.followed[name] for channel, name in names.items()}
        own = "ground", "value", "shape_keys"  # kinds that are read from the object itself
        self._objects = {channel.name for channel in method.channels.channels if channel.kind not in own}
        self.unanimated = UnanimatedChannels(method.channels, widths_of(method), self.sources)
        self.unanimated.look(obj)
        self._frame_object = self.followed[frame]

    def frame_is_animated(self) -> bool:
        """Whether keys move the reference frame. Raises Problem("interaction_missing")."""
        return is_animated(self._frame_object.original())

    def look_ahead_obstacle(self, obj: bpy.types.Object) -> Problem | None:
        """Problem("look_ahead_not_keyed") where nothing that moves the object is animated, else None.

        Raises Problem("interaction_missing").
        """
        if is_animated(obj) or any(is_animated(source.original()) for source in set(self.sources.values())):
            return None
        return Problem("look_ahead_not_keyed", object=obj.name)

    def bodies(self, depsgraph: bpy.types.Depsgraph, frame: int, subframe: float) -> Bodies | None:
        """What to push out of at the frame that is evaluated, which is remembered.

        Simulated cloth is pushed out of the capsules as they were at this frame, wherever they are now.
        """
        if not self._projection.active:
            return None
        world = self.sampler.world_from_frame(depsgraph)
        if self._cloth_capsules is None:
            return self._projection.at(depsgraph, frame, subframe, world)
        y = self.timeline.recorded_between(frame, subframe)
        return None if y is None else self._cloth_capsules.bodies(y[self._own_size :], world)

    def label(self, channel: str) -> str:
        """What an artist knows a channel by: the object it is read from, or its own name."""
        return self.sources[channel].name if channel in self._objects else channel

    def moved(self, depsgraph: bpy.types.Depsgraph, frame: int) -> bool:
        """Whether what the shape on show was pushed out of is elsewhere now."""
        return self._projection.moved(self.bodies(depsgraph, frame, 0.0))

    def forget_from(self, frame: int) -> None:
        """Forget where things were at a frame and after, but for the states."""
        self.sampler.forget_from(frame)
        self._projection.forget_from(frame)

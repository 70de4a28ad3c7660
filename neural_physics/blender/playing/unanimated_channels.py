"""Which values of y only a hand moves while an object plays: what no keys, drivers or strips change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import bpy
import mathutils
import numpy as np

from ...arrays import Mask
from ...interaction.channels import ChannelLayout
from ..scene.animation.keying import KeyedPaths
from ..scene.artist_handles import hold_is_keyed
from ..scene.collider_sizes import is_scaled_by_keys
from ..scene.live_fabric import live_names, setting_path
from ..scene.references import Named, with_parents
from ..scene.rigs.shape_keys import keys_are_animated
from ..scene.setting_up import is_animated


class UnanimatedChannels:
    """names: the channels that only a hand moves, as it was looked at last. values (e,): theirs."""

    def __init__(self, layout: ChannelLayout, sized: Collection[str], sources: Mapping[str, Named]) -> None:
        """sized: the channels of colliders' sizes. sources: what each channel is read from."""
        self._live = live_names(layout)  # read from the object's own settings
        self._held = [channel.name for channel in layout.channels if channel.kind == "handle"]
        self._keyed = [channel.name for channel in layout.channels if channel.kind == "shape_keys"]
        self._sized, self._sources, self._slices = sized, sources, layout.slices()
        self.names: list[str] = []
        self.values = np.zeros(layout.size, bool)

    @property
    def keyed(self) -> bool:
        """Whether keys change what the cloth is made of, or hold handles."""
        return not {*self._live, *self._held} <= set(self.names)

    def differ(self, obj: bpy.types.Object | None) -> bool:
        """Whether others are moved by hand alone now: keys were made, or taken away."""
        return self._now(obj) != self.names

    def look(self, obj: bpy.types.Object | None) -> bool:
        """Look which they are now; whether they differ from before."""
        names = self._now(obj)
        if names == self.names:
            return False
        self.names, self.values[:] = names, False
        for name in self.names:
            self.values[self._slices[name]] = True
        return True

    def whole(self, values: Mask) -> Mask:
        """(e,): all values of the channels of which any value is marked."""
        marked = np.zeros_like(values)
        for where in self._slices.values():
            marked[where] = values[where].any()
        return marked

    def places(self) -> dict[str, list[mathutils.Matrix]]:
        """Where what moves these channels stands, and all that it hangs on. Raises what `Named` does.

        What moves several channels is looked at once.
        """
        moving = {self._sources[name] for name in self.names}
        found = {source: _places(source.original()) for source in moving}
        return {name: found[self._sources[name]] for name in self.names}

    def moved_since(
        self, places: Mapping[str, list[mathutils.Matrix]], depsgraph: bpy.types.Depsgraph
    ) -> Mask:
        """(e,): the values of channels that are moved by what stands elsewhere now."""
        marked = np.zeros_like(self.values)
        moved: dict[Named, bool] = {}
        for name in self.names:
            if name not in places:
                continue
            source = self._sources[name]
            if source not in moved:
                moved[source] = places[name] != _places(source.evaluated(depsgraph))
            marked[self._slices[name]] |= moved[source]
        return marked

    def _now(self, obj: bpy.types.Object | None) -> list[str]:
        looks, keyed = _Looks(), None if obj is None else KeyedPaths(obj)
        return [name for name in self._sources if not self._is_animated(obj, name, looks, keyed)]

    def _is_animated(
        self, obj: bpy.types.Object | None, channel: str, looks: _Looks, keyed: KeyedPaths | None
    ) -> bool:
        if channel in self._sized:
            return looks.at(is_scaled_by_keys, self._sources[channel])
        if obj is not None and keyed is not None:
            if channel in self._live:
                return setting_path(channel) in keyed
            if channel in self._keyed:
                return keys_are_animated(obj)
            if channel in self._held and hold_is_keyed(obj, channel, keyed):
                return True
        return looks.at(is_animated, self._sources[channel])


class _Looks:
    """What was found of objects in one look, each asked once, however many channels are read from it."""

    def __init__(self) -> None:
        self._known: dict[tuple[Callable[[bpy.types.Object], bool], Named], bool] = {}

    def at(self, ask: Callable[[bpy.types.Object], bool], source: Named) -> bool:
        """What a question is answered with of an object. Raises what `Named` does."""
        if (ask, source) not in self._known:
            self._known[ask, source] = ask(source.original())
        return self._known[ask, source]


def _places(obj: bpy.types.Object) -> list[mathutils.Matrix]:
    """Where an object is put, and each that it hangs on."""
    return [above.matrix_basis.copy() for above in with_parents(obj)]

"""What an object reacts to: how many lines there may be, and the names of the channels they stand for."""

from __future__ import annotations

import bpy

from ...baking.fabric_ranges import LIVE
from ...errors import Problem
from ..settings.from_files.readable_names import readable_name
from ..settings.properties import settings_of

MOST_INTERACTIONS = 200  # lines: all are read for each frame that plays, and at each redraw of the tab


class ChannelNames:
    """Names of channels, none of them twice, and none of a live setting."""

    def __init__(self) -> None:
        self._taken = set(LIVE)
        self._last: dict[str, int] = {}  # by name without a number: up to it, all are taken

    def add(self, wanted: str) -> str:
        """The name wanted, with a number if that is taken; it is taken from now on."""
        name, number = wanted, self._last.get(wanted, 1)
        while name in self._taken:
            number += 1
            name = f"{wanted} {number}"
        self._last[wanted] = number
        self.take(name)
        return name

    def take(self, name: str) -> None:
        """Let no further channel have this name."""
        self._taken.add(name)


def check_interactions(obj: bpy.types.Object) -> None:
    """Raise Problem("interactions_too_many") for an object that reacts to more than anybody sets up."""
    found = len(settings_of(obj).interactions)
    if found > MOST_INTERACTIONS:
        raise Problem("interactions_too_many", object=obj.name, found=f"{found:,}", allowed=MOST_INTERACTIONS)


def check_room(obj: bpy.types.Object, model: str, added: int, known: int, *, allowed: int) -> None:
    """Raise Problem("model_reacts_to_too_much") where a model adds lines, to more than are allowed.

    known: the lines that are there.
    """
    if added and added + known > allowed:
        raise Problem(
            "model_reacts_to_too_much",
            path=model,
            object=obj.name,
            found=f"{added + known:,}",
            allowed=f"{allowed:,}",
        )


def interaction_names(obj: bpy.types.Object) -> list[str]:
    """The name of the channel that each interaction with an object stands for, in their order."""
    names = ChannelNames()
    lines = [item for item in settings_of(obj).interactions if item.object]
    return [names.add(item.name or readable_name(item.object)) for item in lines]

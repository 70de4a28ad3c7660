"""Whether what plays may move by itself in a file in which something may write on disk.

To show a shape is an edit, after which Blender simulates what depends on it anew, and deletes its frames; and
a frame that is visited on the way to another one is simulated as if the artist had gone there. Where the
frames lie, the file says, which may be somebody else's. So where anything writes, or may, nothing moves
before the artist asks for motion; and that is asked for beside what writes then, and beside nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import bpy

from ..scene.animation.animated_paths import all_data
from ..scene.simulation_caches import what_animates_writing, what_writes

Dangers = frozenset[Hashable]


class Consent:
    """Of one file. plays: whether anything in it says that it plays."""

    def __init__(self, plays: Callable[[], bool]) -> None:
        self._plays = plays
        self._asked_beside: Dangers | None = None  # what wrote, or might, as the artist asked for motion
        self._animated: Dangers = frozenset()
        self._looked_through: frozenset[int] = frozenset()  # what there was for that, by session_uid
        self._linked: set[int] = set()
        self.waits = False  # whether nothing is shown, and nothing of what plays is changed

    def forget(self) -> None:
        """Another file is being opened. Nothing moves before `decide`, also where that is never reached."""
        self._asked_beside, self.waits = None, True

    def decide(self) -> None:
        """A file was opened."""
        self.forget()
        self._look_anew()
        self.waits = self._plays() and not self.goes_further

    def ask_anew(self) -> None:
        """Something has come from a file, or was brought back by an undo or redo."""
        self._look_anew()
        self.waits = self.waits or (self._plays() and not self.goes_further)

    def note_start(self) -> None:
        """Something begins to play, whoever has said so."""
        self.waits = self.waits or not self.goes_further

    def note_linked(self, data: bpy.types.ID) -> None:
        """Something linked was evaluated: it may be of a library that was read again."""
        if data.session_uid not in self._linked:
            self.ask_anew()

    def give(self) -> None:
        """The artist asks for motion: what simulates may do what it does when Blender plays it."""
        self._look_anew()
        self._asked_beside, self.waits = self._dangers(), False

    @property
    def goes_further(self) -> bool:
        """Whether frames may be visited that nobody went to, and files shown that lie beside the scene."""
        dangers = self._dangers()
        return not dangers or (self._asked_beside is not None and dangers <= self._asked_beside)

    def _look_anew(self) -> None:
        self._looked_through = frozenset()
        self._linked = {each.session_uid for data in all_data() for each in data if each.library is not None}

    def _dangers(self) -> Dangers:
        """What writes or deletes as frames are visited, or may; what cannot be told is always another one.

        Where no curve did, all are gone through again only where something has come since.
        """
        try:
            there = frozenset(each.session_uid for data in all_data() for each in data)
            if self._animated or not self._looked_through or not there <= self._looked_through:
                self._animated = what_animates_writing()
                self._looked_through = there
            return what_writes() | self._animated
        except Exception:  # noqa: BLE001 (a file may hold anything)
            return frozenset({object()})

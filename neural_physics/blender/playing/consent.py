"""Whether what plays may move by itself in a file in which something may write on disk.

To show a shape is an edit, after which Blender simulates what depends on it anew, and deletes its frames.
Where the frames lie, the file says, which may be somebody else's. So where anything writes, or may, nothing
moves before the artist asks for motion; and that is asked for beside what writes then, in the scene on show,
and beside nothing else. Frames that nobody goes to are not visited there at all, whoever asks: what is
simulated on the way would write, in view layers and frames, too, that Blender's own playing never goes to.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import bpy

from ..scene.animation.animated_paths import all_data
from ..scene.simulation_caches import first_writer, what_animates_writing, what_writes

Dangers = frozenset[Hashable]


class Consent:
    """Of one file. plays: whether anything in it says that it plays."""

    def __init__(self, plays: Callable[[], bool]) -> None:
        self._plays = plays
        self._asked_beside: Dangers | None = None  # what wrote, or might, as the artist asked for motion
        self._scenes = set[int]()  # in which that was asked for, or which were on show before; by session_uid
        self._animated: Dangers = frozenset()
        self._looked_through: frozenset[int] = frozenset()  # what there was for that
        self._linked: frozenset[int] = frozenset()
        self.waits = False  # whether nothing is shown, and nothing of what plays is changed

    def forget(self) -> None:
        """Another file is being opened. Nothing moves before `decide`, also where that is never reached."""
        self._asked_beside, self.waits = None, True

    def decide(self) -> None:
        """A file was opened."""
        self.forget()
        self._scenes.clear()
        self._look_anew()
        self.waits = self._plays() and not self.is_given

    def ask_anew(self) -> None:
        """Something has come from a file."""
        self._look_anew()
        self.waits = self.waits or (self._plays() and not self.is_given)

    def note_undo(self) -> None:
        """Something may be back that was not there as motion was asked for; of curves nobody knows what."""
        self._look_anew()
        self._dangers()
        if self._animated:
            self._asked_beside = None
        self.waits = self.waits or (self._plays() and not self.is_given)

    def note_start(self) -> None:
        """Something begins to play, whoever has said so."""
        self.waits = self.waits or not self.is_given

    def note_scene(self, scene: bpy.types.Scene) -> None:
        """A scene is on show: in one that was not before, motion was not asked for."""
        if scene.session_uid not in self._scenes:
            self._scenes.add(scene.session_uid)
            self.waits = self.waits or (self._plays() and bool(self._dangers()))

    def note_update(self, data: bpy.types.ID) -> None:
        """Something was evaluated: if it is a library's, or overrides that, this may have been read again."""
        of_library = data.library is not None or data.override_library is not None
        if of_library and not _linked() <= self._linked:
            self.ask_anew()

    def give(self, scene: bpy.types.Scene | None) -> None:
        """The artist asks for motion in this scene: what simulates may do what it does when Blender plays."""
        self._look_anew()
        self._asked_beside, self.waits = self._dangers(), False
        if scene is not None:
            self._scenes.add(scene.session_uid)

    @property
    def is_given(self) -> bool:
        """Whether nothing writes, or may, but what did as motion was asked for."""
        dangers = self._dangers()
        return not dangers or (self._asked_beside is not None and dangers <= self._asked_beside)

    @property
    def is_needed(self) -> bool:
        """Whether anything writes, or may."""
        return bool(self._dangers())

    @property
    def may_visit(self) -> bool:
        """Whether frames may be visited that nobody went to."""
        try:
            return first_writer() is None and not self._look_through()
        except Exception:  # noqa: BLE001 (a file may hold anything)
            return False

    def _look_anew(self) -> None:
        self._looked_through = frozenset()
        self._linked = _linked()

    def _look_through(self) -> Dangers:
        """What animates writing. Where none did, all is gone through again only where something has come."""
        there = frozenset(each.session_uid for data in all_data() for each in data)
        if self._animated or not self._looked_through or not there <= self._looked_through:
            self._animated = what_animates_writing()
            self._looked_through = there
        return self._animated

    def _dangers(self) -> Dangers:
        """What writes or deletes on disk as shapes are shown, or may; another one each time if that fails."""
        try:
            return what_writes() | self._look_through()
        except Exception:  # noqa: BLE001 (a file may hold anything)
            return frozenset({object()})


def _linked() -> frozenset[int]:
    return frozenset(each.session_uid for data in all_data() for each in data if each.library is not None)

"""Whether what plays may move by itself in a file in which something may write on disk.

To show a shape is an edit, after which Blender simulates what depends on it anew, and deletes its frames; and
a frame that is visited on the way to another one is simulated as if the artist had gone there. Where the
frames lie, the file says, which may be somebody else's. So where anything writes, or may, nothing moves
before the artist asks for motion; and what was asked for holds for what was there.
"""

from __future__ import annotations

from collections.abc import Callable

from ..scene.animation.animated_paths import all_data
from ..scene.simulation_caches import caches_write, writing_is_animated


class Consent:
    """Of one file. plays: whether anything in it says that it plays."""

    def __init__(self, plays: Callable[[], bool]) -> None:
        self._plays = plays
        self._asked_for: frozenset[int] | None = None  # what was there as the artist asked, by session_uid
        self._harmless: frozenset[int] | None = None  # what was there as nothing of it animated a cache
        self._imported = False
        self.waits = False  # whether nothing is shown, and nothing of what plays is changed

    @property
    def asked(self) -> bool:
        """Whether the artist has asked for motion, and no library has been read again since."""
        return self._asked_for is not None and _all_uids(linked=True) <= self._asked_for

    def forget(self) -> None:
        """Another file is being opened. Nothing moves before `decide`, also where that is never reached."""
        self._asked_for = self._harmless = None
        self._imported, self.waits = False, True

    def decide(self) -> None:
        """A file was opened."""
        self._asked_for = self._harmless = None
        self._imported = False
        self.waits = self._plays() and self._writes()

    def note_import(self) -> None:
        """Something has come from another file, or from the same in a new version."""
        self._asked_for = self._harmless = None
        self._imported = True
        self.waits = self.waits or (self._plays() and self._writes())

    def note_undo(self) -> None:
        """An undo or redo may have brought back what had been imported, and was gone as the artist asked."""
        if self._imported and self._asked_for is not None and not _all_uids() <= self._asked_for:
            self.note_import()

    def note_start(self) -> None:
        """Something begins to play, whoever has said so."""
        self.waits = self.waits or not (self.asked or not self._writes())

    def give(self) -> None:
        """The artist asks for motion: what simulates may do what it does when Blender plays it."""
        self._asked_for, self.waits = _all_uids(), False

    @property
    def goes_further(self) -> bool:
        """Whether frames may be visited that nobody went to, and files shown that lie beside the scene."""
        return self.asked or not self._writes()

    def _writes(self) -> bool:
        """Whether to visit frames may write or delete anything; what cannot be told may.

        All curves are gone through again only where something has come since.
        """
        try:
            if caches_write():
                return True
            there = _all_uids()
            if self._harmless is None or not there <= self._harmless:
                if writing_is_animated():
                    return True
                self._harmless = there
        except Exception:  # noqa: BLE001 (a file may hold anything)
            return True
        return False


def _all_uids(*, linked: bool = False) -> frozenset[int]:
    """Of all that the file has, or of what is linked alone; what is read again gets new ones."""
    return frozenset(each.session_uid for data in all_data() for each in data if each.library or not linked)

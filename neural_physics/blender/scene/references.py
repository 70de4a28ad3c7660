"""Objects that are followed from frame to frame, by their name or their number.

Blender searches names one by one, so what was found is kept. A deleted object says so when it is
asked anything. After an undo or in another file it may not: then everything is searched for again.
"""

from __future__ import annotations

import bpy

from ...errors import Problem


class _Search:
    """number: what was found in an earlier search is not asked any more."""

    number = 0


def search_again() -> None:
    """Forget all objects that were found, as after an undo or when a file was opened."""
    _Search.number += 1


class Named:
    """An object by its name; owner: the name of the one that asks, for messages."""

    def __init__(self, owner: str, name: str) -> None:
        """Raises Problem("interaction_missing") if there is none."""
        self.owner, self.name = owner, name
        self._found: bpy.types.Object | None = None
        self._search = _Search.number
        self.original()

    def original(self) -> bpy.types.Object:
        """Raises Problem("interaction_missing")."""
        found = self._found
        if found is not None and self._search == _Search.number:
            try:
                if found.name == self.name:
                    return found
            except ReferenceError:  # deleted
                pass
        found = self._found = bpy.data.objects.get(self.name)
        self._search = _Search.number
        if found is None:
            raise Problem("interaction_missing", object=self.owner, interaction=self.name)
        return found

    def evaluated(self, depsgraph: bpy.types.Depsgraph) -> bpy.types.Object:
        """The object as it is in an evaluated scene."""
        return self.original().evaluated_get(depsgraph)


class Numbered:
    """An object by its session_uid, whatever it is called."""

    def __init__(self, obj: bpy.types.Object) -> None:
        self.uid = obj.session_uid
        self._found: bpy.types.Object | None = obj
        self._search = _Search.number

    def original(self) -> bpy.types.Object | None:
        """None once it is deleted."""
        found = self._found
        if found is not None and self._search == _Search.number:
            try:
                if found.session_uid == self.uid:
                    return found
            except ReferenceError:
                pass
        self._found = next((obj for obj in bpy.data.objects if obj.session_uid == self.uid), None)
        self._search = _Search.number
        return self._found

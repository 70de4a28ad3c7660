"""Objects that are followed from frame to frame, by their name or their number.

Blender searches names one by one, so what was found is kept. A deleted object says so when it is
asked anything. After an undo or in another file it may not: then everything is searched for again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import bpy

from ...errors import Problem
from ..settings.from_files.readable_names import readable_full_name, readable_name


class _Search:
    """number: what was found in an earlier search is not asked any more."""

    number = 0


def search_again() -> None:
    """Forget all objects that were found, as after an undo or when a file was opened."""
    _Search.number += 1


def find(name: str) -> bpy.types.Object | None:
    """The object of this `name_full`, else of this name, if there is one.

    One that is linked may have the name of another here: its `name_full` says its library, too.
    """
    objects = bpy.data.objects
    here = objects.get((name, None))
    if here is None and name.endswith("]"):  # as all names do that say a library
        here = next((obj for obj in objects if readable_full_name(obj) == name), None)
    return here or objects.get(name)


def is_in(scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
    """Whether an object is in a scene, in which one of another file may have its name.

    `users_scene` goes through all objects of all scenes.
    """
    found = scene.objects.get(obj.name)
    return found == obj or (found is not None and obj in scene.objects.values())


class Named:
    """An object that was found by its name, whatever it is called later; owner: who asks, for messages.

    name: see `find`.
    """

    def __init__(self, owner: str, name: str) -> None:
        """Raises Problem("interaction_missing") if there is none."""
        self.owner, self._name, self._full_name, self._uid = owner, name, name, 0
        self._found: bpy.types.Object | None = None
        self._search = _Search.number
        self.original()

    @property
    def name(self) -> str:
        """What it is called now, or was called last."""
        found = self._still_there()
        if found is not None:
            self._name, self._full_name = readable_name(found), readable_full_name(found)
        return self._name

    def original(self) -> bpy.types.Object:
        """Raises Problem("interaction_missing")."""
        found = self.there()
        if found is None:
            raise Problem("interaction_missing", object=self.owner, interaction=self._name)
        return found

    def there(self) -> bpy.types.Object | None:
        """None once it is deleted."""
        found = self._still_there()
        if found is not None:
            return found
        found = self._found = _numbered(self._uid) or find(self._full_name)
        self._search = _Search.number
        if found is not None:
            self._name, self._full_name = readable_name(found), readable_full_name(found)
            self._uid = found.session_uid
        return found

    def _still_there(self) -> bpy.types.Object | None:
        return _if_current(self._found, self._uid, self._search)

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
        found = _if_current(self._found, self.uid, self._search)
        if found is None:
            found = self._found = _numbered(self.uid)
            self._search = _Search.number
        return found


def _numbered(uid: int) -> bpy.types.Object | None:
    """The object of this session_uid; none is 0."""
    if not uid:
        return None
    return next((obj for obj in bpy.data.objects if obj.session_uid == uid), None)


def _if_current(found: bpy.types.Object | None, uid: int, search: int) -> bpy.types.Object | None:
    """What was found, unless it was deleted since or everything is to be searched for again."""
    if found is None or search != _Search.number:
        return None
    try:
        return found if found.session_uid == uid else None
    except ReferenceError:  # deleted
        return None


def with_parents(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The object, what it is parented to, what that is parented to, and so on: there may be thousands.

    Each once: in a damaged file they may go round in a circle, which Blender opens.
    """
    seen, above = set[int](), cast(bpy.types.Object | None, obj)
    while above is not None and above.as_pointer() not in seen:  # evaluated ones have no session_uid
        yield above
        seen.add(above.as_pointer())
        above = above.parent

"""Homes of objects that name no folder: each its own, though names differ too little for a file system."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import bpy

from ...errors import Problem
from ...files.links import has_link
from ...files.listing import first_entries
from ...files.names import same_key
from .glances import Glances
from .having_settings import having_settings
from .named_places import can_name, is_place, place_named
from .properties import settings_of


@dataclass(frozen=True)
class _Look:
    """Into a folder in which objects have their homes.

    there: the names of what is in it, as `same_key` has them. named_by: the objects, by their session_uid,
    whose settings name files in each of its folders.
    """

    there: frozenset[str]
    named_by: dict[str, set[int]]


_looks: Glances[_Look] = Glances()


def not_anothers(home: Path, obj: bpy.types.Object) -> Path:
    """A folder, or the first of those with a number that no other object's settings name files in."""
    look = _looks.of((home.parent, len(bpy.data.objects)), lambda: _look_into(home.parent))
    if same_key(home.name) not in look.there:
        return home
    numbered = (home if number == 1 else home.with_name(f"{home.name} {number}") for number in count(1))
    return next(each for each in numbered if not look.named_by[same_key(each.name)] - {obj.session_uid})


def _look_into(parent: Path) -> _Look:
    named = defaultdict[str, set[int]](set)
    named_by = defaultdict[str, set[int]](set)
    there = frozenset(same_key(each.name) for each in _entries(parent))
    if there:  # else all homes are free
        for other in having_settings(bpy.data.objects):
            settings = settings_of(other)
            for name in {settings.dataset_folder, settings.model_path} - {""}:
                named[name].add(other.session_uid)
    for name, objects in named.items():
        place = place_named(name) if can_name(name) and is_place(name) else parent
        if place.is_relative_to(parent) and len(parts := place.relative_to(parent).parts) > 1:
            named_by[same_key(parts[0])] |= objects
    return _Look(there, named_by)


def _entries(folder: Path) -> list[Path]:
    """What can be seen in a folder: where it cannot be read, nothing is written there either.

    Nor through a link, which is not visited before the artist has agreed to it.
    """
    if has_link(folder.parent, folder.name):
        return []
    try:
        return first_entries(folder, None)
    except Problem:
        return []

"""Homes of objects that name no folder: each its own, though names differ too little for a file system."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import bpy

from ...errors import Problem
from ...files.listing import first_entries
from ...files.names import same_key
from .having_settings import having_settings
from .named_places import LONGEST, is_place, place_named
from .properties import settings_of

GLANCE, SHARE = 0.5, 0.05  # seconds that a look is good for, or as many as it took over this share


@dataclass(frozen=True)
class _Look:
    """Into a folder in which objects have their homes, until when it is good for a glance.

    there: the names of what is in it, as `same_key` has them. named_by: the objects, by their session_uid,
    whose settings name files in each of its folders. objects: how many there were in the file.
    """

    there: frozenset[str]
    named_by: dict[str, set[int]]
    objects: int
    until: float


_glancing = 0
_last: dict[Path, _Look] = {}


@contextmanager
def at_a_glance() -> Iterator[None]:
    """While panels are drawn, and buttons asked whether they can be clicked: a hundred times in a redraw.

    Then what was found of all objects a moment ago is not looked for again. What is done at a click looks
    anew.
    """
    global _glancing  # noqa: PLW0603 (as deep as such questions lie in each other)
    _glancing += 1
    try:
        yield
    finally:
        _glancing -= 1


def not_anothers(home: Path, obj: bpy.types.Object) -> Path:
    """A folder, or the first of those with a number that no other object's settings name files in."""
    look, now = _last.get(home.parent), time.monotonic()
    if not _glancing or look is None or look.until < now or look.objects != len(bpy.data.objects):
        _last.clear()
        look = _last[home.parent] = _look_into(home.parent)
    if same_key(home.name) not in look.there:
        return home
    numbered = (home if number == 1 else home.with_name(f"{home.name} {number}") for number in count(1))
    return next(each for each in numbered if not look.named_by[same_key(each.name)] - {obj.session_uid})


def _look_into(parent: Path) -> _Look:
    began = time.monotonic()
    named = defaultdict[str, set[int]](set)
    named_by = defaultdict[str, set[int]](set)
    there = frozenset(same_key(each.name) for each in _entries(parent))
    if there:  # else all homes are free
        for other in having_settings(bpy.data.objects):
            settings = settings_of(other)
            for name in {settings.dataset_folder, settings.model_path} - {""}:
                named[name].add(other.session_uid)
    for name, objects in named.items():
        place = place_named(name) if len(name) <= LONGEST and is_place(name) else parent
        if place.is_relative_to(parent) and len(parts := place.relative_to(parent).parts) > 1:
            named_by[same_key(parts[0])] |= objects
    now = time.monotonic()
    return _Look(there, named_by, len(bpy.data.objects), now + max(GLANCE, (now - began) / SHARE))


def _entries(folder: Path) -> list[Path]:
    """What can be seen in a folder: where it cannot be read, nothing is written there either."""
    try:
        return first_entries(folder, None)
    except Problem:
        return []

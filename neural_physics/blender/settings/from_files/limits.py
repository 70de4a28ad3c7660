"""Settings of a file that was opened or appended from, brought within the limits that they declare.

Blender holds to them where somebody types a number. What a file says is shown as it is, and anybody may have
written it: a billion takes, a time of no seconds, or a mesh where an object is to be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache, partial
from typing import Any, cast

import bpy
from bpy.app.handlers import persistent

from ..having_settings import having_settings
from .readable_names import make_names_readable
from .stored_types import drop_misfits

MOST_LINES = 5000  # of a list: far more than anything works with
MOST_IN_ALL = 100_000  # of a file that is opened: a second or some


class Lines:
    """How many lines of lists may still be looked at."""

    def __init__(self) -> None:
        self._left = MOST_IN_ALL

    def take(self, count: int) -> bool:
        """Whether a list of so many lines may be; its lines are counted."""
        if count > min(MOST_LINES, self._left):
            return False
        self._left -= count
        return True


def bring_within(settings: bpy.types.PropertyGroup, lines: Lines | None = None) -> None:
    """Bring all numbers of settings, and of those that they hold, within their limits.

    What is no number, no choice that there is, or data of another type becomes what it is at first, and a
    list of more lines than anybody makes becomes empty: each redraw of a panel would go through all of them.

    lines: how many there may be; None for those of one object.
    """
    lines = lines or Lines()
    for look in _looks(cast(Hashable, type(settings))):
        look(settings, lines)


Look = Callable[[bpy.types.PropertyGroup, Lines], None]


@lru_cache
def _looks(kind: Any) -> tuple[Look, ...]:  # noqa: ANN401 (a class with RNA)
    """How to look at each setting of a kind; to ask Blender for that takes longer than the looks."""
    found = [_look_at(prop) for prop in kind.bl_rna.properties if prop.identifier != "rna_type"]
    return tuple(look for look in found if look is not None)


def _look_at(prop: Any) -> Look | None:  # noqa: ANN401 (RNA's)
    name, fixed = prop.identifier, getattr(prop, "fixed_type", None)
    if isinstance(prop, bpy.types.IntProperty | bpy.types.FloatProperty):
        return partial(_limit, name, (prop.hard_min, prop.hard_max))
    if isinstance(prop, bpy.types.CollectionProperty):
        return partial(_limit_lines, name)
    # What is chosen from by code is no choice only until that finds it.
    if isinstance(prop, bpy.types.EnumProperty) and len(prop.enum_items_static):
        return partial(_limit_choice, name)
    if fixed is not None:
        kind = getattr(bpy.types, fixed.identifier, bpy.types.PropertyGroup)  # ours are not listed
        return partial(_limit_pointer, name, kind)
    return None


def enable(settings: bpy.types.PropertyGroup) -> None:
    """Let an object use Neural Physics; what a file says of one that did not was not looked at before."""
    typed = cast(Any, settings)
    if not typed.enabled:
        bring_within(settings)
        typed.enabled = True


def _limit(name: str, ends: tuple[float, float], settings: bpy.types.PropertyGroup, _: Lines) -> None:
    value = getattr(settings, name)
    numbers = [value] if isinstance(value, int | float) else list(value)
    if not all(map(math.isfinite, numbers)):
        settings.property_unset(name)
        return
    within = [min(max(number, ends[0]), ends[1]) for number in numbers]
    if within != numbers:
        setattr(settings, name, within[0] if isinstance(value, int | float) else within)


def _limit_lines(name: str, settings: bpy.types.PropertyGroup, lines: Lines) -> None:
    items = getattr(settings, name)
    if not lines.take(len(items)):
        settings.property_unset(name)  # `clear` leaves what a library override has from its library
        return
    for item in items:
        bring_within(item, lines)


def _limit_choice(name: str, settings: bpy.types.PropertyGroup, _: Lines) -> None:
    if not getattr(settings, name):
        settings.property_unset(name)


def _limit_pointer(name: str, kind: type, settings: bpy.types.PropertyGroup, lines: Lines) -> None:
    value = getattr(settings, name)
    if isinstance(value, bpy.types.PropertyGroup):
        bring_within(value, lines)
    elif value is not None and not isinstance(value, kind):
        settings.property_unset(name)


@persistent
def _on_file(*_: object) -> None:
    if not isinstance(bpy.data, bpy.types.BlendData):
        return  # while an add-on is being enabled at startup, there is no file yet
    _looked_at.clear()
    _bring_all_within(bpy.data.objects)


@persistent
def _on_import(context: Any, *_: object) -> None:  # noqa: ANN401 (a BlendImportContext)
    """Of what came alone: what was there before keeps its lists, however many lines have come."""
    came = {item.id for item in context.import_items if isinstance(item.id, bpy.types.Object)}
    # Blender does not say what scripts link with the collection that they name.
    came |= {obj for obj in bpy.data.objects if obj.library is not None and obj.session_uid not in _looked_at}
    _bring_all_within(came)


_looked_at = set[int]()  # the objects of the file by session_uid, of those that were linked


def _bring_all_within(objects: Iterable[bpy.types.Object]) -> None:
    lines = Lines()
    # Those that are not set up, too: others name them, and are told what they hold or lie on.
    having = list(having_settings(objects))
    _looked_at.update(obj.session_uid for obj in having if obj.library is not None)
    for obj in having:
        drop_misfits(obj)
    found = [cast(Any, obj).neural_physics for obj in having]
    for settings in sorted(found, key=lambda each: not (each.enabled or each.playing)):
        bring_within(settings, lines)
    make_names_readable()


def register() -> None:
    """Look at the file that is open, and at each that is opened or appended from."""
    bpy.app.handlers.load_post.append(_on_file)
    bpy.app.handlers.blend_import_post.append(_on_import)
    _on_file()


def unregister() -> None:
    """Look at no further files."""
    bpy.app.handlers.load_post.remove(_on_file)
    bpy.app.handlers.blend_import_post.remove(_on_import)

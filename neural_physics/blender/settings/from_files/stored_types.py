"""What a file has stored as our settings, looked at before Blender reads each as what it is declared.

A byte of the file that says otherwise ends Blender as the setting is read, or lets it wait for ever. Vectors
that files of earlier versions have as rows are stored as `vectors` has them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, cast

import bpy

from ..vectors import AXES, PLACES, numbers_of

NAME = "neural_physics"
ROWS = {
    "BOOLEAN": ("bi", int),
    "FLOAT": ("fd", float),
}  # typecodes of what is in one, and what is stored of it
MOST_ALIKE = 10  # settings of one name, of which there is one: Blender looks for each from the front
# Blender's stubs know neither groups of properties as they are stored nor classes with RNA.
Stored = Any
Kind = Any


class _Declared(NamedTuple):
    """fits: whether a stored value is what it should be. within: the kind of the groups in it, if any.

    numbers: what to store instead of a row of an earlier version.
    """

    fits: Callable[[Stored], bool]
    within: Kind | None = None
    numbers: Callable[[Stored], dict[str, float]] | None = None


def drop_misfits(obj: bpy.types.Object) -> None:
    """Let settings of an object that are stored as something else than declared be what they are at first.

    All of them, where some cannot be read at all.
    """
    stored: Stored = obj if bpy.app.version < (5,) else cast(Any, obj).bl_system_properties_get()
    if stored is None or NAME not in stored:
        return
    try:
        _look(stored, NAME, _declared_by(bpy.types.Object.bl_rna.properties[NAME]))
    except (UnicodeDecodeError, TypeError, SystemError, _NotAsMade):
        for _ in range(MOST_ALIKE):
            if NAME in stored:
                del stored[NAME]
        if NAME in stored:
            cast(Any, obj).id_properties_clear()


class _NotAsMade(Exception):
    """A file has more of one name than Blender makes, or another number of settings than it says."""


def _look(stored: Stored, name: str, declared: _Declared) -> None:
    for _ in range(MOST_ALIKE):
        if name not in stored:
            return
        if declared.fits(stored[name]):
            break
        numbers = {} if declared.numbers is None else declared.numbers(stored[name])
        del stored[name]
        for each in numbers.keys() - set(stored.keys()):
            stored[each] = numbers[each]
    else:
        raise _NotAsMade
    if declared.within is None:
        return
    value, settings = stored[name], _all_declared(declared.within)
    for group in value if isinstance(value, list) else (value,):
        names = set(group.keys())
        if len(group) != len(names):  # where it says fewer, Blender waits for ever as it adds one
            raise _NotAsMade
        for each in settings.keys() & names:  # few are not at their first
            _look(group, each, settings[each])


@lru_cache
def _all_declared(kind: Kind) -> dict[str, _Declared]:
    """What each setting of a kind is to be stored as, by its name."""
    props = [prop for prop in kind.bl_rna.properties if prop.identifier != "rna_type"]
    return {prop.identifier: _declared_by(prop) for prop in props}


def _declared_by(prop: Any) -> _Declared:  # noqa: ANN401 (RNA's)
    if isinstance(prop, bpy.types.CollectionProperty):
        return _Declared(_is_lines, _ours(prop.fixed_type))
    if isinstance(prop, bpy.types.PointerProperty):
        ours = _ours(prop.fixed_type)
        return _Declared(_is_data) if ours is None else _Declared(_is_group, ours)
    if getattr(prop, "is_array", False):
        return _Declared(lambda _: False, numbers=lambda row: _numbers_in(row, prop))
    kinds = (str, bytes) if isinstance(prop, bpy.types.StringProperty) else (int, float)
    return _Declared(lambda value: isinstance(value, kinds))


def _ours(rna: Any) -> Kind | None:  # noqa: ANN401 (RNA's)
    """The class of a group of ours; None of Blender's own data."""
    return cast(Any, bpy.types.PropertyGroup).bl_rna_get_subclass_py(rna.identifier)


def _is_group(value: Stored) -> bool:
    return type(value).__name__ == "IDPropertyGroup"


def _numbers_in(row: Stored, prop: Any) -> dict[str, float]:  # noqa: ANN401 (RNA's)
    """What to store of a vector, by name; nothing of what is none."""
    codes, number = ROWS[prop.type]
    if not _is_row(row, codes):
        return {}
    names = numbers_of(prop.identifier, PLACES if prop.type == "BOOLEAN" else AXES)
    return dict(zip(names, map(number, row), strict=False))


def _is_row(value: Stored, codes: str) -> bool:
    if type(value).__name__ != "IDPropertyArray":
        return False
    try:
        return value.typecode in codes
    except RuntimeError:  # of a row of what there are no rows of
        return False


def _is_lines(value: Stored) -> bool:
    return isinstance(value, list) and all(map(_is_group, value))


def _is_data(value: Stored) -> bool:
    return value is None or isinstance(value, bpy.types.ID)

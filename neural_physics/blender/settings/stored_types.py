"""What a file has stored as our settings, looked at before Blender reads each as what it is declared.

A byte of the file that says otherwise ends Blender as the setting is read, or lets it wait for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, cast

import bpy

NAME = "neural_physics"
CODES = {"BOOLEAN": "bi", "INT": "i", "FLOAT": "fd"}  # of what is in a row
# Blender's stubs know neither groups of properties as they are stored nor classes with RNA.
Stored = Any
Kind = Any


class _Declared(NamedTuple):
    """fits: whether a stored value is what it should be. within: the kind of the groups in it, if any."""

    fits: Callable[[Stored], bool]
    within: Kind | None = None


def drop_misfits(obj: bpy.types.Object) -> None:
    """Let settings of an object that are stored as something else than declared be what they are at first.

    All of them, where some cannot be read at all.
    """
    stored: Stored = obj if bpy.app.version < (5,) else cast(Any, obj).bl_system_properties_get()
    if stored is None or NAME not in stored:
        return
    try:
        _look(stored, NAME, _declared_by(bpy.types.Object.bl_rna.properties[NAME]))
    except (UnicodeDecodeError, TypeError, SystemError):
        del stored[NAME]


def _look(stored: Stored, name: str, declared: _Declared) -> None:
    while name in stored and not declared.fits(stored[name]):  # there may be several of one name
        del stored[name]
    if declared.within is None or name not in stored:
        return
    value, settings = stored[name], _all_declared(declared.within)
    for group in value if isinstance(value, list) else (value,):
        for each in settings.keys() & set(group.keys()):  # few are not at their first
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
        codes = CODES[prop.type]
        length = prop.array_length
        return _Declared(lambda value: _is_row(value, length, codes))
    kinds = (str, bytes) if isinstance(prop, bpy.types.StringProperty) else (int, float)
    return _Declared(lambda value: isinstance(value, kinds))


def _ours(rna: Any) -> Kind | None:  # noqa: ANN401 (RNA's)
    """The class of a group of ours; None of Blender's own data."""
    return cast(Any, bpy.types.PropertyGroup).bl_rna_get_subclass_py(rna.identifier)


def _is_group(value: Stored) -> bool:
    return type(value).__name__ == "IDPropertyGroup"


def _is_row(value: Stored, length: int, codes: str) -> bool:
    if type(value).__name__ != "IDPropertyArray" or len(value) != length:
        return False
    try:
        return value.typecode in codes
    except RuntimeError:  # of a row of what there are no rows of
        return False


def _is_lines(value: Stored) -> bool:
    return isinstance(value, list) and all(map(_is_group, value))


def _is_data(value: Stored) -> bool:
    return value is None or isinstance(value, bpy.types.ID)

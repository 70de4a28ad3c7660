"""Settings that are vectors, of which a file stores each number by itself.

What a file says is a number, Blender takes for the place of three where three are declared, and ends. It does
so before any code of ours runs: it compares library overrides with their libraries while it opens a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty

AXES = ("x", "y", "z")
PLACES = ("viewport", "render")

Settings = Any  # of a kind that has these numbers


def numbers_of(name: str, parts: Sequence[str]) -> tuple[str, ...]:
    """What the numbers of a vector are called."""
    return tuple(f"{name}_{part}" for part in parts)


def stored_as(name: str, parts: Sequence[str] = AXES) -> dict[str, Callable[..., Any]]:
    """What a vector property is to be given, so that Blender reads and writes `numbers_of` instead."""
    names = numbers_of(name, parts)

    def read(settings: Settings) -> tuple[Any, ...]:
        return tuple(getattr(settings, each) for each in names)

    def write(settings: Settings, values: Sequence[Any]) -> None:
        for each, value in zip(names, values, strict=True):
            setattr(settings, each, value)

    return {"get": read, "set": write}


def declare_numbers(kind: type[bpy.types.PropertyGroup], name: str, first: Sequence[float | bool]) -> None:
    """Give a kind of settings, before it is registered, the numbers of a vector: what each is at first."""
    declare, parts = (BoolProperty, PLACES) if isinstance(first[0], bool) else (FloatProperty, AXES)
    for each, value in zip(numbers_of(name, parts), first, strict=True):
        kind.__annotations__[each] = declare(default=value, options={"HIDDEN"})

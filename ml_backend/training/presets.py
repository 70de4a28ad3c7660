"""What the methods' presets have in common: their names, and how one of their settings is changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar, TypeVar, get_args, get_type_hints

from neural_physics.errors import Problem

NAMES = ("preview", "balanced", "final", "paper")


@dataclass(frozen=True)
class Preset:
    """Everything that decides a training beside its data, its bases and its seed; each method has its own.

    ranges: least and most of each setting that is a number; above_zero: those that cannot be 0 itself.
    """

    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {}
    above_zero: ClassVar[frozenset[str]] = frozenset()


P = TypeVar("P", bound=Preset)


def changed(preset: P, changes: Iterable[str]) -> P:
    """The preset with changes such as `noise=0`. Raises Problem("setting_unknown" | "setting_unusable")."""
    hints = get_type_hints(type(preset))
    kinds = {field.name: hints[field.name] for field in fields(preset)}
    for change in changes:
        name, _, text = change.partition("=")
        if name not in kinds:
            raise Problem("setting_unknown", setting=name, known=", ".join(kinds))
        words = ("true", "false") if kinds[name] is bool else get_args(kinds[name])
        if name in preset.ranges:
            value: object = _number(preset, name, text, whole=kinds[name] is int)
        elif text.lower() in words:
            value = text.lower() == "true" if kinds[name] is bool else text.lower()
        else:
            raise Problem("setting_unusable", setting=name, value=text, allowed=" or ".join(words))
        preset = replace(preset, **{name: value})
    return preset


def _number(preset: Preset, name: str, text: str, *, whole: bool) -> float:
    least, most = preset.ranges[name]
    above_zero = name in preset.above_zero
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value) and least <= value <= most and (value or not above_zero):
        return value
    allowed = "a whole number" if whole else "a number"
    allowed += " above 0" if above_zero else f" of at least {least:g}"
    if most < math.inf:
        allowed += f" and at most {most:g}"
    raise Problem("setting_unusable", setting=name, value=text, allowed=allowed)

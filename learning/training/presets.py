"""What the methods' presets have in common: how a setting is declared, listed and changed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar, get_args, get_type_hints

from neural_physics.errors import Problem
from neural_physics.methods.specification import PRESETS

NAMES = tuple(name for name, _, _ in PRESETS)
_ABOUT, _RANGE = "about", "range"  # in a field's metadata


@dataclass(frozen=True)
class Range:
    """The numbers from `least` to `most`; above_zero: without 0 itself."""

    least: float
    most: float
    above_zero: bool = False

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, int | float) or not math.isfinite(value):
            return False
        return self.least <= value <= self.most and (value != 0 or not self.above_zero)

    def __str__(self) -> str:
        start = "above 0" if self.above_zero else f"of at least {self.least:g}"
        return start + (f" and at most {self.most:g}" if self.most < math.inf else "")


def number(
    default: float | None,
    about: str,
    least: float = 0,
    most: float = math.inf,
    *,
    above_zero: bool = False,
) -> Any:  # noqa: ANN401 (what it declares has the type that is written beside it)
    """A setting that is a number: what it is, and its range. None stands for what `about` says of it."""
    return field(default=default, metadata={_ABOUT: about, _RANGE: Range(least, most, above_zero)})


def choice(default: bool | str, about: str) -> Any:  # noqa: ANN401 (see `number`)
    """A setting that is true or false, or one of the words of its type."""
    return field(default=default, metadata={_ABOUT: about})


@dataclass(frozen=True)
class Preset:
    """Everything that decides a training beside its data, its bases and its seed; each method has its own.

    Each setting is declared once, by `number` or `choice`: its default, what it may be, and what it is.
    """

    @classmethod
    def ranges(cls) -> dict[str, Range]:
        """The range of each setting that is a number."""
        return {f.name: f.metadata[_RANGE] for f in fields(cls) if _RANGE in f.metadata}


P = TypeVar("P", bound=Preset)


def changed(preset: P, changes: Iterable[str]) -> P:
    """The preset with changes such as `noise=0`. Raises Problem("setting_unknown" | "setting_unusable")."""
    kinds, ranges = _kinds(preset), preset.ranges()
    for change in changes:
        name, _, text = change.partition("=")
        if name not in kinds:
            raise Problem("setting_unknown", setting=name, known=", ".join(kinds))
        words = _words(kinds[name])
        if name in ranges:
            value: object = _number(name, text, ranges[name], whole=kinds[name] is int)
        elif text.lower() in words:
            value = text.lower() == "true" if kinds[name] is bool else text.lower()
        else:
            raise Problem("setting_unusable", setting=name, value=text, allowed=" or ".join(words))
        preset = replace(preset, **{name: value})
    return preset


def listing(preset: Preset) -> str:
    """The settings of a preset for the command line: a line with name and value, then what it is."""
    kinds, ranges = _kinds(preset), preset.ranges()
    lines = []
    for setting in fields(preset):
        name, value = setting.name, getattr(preset, setting.name)
        allowed = (
            _allowed(ranges[name], kinds[name] is int) if name in ranges else " or ".join(_words(kinds[name]))
        )
        shown = str(value).lower() if isinstance(value, bool) or value is None else value
        lines.append(f"  {name}={shown} ({allowed})")
        lines += textwrap.wrap(
            setting.metadata[_ABOUT], 100, initial_indent="      ", subsequent_indent="      "
        )
    return "\n".join(lines)


def _kinds(preset: Preset) -> dict[str, Any]:
    hints = get_type_hints(type(preset))
    return {setting.name: hints[setting.name] for setting in fields(preset)}


def _words(kind: object) -> tuple[str, ...]:
    return ("true", "false") if kind is bool else get_args(kind)


def _allowed(within: Range, whole: bool) -> str:
    return f"{'a whole number' if whole else 'a number'} {within}"


def _number(name: str, text: str, within: Range, *, whole: bool) -> float:
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = math.nan
    if value in within:
        return value
    raise Problem("setting_unusable", setting=name, value=text, allowed=_allowed(within, whole))

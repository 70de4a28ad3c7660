"""The artist's settings that a model reads while it plays: numbers, and vertex groups that are painted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import bpy
import numpy as np

from ...arrays import Floats
from ...errors import Problem
from ...methods.interface import Adjustable, Method
from ...methods.specification import LiveSetting, MethodSpecification
from ..scene.sources import group_weights
from ..settings.edits import edits
from ..settings.properties import settings_of

Values = Mapping[str, float | Floats | None]


class LiveSettings:
    """Gives a method its object's live settings, when they have changed."""

    def __init__(self, method: Adjustable, declared: tuple[LiveSetting, ...]) -> None:
        self._method, self._declared = method, declared
        self._edits: int | None = None  # as of the last look
        self._painting = False
        self._values: Values | None = None

    @property
    def unused(self) -> frozenset[str]:
        """See `Adjustable`."""
        return self._method.unused

    def out_of_date(self, obj: bpy.types.Object) -> bool:
        """Whether to look again: where settings were edited, or the artist paints weights."""
        return self._edits != edits() or self._painting or obj.mode == "WEIGHT_PAINT"

    def follow(self, obj: bpy.types.Object) -> bool:
        """Whether the method was given other values now. Raises Problem("live_group_missing")."""
        if not self.out_of_date(obj):
            return False
        values = {setting.property: _value(obj, setting) for setting in self._declared}
        self._edits, self._painting = edits(), obj.mode == "WEIGHT_PAINT"
        if self._values is not None and all(_same(values[name], self._values[name]) for name in values):
            return False
        self._values = values
        self._method.adjust(values)
        return True


def live_settings_of(method: Method, specification: MethodSpecification) -> LiveSettings | None:
    """None where a method has no live settings."""
    declared = specification.live_settings
    return LiveSettings(cast(Adjustable, method), declared) if declared else None


def _value(obj: bpy.types.Object, setting: LiveSetting) -> float | Floats | None:
    value = getattr(settings_of(obj), setting.property)
    if setting.kind != "vertex_group":
        return float(value)
    if not value:
        return None
    if value not in obj.vertex_groups:
        raise Problem("live_group_missing", object=obj.name, group=value, setting=setting.label)
    return group_weights(obj, value, 1.0)


def _same(a: float | Floats | None, b: float | Floats | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)

"""How far flesh on springs strays: a setting, and a vertex group that the artist paints, while it plays."""

from __future__ import annotations

import bpy
import numpy as np

from ...arrays import Floats
from ...errors import Problem
from ...methods.interface import Method
from ...methods.quasistatic_springs.method import QuasistaticSprings
from ..scene.sources import group_weights
from ..settings.edits import edits
from ..settings.properties import settings_of


class Jiggle:
    """Loosens a method's springs as its object's settings ask, whenever these have changed."""

    def __init__(self, method: QuasistaticSprings) -> None:
        self._method = method
        self._edits: int | None = None  # as of the last look
        self._painting = False
        self._shares: Floats | None = None

    def out_of_date(self, obj: bpy.types.Object) -> bool:
        """Whether to look again: where settings were edited, or the artist paints weights."""
        return self._edits != edits() or self._painting or obj.mode == "WEIGHT_PAINT"

    def follow(self, obj: bpy.types.Object) -> bool:
        """Whether springs are others now. Raises Problem("jiggle_group_missing")."""
        if not self.out_of_date(obj):
            return False
        shares = shares_of(obj)
        self._edits, self._painting = edits(), obj.mode == "WEIGHT_PAINT"
        if _same(shares, self._shares):
            return False
        self._shares = shares
        self._method.loosen(shares)
        return True


def jiggle_of(method: Method) -> Jiggle | None:
    """None where nothing jiggles on springs."""
    return Jiggle(method) if isinstance(method, QuasistaticSprings) else None


def shares_of(obj: bpy.types.Object) -> Floats | None:
    """(V,) see `QuasistaticSprings.loosen`; None: as was learned. Raises Problem("jiggle_group_missing")."""
    settings = settings_of(obj)
    name = settings.jiggle_group
    if name and name not in obj.vertex_groups:
        raise Problem("jiggle_group_missing", object=obj.name, group=name)
    if not name and settings.jiggle == 1.0:
        return None
    return np.float32(settings.jiggle) * group_weights(obj, name, 1.0)


def _same(a: Floats | None, b: Floats | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)

"""How large the balls are that a body meets while it plays: they can be scaled, by hand and by keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import bpy
import numpy as np
from mathutils import Matrix

from ...arrays import Floats
from ...errors import Problem
from ...methods.interface import LearnsSizes, Method
from .animation.keying import is_keyed
from .references import Named, with_parents
from .sources import read_positions

DIGITS = 5  # of a size: what the rounding of float32 leaves, as where a ball turns, is no change


def width_of(depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object) -> float | None:
    """The mean of an object's extents along its own axes, m, with its scale; None for what has none now.

    Of its mesh without modifiers, which may be others in a render.
    """
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh) or mesh.is_editmode or not len(mesh.vertices):
        return None
    scale = np.abs(obj.evaluated_get(depsgraph).matrix_world.to_scale().to_tuple())
    return float((np.ptp(read_positions(mesh), axis=0) * scale).mean())


class Widths:
    """How wide objects are in a scene as it is evaluated: each is measured once, however many ask."""

    def __init__(self) -> None:
        self._known: dict[int, float | None] = {}

    def forget(self) -> None:
        """Measure anew: the scene is another one now."""
        self._known.clear()

    def of(self, depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object) -> float | None:
        """See `width_of`."""
        uid = obj.session_uid
        if uid not in self._known:
            self._known[uid] = width_of(depsgraph, obj)
        return self._known[uid]


def size_reader(
    source: Named, width: float, widths: Widths
) -> Callable[[bpy.types.Depsgraph, Matrix], tuple[float]]:
    """Reads how many times as wide as `width`, m, an object is; 1 for what is no mesh."""
    size = 1.0

    def read(depsgraph: bpy.types.Depsgraph, _frame_from_world: Matrix) -> tuple[float]:
        nonlocal size
        found = widths.of(depsgraph, source.original())
        if found is not None:  # while its mesh is edited it is as large as before
            size = round(found / width, DIGITS)
        return (size,)

    return read


def widths_of(method: Method) -> dict[str, float]:
    """How wide objects were in the takes, m, by the channels of kind "size"."""
    return method.widths if isinstance(method, LearnsSizes) else {}


def is_scaled_by_keys(obj: bpy.types.Object) -> bool:
    """Whether keys, a driver, a strip, a constraint or what carries it scale an object, and not a hand."""
    return any(
        bool(each.constraints) or is_keyed(each, "scale") or is_keyed(each, "delta_scale")
        for each in with_parents(obj)
    )


def size_problem(owner: str, method: Method, y: Floats, sources: Mapping[str, str]) -> Problem | None:
    """The Problem of the first ball of a size that was not learned; None where all sizes are known.

    owner: the name of the object that plays. sources: the names of the objects that
    channels are read from.
    """
    if not isinstance(method, LearnsSizes):
        return None
    for channel, ball in method.unlearned_sizes(y):
        larger = ball.radius > ball.nearest
        return Problem(
            "contact_collider_larger" if larger else "contact_collider_smaller",
            object=owner,
            collider=sources[channel],
            radius=f"{ball.radius:.3g}",
            learned=f"{ball.nearest:.3g}",
        )
    return None

"""The frame rates that can be baked at: the motion of a take lasts for as long as its frames do."""

from __future__ import annotations

import bpy

from ....errors import Problem
from ...settings.frame_rate import frame_rate_of

FRAME_RATES = (1, 1000)  # per second


def check_frame_rate(scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Raise Problem("bake_frame_rate") where frames take days or no time, and what `frame_rate_of` does."""
    fps = frame_rate_of(scene)
    if not FRAME_RATES[0] <= fps <= FRAME_RATES[1]:
        least, most = FRAME_RATES
        raise Problem("bake_frame_rate", object=obj.name, found=f"{fps:.3g}", least=least, most=most)

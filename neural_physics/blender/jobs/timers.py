"""What Blender's timers call: they have no window, and so another view layer than the one on show."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import bpy

Result = TypeVar("Result")


def in_window(act: Callable[[], Result]) -> Callable[[], Result]:
    """Call it with the first window, where there is one.

    Without it Blender evaluates, where that is asked for, a view layer that nobody may look at.
    """

    @wraps(act)
    def run() -> Result:
        manager = bpy.context.window_manager
        if bpy.context.window is not None or manager is None or not len(manager.windows):
            return act()
        with bpy.context.temp_override(window=manager.windows[0]):
            return act()

    return run

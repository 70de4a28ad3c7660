"""Having panels drawn again when jobs have something new to say."""

from __future__ import annotations

import time

import bpy

DRAW_EVERY = 0.5  # seconds, at most, for what is only progress


def redraw() -> None:
    """Have viewports and preferences drawn again, panels included, in every window."""
    _redraw(("VIEW_3D", "PREFERENCES"), ())


def redraw_panels() -> None:
    """Have the panels alone drawn again: a viewport may take the processor longer than a frame of a bake."""
    _redraw(("PREFERENCES",), ("VIEW_3D",))


class Progress:
    """Draws progress while jobs run: panels alone, and not each time that it changes."""

    def __init__(self) -> None:
        self._drawn = 0.0  # by `time.monotonic`
        self._is_new = False

    def changed(self) -> None:
        """There is something to draw."""
        self._is_new = True

    def draw(self) -> None:
        """Draw it, if it is time to; else it is left for the next call."""
        if self._is_new and time.monotonic() - self._drawn >= DRAW_EVERY:
            self._drawn, self._is_new = time.monotonic(), False
            redraw_panels()


def _redraw(whole: tuple[str, ...], panels: tuple[str, ...]) -> None:
    """whole: the types of areas that are drawn; panels: those of which only the sidebar is."""
    manager = bpy.context.window_manager
    for window in manager.windows if manager else ():
        for area in window.screen.areas:
            if area.type in whole:
                area.tag_redraw()
            elif area.type in panels:
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
        if not window.modal_operators:  # which may say something there
            window.workspace.status_text_set(None)  # redraws the status bar

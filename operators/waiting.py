"""A button that waits for a process, with Blender free meanwhile: Esc gives it up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import bpy

from ..neural_physics.blender.examples.rigify.generating import Generation
from ..neural_physics.errors import Problem
from ..neural_physics.jobs.wording import progress
from .support import Button, OperatorReturnItems

LOOK_EVERY = 0.1  # seconds


class WaitingButton(Button):
    """Clicked, it may begin a process and go on when that has ended; called, it does all at once."""

    def go_on(self, context: bpy.types.Context, made: Generation) -> None:
        """What follows once the process has ended, well or not; may raise Problem."""
        raise NotImplementedError

    def begin(
        self, context: bpy.types.Context, process: Callable[[], Generation]
    ) -> set[OperatorReturnItems]:
        """Start it; what `invoke` returns."""
        try:
            self._process = process()
            self._process.start()
        except Problem as problem:
            self.report({"ERROR"}, problem.message)
            return {"CANCELLED"}
        manager = context.window_manager
        self._timer = manager.event_timer_add(LOOK_EVERY, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        if event.type == "ESC":
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        state = self._process.state
        if state.active:
            context.workspace.status_text_set(f"{progress(state)}... Esc cancels")
            return {"PASS_THROUGH"}
        try:
            self.go_on(context, self._process)
        except Problem as problem:
            self.report({"ERROR"}, problem.message)
            return self._end(context, {"CANCELLED"})
        return self._end(context, {"FINISHED"})

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends it: its window is closed, or another file opened."""
        self._end(context, {"CANCELLED"})

    def _end(self, context: bpy.types.Context, result: set[OperatorReturnItems]) -> set[OperatorReturnItems]:
        with suppress(Problem):  # its folder is left to the next Blender
            self._process.close()
        context.window_manager.event_timer_remove(self._timer)
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        return result

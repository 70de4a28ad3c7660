"""Work that is done in steps: seen while it goes on, and stopped with Esc."""

from __future__ import annotations

from collections.abc import Generator

import bpy

from ..neural_physics.errors import Problem
from .support import Button, OperatorReturnItems

Steps = Generator[tuple[int, int], None, None]
PAUSE = 0.01  # seconds between two steps, in which Blender draws


class SteppedButton(Button):
    """Clicked, it takes one step after the other while Blender stays alive; called, it takes all."""

    def steps(self, context: bpy.types.Context) -> Steps:
        """The work: yields how many steps are done, of how many. Closing it leaves nothing half done."""
        raise NotImplementedError

    def run(self, context: bpy.types.Context) -> None:
        for _ in self.steps(context):
            pass

    def begin(self, context: bpy.types.Context) -> set[OperatorReturnItems]:
        """Start stepping; what `invoke` returns."""
        manager = context.window_manager
        self._steps = self.steps(context)
        self._timer = manager.event_timer_add(PAUSE, window=context.window)
        manager.progress_begin(0.0, 1.0)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        return self.begin(context)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        if event.type == "ESC":
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            done, total = next(self._steps)
        except StopIteration:
            return self._end(context, {"FINISHED"})
        except Problem as problem:
            self.report({"ERROR"}, problem.message)
            return self._end(context, {"CANCELLED"})
        context.window_manager.progress_update(done / total)
        context.workspace.status_text_set(f"{self.bl_label}: frame {done} of {total}. Esc stops")
        return {"RUNNING_MODAL"}

    def _end(self, context: bpy.types.Context, result: set[OperatorReturnItems]) -> set[OperatorReturnItems]:
        self._steps.close()
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        return result

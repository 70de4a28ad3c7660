"""Work that is done in steps, with its progress in the status bar, and stopped with Esc."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import suppress

import bpy

from ..neural_physics.errors import Problem
from ..neural_physics.wording import duration
from .support import Button, OperatorReturnItems

Steps = Generator[tuple[int, int], None, None]
PAUSE = 0.01  # seconds between two steps, in which Blender draws
SURE_AFTER = 1.0  # seconds, of the time that is left


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
        self._steps, self._began = self.steps(context), time.monotonic()
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
        except (Problem, ReferenceError) as error:
            removed = Problem("work_removed", task=self.bl_label)
            self.report({"ERROR"}, error.message if isinstance(error, Problem) else removed.message)
            return self._end(context, {"CANCELLED"})
        context.window_manager.progress_update(done / total)
        context.workspace.status_text_set(f"{self.bl_label}: {self._how_far(done / total)}. Esc stops")
        return {"RUNNING_MODAL"}

    def _how_far(self, share: float) -> str:
        passed = time.monotonic() - self._began
        left = f", {duration(passed / share * (1.0 - share))} left" if share and passed > SURE_AFTER else ""
        return f"{share:.0%}{left}"

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends it: its window is closed, or another file opened."""
        self._end(context, {"CANCELLED"})

    def _end(self, context: bpy.types.Context, result: set[OperatorReturnItems]) -> set[OperatorReturnItems]:
        with suppress(ReferenceError):  # what it would put back is gone
            self._steps.close()
        manager = context.window_manager
        manager.event_timer_remove(self._timer)
        manager.progress_end()
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        return result


class FileButton(SteppedButton):
    """Clicked, it asks for its `filepath`, and then takes one step after the other; called, it takes all."""

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        self._chosen_in_window = True
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[OperatorReturnItems]:
        return self.begin(context) if getattr(self, "_chosen_in_window", False) else super().execute(context)

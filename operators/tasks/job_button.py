"""What Bake, Train and Evaluate share: each starts a process, or without a window runs it to its end."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ...neural_physics.blender.jobs import host
from ...neural_physics.blender.tasks import making, object_tasks
from ...neural_physics.errors import Problem
from ..support import Button, OperatorReturnItems, target


class JobButton(Button):
    """Clicked, it starts a job and returns; called from a script, it returns when the job has ended."""

    kind: ClassVar[str]

    def command(self, context: bpy.types.Context) -> list[str]:
        """The job's command line; may raise Problem."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        return self.begin(context)

    def begin(self, context: bpy.types.Context) -> set[OperatorReturnItems]:
        """Start the job, which goes on by itself."""
        try:
            argv = self.command(context)
            obj = target(context)
            making.forget(obj)
            host.start(object_tasks.job_folder(obj, self.kind), self.kind, argv, obj.name)
        except Problem as problem:
            self.report({"ERROR"}, problem.message)
            return {"CANCELLED"}
        return {"FINISHED"}

    def execute(self, context: bpy.types.Context) -> set[OperatorReturnItems]:
        try:
            argv = self.command(context)
            obj = target(context)
            folder = object_tasks.job_folder(obj, self.kind)
            state = host.run_blocking(folder, self.kind, argv, host.print_progress, owner=obj.name)
        except Problem as problem:
            self.report({"ERROR"}, problem.message)
            return {"CANCELLED"}
        if state.phase != "finished":
            self.report({"ERROR"}, state.message)
            return {"CANCELLED"}
        return {"FINISHED"}

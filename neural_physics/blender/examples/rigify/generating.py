"""A rig of Rigify's, made by a Blender in the background and appended from the file that it writes.

In the artist's own Blender Rigify may be off, and making a rig changes the selection, the mode and the
preferences.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

import bpy

from ....errors import Problem
from ....jobs.life_cycle import JobState
from ...jobs import host, programs
from ...settings.own_folders import EXTENSION_ROOT, scratch_folder

KIND = "generate_rig"  # of job
WORKER = EXTENSION_ROOT / "neural_physics" / "blender" / "examples" / "rigify" / "worker.py"


class Generation:
    """One rig in the making. What it keeps on disk is gone once it is closed."""

    def __init__(self, metarig: str) -> None:
        """metarig: the operator that adds it, such as `armature_basic_human_metarig_add`."""
        self._folder = scratch_folder() / f"rig_{uuid.uuid4().hex}"
        self._argv = [*programs.background_blender(WORKER), metarig, str(self._file)]

    @property
    def _file(self) -> Path:
        return self._folder / "rig.blend"

    def start(self) -> None:
        """Begin, and return. Raises what `host.start` does."""
        host.start(self._folder, KIND, self._argv)

    def wait(self) -> None:
        """Begin, and return when it has ended; prints where it is. Raises what `start` does."""
        host.run_blocking(self._folder, KIND, self._argv, host.print_progress)

    @property
    def state(self) -> JobState:
        """Where it is."""
        return host.state_of(self._folder, KIND)

    def check(self) -> None:
        """Raise the Problem that has kept the rig from being made."""
        state = self.state
        if state.phase != "finished":
            raise Problem.reported(state.code, state.message)

    def rig(self) -> bpy.types.Object:
        """The rig that was made, in this file, as its own: in no scene yet. Raises what `check` does."""
        self.check()
        before = set(bpy.data.libraries)
        loading: Any = bpy.data.libraries.load(str(self._file), link=False)  # the stubs know of no context
        with loading as (there, wanted):
            wanted.objects = list(there.objects)
        for library in set(bpy.data.libraries) - before:
            bpy.data.libraries.remove(library)
        return next(obj for obj in wanted.objects if obj.type == "ARMATURE")

    def close(self) -> None:
        """End it if it runs, and delete its files."""
        if self.state.active:
            host.stop(self._folder, KIND)
            host.stop(self._folder, KIND)  # at once: there is nothing that it could save
        host.let_go(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)

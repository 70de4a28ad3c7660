"""A rig of Rigify's, made by a Blender in the background and appended from the file that it writes.

In the artist's own Blender Rigify may be off, and making a rig changes the selection, the mode and the
preferences.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ....jobs.life_cycle import JobState
from ...jobs import programs
from ...jobs.scratch_job import ScratchJob
from ...settings.own_folders import EXTENSION_ROOT

KIND = "generate_rig"  # of job
WORKER = EXTENSION_ROOT / "neural_physics" / "blender" / "examples" / "rigify" / "worker.py"


class Generation:
    """One rig in the making. What it keeps on disk is gone once it is closed."""

    def __init__(self, metarig: str) -> None:
        """metarig: the operator that adds it, such as `armature_basic_human_metarig_add`."""
        self._job = ScratchJob(KIND)
        self._argv = [*programs.background_blender(WORKER), metarig, str(self._file)]

    @property
    def _file(self) -> Path:
        return self._job.folder / "rig.blend"

    def start(self) -> None:
        """Begin, and return. Raises what `host.start` does."""
        self._job.start(self._argv)

    def wait(self) -> None:
        """Begin, and return when it has ended; prints where it is. Raises what `start` does."""
        self._job.wait(self._argv)

    @property
    def state(self) -> JobState:
        """Where it is."""
        return self._job.state

    def check(self) -> None:
        """Raise the Problem that has kept the rig from being made."""
        self._job.check()

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
        self._job.close()

"""An example in the window's Blender, and its Bake, Train and Play."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
from blender_window import OUT, REGION, Window
from numpy.typing import NDArray

IN_VIEW = REGION + "with bpy.context.temp_override(window=window, area=area):\n    "
STATE = """
from bl_ext.user_default.neural_physics.neural_physics.blender.jobs import host
from bl_ext.user_default.neural_physics.neural_physics.blender.settings import paths
state = host.state_of(paths.jobs_folder(body), {kind!r})
result = state.phase, state.share, state.message
"""
SHOWN = """
depsgraph = bpy.context.evaluated_depsgraph_get()
result = [list(v.co) for v in body.evaluated_get(depsgraph).data.vertices]
"""


class Example:
    """One that is added to an empty scene, alone in it."""

    def __init__(self, window: Window, example: str, body: str, settings: str, build: str = "") -> None:
        """settings: Python that makes it quick, in which `settings` are the body's.

        build: Python that makes what is none of the extension's examples, in the view.
        """
        self.window, self._body = window, body
        folder = OUT / example.lower()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        window.ask(
            IN_VIEW
            + "bpy.ops.wm.read_homefile(use_empty=True)\n"
            + f"bpy.ops.wm.save_as_mainfile(filepath={str(folder / 'scene.blend')!r})"
        )
        window.open_tab()
        if build:
            window.ask(IN_VIEW + build.replace("\n", "\n    "), timeout=180)
        else:
            window.ask(
                IN_VIEW
                + f"bpy.ops.neural_physics.add_example(name={example!r})\n"
                + "area.spaces.active.region_3d.view_perspective = 'CAMERA'\n"
            )
        self.ask(settings)

    def ask(self, code: str) -> Any:
        """Run Python that knows `body`, its `settings` and the `scene`."""
        names = f"body = bpy.data.objects[{self._body!r}]; settings = body.neural_physics\n"
        return self.window.ask(names + "scene = bpy.context.scene\n" + code)

    def bake_and_train(self, *training: str) -> None:
        """training: what is changed of the preset, so that it takes seconds."""
        self._finish("bake")
        self.window.train_quickly(*training)
        self._finish("train")
        self.window.wait(lambda: self.ask("result = settings.model is not None"), 20)

    def play(self) -> None:
        self.window.call("neural_physics.play")
        self.window.pause()
        assert self.ask("result = settings.playing")

    def shown(self, frame: int | None = None) -> NDArray[np.float64]:
        """(V, 3) where the body's vertices are shown, in its own axes; frame: one to go to first."""
        moved = "" if frame is None else f"scene.frame_set({frame})\n"
        return np.array(self.ask(moved + SHOWN))

    def _finish(self, kind: str) -> None:
        self.window.call(f"neural_physics.{kind}")
        self.window.wait(lambda: self._state(kind)[0] != "idle", 60)
        self.window.wait(lambda: self._state(kind)[0] != "running", 900)
        assert self._state(kind)[0] == "finished", self._state(kind)

    def _state(self, kind: str) -> Any:
        return self.ask(STATE.format(kind=kind))

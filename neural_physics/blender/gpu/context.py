"""Whether the graphics card can be used now, and why not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import gpu

from ...errors import Problem

TINY_RENDER = {
    "engine": "BLENDER_WORKBENCH",
    "resolution_x": 8,
    "resolution_y": 8,
    "use_compositing": False,
    "use_sequencer": False,
    "use_border": False,
}


class NoGPU(Problem):
    """The graphics card cannot do what was asked; the processor can, by the library's twins.

    code: "gpu_missing", "gpu_other_thread", "gpu_shader_refused", "gpu_too_large" or "gpu_failed".
    """


def check_context() -> None:
    """Raise NoGPU("gpu_other_thread" | "gpu_missing") unless this thread may call the graphics card now.

    In the background, Blender has no context until one is made: 5.2 does it here. In 4.5 something must
    have been rendered (see `make_context`), which cannot be done from here: frames are shown in the
    midst of renders, too.
    """
    # Off the main thread a call ends Blender, whatever is caught.
    if threading.current_thread() is not threading.main_thread():
        raise NoGPU("gpu_other_thread")
    try:
        if bpy.app.background and hasattr(gpu, "init"):
            gpu.init()
        gpu.platform.renderer_get()
    except (SystemError, RuntimeError) as error:
        raise NoGPU("gpu_missing", reason=_said(error)) from error


def make_context() -> None:
    """For commands and tests in the background: `check_context`, after a tiny render where that is needed.

    Never call it from a handler. Raises NoGPU.
    """
    try:
        check_context()
    except NoGPU as missing:
        if missing.code != "gpu_missing" or hasattr(gpu, "init"):
            raise
        _render_nothing()
        check_context()


@contextmanager
def failures_told() -> Iterator[None]:
    """What Blender's gpu module raises, when memory is short or the context is lost, becomes NoGPU."""
    try:
        yield
    except (SystemError, RuntimeError, ReferenceError, ValueError) as error:
        raise NoGPU("gpu_failed", reason=_said(error)) from error


def largest_texture() -> int:
    """The most texels along one side."""
    return int(gpu.capabilities.max_texture_size_get())


def _render_nothing() -> None:
    """8 by 8 pixels of the scene on show, whose settings are put back.

    Not of a scene of its own: the context belongs to the scene's render and goes with it.
    """
    scene = bpy.context.scene
    assert scene is not None  # the background always has one
    camera = bpy.data.objects.new("Neural Physics", bpy.data.cameras.new("Neural Physics"))
    render = scene.render
    held = {name: getattr(render, name) for name in TINY_RENDER}
    camera_held, scene.camera = scene.camera, camera
    try:
        for name, value in TINY_RENDER.items():
            setattr(render, name, value)
        bpy.ops.render.render(scene=scene.name)
    except RuntimeError as error:
        raise NoGPU("gpu_missing", reason=_said(error)) from error
    finally:
        for name, value in held.items():
            setattr(render, name, value)
        scene.camera = camera_held
        data = camera.data
        bpy.data.objects.remove(camera)
        bpy.data.cameras.remove(data)  # type: ignore[arg-type]


def _said(error: Exception) -> str:
    """One line, without the full stop that the sentence around it has."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__

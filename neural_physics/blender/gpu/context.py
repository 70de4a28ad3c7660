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

    In the background there is a context only once something was rendered, or `make_context` was called.
    """
    # Off the main thread a call ends Blender, whatever is caught.
    if threading.current_thread() is not threading.main_thread():
        raise NoGPU("gpu_other_thread")
    try:
        gpu.platform.renderer_get()
    except SystemError as error:
        raise NoGPU("gpu_missing", reason=_one_line(error)) from error


def make_context() -> None:
    """Make sure of a context in the background, for benchmarks and tests. Raises what `check_context` does.

    Not for Play: on a machine without any driver this ends Blender (5.2: in `gpu.init`; 4.5, which has no
    such function: in the tiny render that takes its place), and nothing can be caught.
    """
    try:
        check_context()
    except NoGPU as missing:
        if missing.code != "gpu_missing" or not bpy.app.background:
            raise
        if hasattr(gpu, "init"):
            gpu.init()
        else:
            _render_nothing()
        check_context()


@contextmanager
def gpu_failures() -> Iterator[None]:
    """What Blender's gpu module raises, when memory is short or the context is lost, becomes NoGPU."""
    try:
        yield
    except (SystemError, RuntimeError, ReferenceError, ValueError) as error:
        raise NoGPU("gpu_failed", reason=_one_line(error)) from error


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
    finally:
        for name, value in held.items():
            setattr(render, name, value)
        scene.camera = camera_held
        data = camera.data
        bpy.data.objects.remove(camera)
        bpy.data.cameras.remove(data)  # type: ignore[arg-type]


def _one_line(error: Exception) -> str:
    """One line, without the full stop that the sentence around it has."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__

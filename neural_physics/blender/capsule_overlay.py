"""The capsules that an object is pushed out of, drawn in the viewport while it is the one that is meant."""

from __future__ import annotations

from typing import Any

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from ..capsule_wires import wires
from ..errors import Problem
from .capsule_sampling import CapsuleSampler, pushing_capsules
from .properties import settings_of
from .targets import target_of

COLOUR = (0.95, 0.65, 0.20)
OPACITY = 0.8
HIDDEN = 0.35  # of the opacity, for what is behind something: most of a capsule is within its limb
LINE_WIDTH = 1.5

_handle: Any = None


def shows_capsules(obj: bpy.types.Object) -> bool:
    """Whether an object's capsules are drawn: it has been set up, has some, and they are to be seen."""
    settings = settings_of(obj)
    return settings.enabled and settings.projection.show and bool(pushing_capsules(obj))


def register() -> None:
    global _handle  # noqa: PLW0603 (Blender wants it back)
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    global _handle  # noqa: PLW0603
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None


def _draw() -> None:
    context = bpy.context
    space, region, preferences = context.space_data, context.region, context.preferences
    if not isinstance(space, bpy.types.SpaceView3D) or region is None or preferences is None:
        return
    obj = target_of(context) if space.overlay.show_overlays else None
    if obj is not None and shows_capsules(obj):
        width = LINE_WIDTH * preferences.system.pixel_size
        draw_capsules(obj, context.evaluated_depsgraph_get(), (region.width, region.height), width)


def draw_capsules(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, viewport: tuple[int, int], width: float
) -> None:
    """Draw an object's capsules where they are now into what is bound; viewport, width: in pixels.

    Nothing is drawn while one of them has lost what carries it: playing and fitting say so.
    """
    try:
        capsules, _ = CapsuleSampler(obj).sample(depsgraph)
    except Problem:
        return
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    points: Any = wires(capsules).reshape(-1, 3)  # which the stubs do not take for the buffer that it is
    batch = batch_for_shader(shader, "LINES", {"pos": points})
    shader.uniform_float("viewportSize", viewport)
    shader.uniform_float("lineWidth", width)
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(obj.evaluated_get(depsgraph).matrix_world)
        for depth, share in (("NONE", HIDDEN), ("LESS_EQUAL", 1.0)):
            gpu.state.depth_test_set(depth)
            shader.uniform_float("color", (*COLOUR, share * OPACITY))
            batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")

"""Handles on the faces of the chosen motion box, to drag in the viewport."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from mathutils import Matrix, Vector

from ..neural_physics.blender.display.motion_boxes import COLOUR, active_box
from ..neural_physics.blender.settings.properties import NEURALPHYSICS_PG_interaction
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes

HIGHLIGHT = (0.8, 1.0, 1.0)
SIDES = ("box_low", "box_high")


class NEURALPHYSICS_GGT_motion_box(bpy.types.GizmoGroup):
    bl_idname = "NEURALPHYSICS_GGT_motion_box"
    bl_label = "Motion Box"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return active_box(context) is not None

    def setup(self, context: bpy.types.Context) -> None:
        self._dragged = False
        for side in SIDES:
            for axis in range(3):
                handle: Any = self.gizmos.new("GIZMO_GT_arrow_3d")
                handle.draw_style = "BOX"
                handle.draw_options = set()
                handle.length = 0.0
                handle.scale_basis = 1.2
                handle.color, handle.alpha = COLOUR, 0.9
                handle.color_highlight, handle.alpha_highlight = HIGHLIGHT, 1.0
                handle.use_draw_modal = True
                handle.target_set_handler("offset", get=_getter(side, axis), set=_setter(side, axis))

    def invoke_prepare(self, context: bpy.types.Context, gizmo: bpy.types.Gizmo) -> None:
        self._dragged = True

    def draw_prepare(self, context: bpy.types.Context) -> None:
        item = active_box(context)
        if item is None:
            return
        if self._dragged and not any(handle.is_modal for handle in self.gizmos):
            self._dragged = False
            # Not while drawing.
            bpy.app.timers.register(_remember_for_undo, first_interval=0.0)
        for number, handle in enumerate(self.gizmos):
            side, axis = divmod(number, 3)
            handle.matrix_basis = _place(item, axis, outwards=side == 1)


def _remember_for_undo() -> None:
    """Handles of extensions are not undone by Blender itself."""
    manager = bpy.context.window_manager
    with bpy.context.temp_override(window=manager.windows[0]):
        bpy.ops.ed.undo_push(message="Motion Box")


def _place(item: NEURALPHYSICS_PG_interaction, axis: int, *, outwards: bool) -> Matrix:
    """Where a handle's offset is counted from: its face's centre, with the axis' coordinate at 0."""
    centre = (Vector(item.box_low) + Vector(item.box_high)) / 2.0
    centre[axis] = 0.0
    direction = Vector((0.0, 0.0, 0.0))
    direction[axis] = 1.0 if outwards else -1.0
    return Matrix.Translation(centre) @ direction.to_track_quat("Z", "Y").to_matrix().to_4x4()


def _getter(side: str, axis: int) -> Callable[[], float]:
    def get() -> float:
        item = active_box(bpy.context)
        if item is None:
            return 0.0
        value: float = getattr(item, side)[axis]
        return value if side == "box_high" else -value

    return get


def _setter(side: str, axis: int) -> Callable[[float], None]:
    def put(offset: float) -> None:
        item = active_box(bpy.context)
        if item is None:
            return
        if side == "box_high":
            item.box_high[axis] = max(offset, item.box_low[axis])
        else:
            item.box_low[axis] = min(-offset, item.box_high[axis])

    return put


CLASSES = (NEURALPHYSICS_GGT_motion_box,)


def register() -> None:
    register_classes(CLASSES)


def unregister() -> None:
    unregister_classes(CLASSES)

"""The viewport preview: while the animation plays, shapes go to the graphics card and the mesh rests.

Only while it plays in a window: then nothing else needs the mesh. As soon as it stops, is saved, or cannot
go on, the mesh is shown again as it is at that frame, so that it can be selected, edited, exported and
drawn by whatever draws meshes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
from mathutils import Matrix

from ....arrays import Floats
from ....capsules.projection import Bodies
from ....errors import Problem
from ...scene.layers import is_layer
from ...settings.properties import settings_of
from .geometry_nodes import find_modifier, show_in_viewports

# Of a viewport: the others show materials, or edges, of the mesh itself.
DRAWN_SHADING = "SOLID"


@dataclass(frozen=True, eq=False)
class CardShape:
    """All that goes to the graphics card at a frame.

    z (u,) float32. bases: how many are decoded; 0: all. bodies: what the shape is pushed out of, in the
    model's axes. object_from_model: to the object's axes, None where they are the same.
    """

    z: Floats
    bases: int
    bodies: Bodies | None
    object_from_model: Matrix | None


class PreviewSwitch:
    """Whether the shapes of one object go to the graphics card now, and the last of them.

    on: they do. shape: None until one has gone there; until then the mesh is on show. problem: why none
    goes, although that is asked for.
    """

    def __init__(self) -> None:
        self.on = False
        self.shape: CardShape | None = None
        self.problem: Problem | None = None
        self._failed = False

    def wanted(self, obj: bpy.types.Object, playing: bool, *, linear: bool, coloured: bool) -> bool:
        """Whether it should be on: the artist asks for it, and nothing speaks against it.

        playing: the animation. linear, coloured: see `obstacle`.
        """
        if not settings_of(obj).use_preview:
            self.problem, self._failed = None, False
            return False
        if self._failed:
            return False
        self.problem = obstacle(obj, linear, coloured)
        return self.problem is None and playing

    def put(self, obj: bpy.types.Object, shape: CardShape) -> None:
        """Show a shape: with the first one viewports cease to show the mesh."""
        if self.shape is None:
            show_in_viewports(obj, False)
        self.shape = shape

    def end(self, obj: bpy.types.Object) -> None:
        """Let viewports show the mesh again, which has still to be written."""
        self.on, self.shape = False, None
        show_in_viewports(obj, True)

    def fail(self, problem: Problem) -> None:
        """The GPU cannot: it is not tried again until the artist asks for it again."""
        self.problem, self._failed = problem, True


def obstacle(obj: bpy.types.Object, linear: bool, coloured: bool) -> Problem | None:
    """Why an object's mesh has to be shown although its preview is asked for; None where it has not.

    linear: whether the object's model decodes linearly, as the shader does. coloured: whether colours are
    drawn over the mesh.
    """
    if not linear:
        return Problem("preview_not_linear", object=obj.name)
    if coloured:
        return Problem("preview_typical_error", object=obj.name)
    if is_layer(obj):
        return Problem("preview_layers", object=obj.name)
    later = _modifiers_on_top(obj)
    if later:
        return Problem("preview_modifiers", object=obj.name, modifiers=", ".join(later))
    return _obstacle_in_view(obj)


def _obstacle_in_view(obj: bpy.types.Object) -> Problem | None:
    """What of `obstacle` the artist changes while working."""
    if obj.mode != "OBJECT":
        return Problem("preview_mode", object=obj.name)
    if any(space.shading.type != DRAWN_SHADING for space in viewports()):
        return Problem("preview_shading", object=obj.name)
    return None


def viewports() -> Iterator[bpy.types.SpaceView3D]:
    """The 3D viewports that are open in any window."""
    manager = bpy.context.window_manager
    for window in manager.windows if manager is not None else ():
        for area in window.screen.areas:
            space = area.spaces.active
            if isinstance(space, bpy.types.SpaceView3D):
                yield space


def _modifiers_on_top(obj: bpy.types.Object) -> list[str]:
    """The modifiers that change in viewports what ours has made."""
    ours, modifiers = find_modifier(obj), list(obj.modifiers)
    after = modifiers[modifiers.index(ours) + 1 :] if ours is not None else []
    return [modifier.name for modifier in after if modifier.show_viewport]

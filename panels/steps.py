"""Which sections of the tab are open: the next step, unless the artist opens or closes another meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import bpy
from bpy.props import BoolProperty, PointerProperty

from ..neural_physics.blender.scene.targets import target_of
from ..neural_physics.blender.settings.registration import register_classes, unregister_classes
from ..neural_physics.blender.tasks.steps import Step, next_step

# By object and section: what was next when the artist opened or closed it, and which of both.
_chosen: dict[tuple[int, Step], tuple[Step, bool]] = {}


def _getter(step: Step) -> Callable[[Any], bool]:
    def is_open(_steps: object) -> bool:
        obj = target_of(bpy.context)
        if obj is None:
            return False
        following = next_step(obj)
        before, chosen = _chosen.get((obj.session_uid, step), (following, following == step))
        return chosen if before == following else following == step

    return is_open


def _setter(step: Step) -> Callable[[Any, bool], None]:
    def keep(_steps: object, opened: bool) -> None:
        obj = target_of(bpy.context)
        if obj is not None:
            _chosen[obj.session_uid, step] = next_step(obj), opened

    return keep


def _switch(step: Step, name: str) -> Any:  # noqa: ANN401 (what Blender makes properties from)
    return BoolProperty(
        name=name, description="Open or close this section", get=_getter(step), set=_setter(step)
    )


class NEURALPHYSICS_PG_steps(bpy.types.PropertyGroup):
    """Whether each section is open, for the object that the tab shows."""

    set_up: _switch("set_up", "Set Up")
    bake: _switch("bake", "Bake")
    train: _switch("train", "Train")
    play: _switch("play", "Play")
    share: _switch("share", "Share")


def steps_of(context: bpy.types.Context) -> NEURALPHYSICS_PG_steps:
    """The switches."""
    return cast(NEURALPHYSICS_PG_steps, getattr(context.window_manager, "neural_physics_steps"))  # noqa: B009


def register() -> None:
    register_classes((NEURALPHYSICS_PG_steps,))
    bpy.types.WindowManager.neural_physics_steps = PointerProperty(type=NEURALPHYSICS_PG_steps)  # type: ignore[attr-defined]


def unregister() -> None:
    _chosen.clear()
    del bpy.types.WindowManager.neural_physics_steps  # type: ignore[attr-defined]
    unregister_classes((NEURALPHYSICS_PG_steps,))

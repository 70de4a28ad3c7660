"""Registering several things so that a failure leaves none of them behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, Literal, Protocol

import bpy

Kind = Literal["POST_VIEW", "POST_PIXEL"]


class Part(Protocol):
    """A module with something to register in Blender."""

    def register(self) -> None:
        """Register the module's classes, handlers or settings in Blender."""
        ...

    def unregister(self) -> None:
        """Undo `register`."""
        ...


class ViewportHandler:
    """A part that draws in every 3D viewport, after what Blender draws there; not in the background.

    kind: POST_VIEW, in the scene's space, or POST_PIXEL. handle: Blender's, while it is registered.
    """

    def __init__(self, draw: Callable[[], None], kind: Kind = "POST_VIEW") -> None:
        self._draw, self._kind = draw, kind
        self.handle: Any = None

    def register(self) -> None:
        """See `Part`."""
        if not bpy.app.background:
            self.handle = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", self._kind)

    def unregister(self) -> None:
        """See `Part`."""
        if self.handle is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self.handle, "WINDOW")
            self.handle = None


def register_parts(parts: Iterable[Part]) -> None:
    """Register modules in order; if one fails, unregister those before it and raise its error."""
    _all_or_nothing((part.register, part.unregister) for part in parts)


def unregister_parts(parts: Iterable[Part]) -> None:
    """Unregister modules in reverse order; one that fails does not keep the others."""
    with ExitStack() as stack:
        for part in parts:
            stack.callback(part.unregister)


def register_classes(classes: Iterable[type[Any]]) -> None:
    """Register classes in order, all or none."""

    def pair(cls: type[Any]) -> tuple[Callable[[], object], Callable[[], object]]:
        return lambda: bpy.utils.register_class(cls), lambda: bpy.utils.unregister_class(cls)

    _all_or_nothing(pair(cls) for cls in classes)


def unregister_classes(classes: Iterable[type[Any]]) -> None:
    """Unregister classes in reverse order."""
    with ExitStack() as stack:
        for cls in classes:
            stack.callback(bpy.utils.unregister_class, cls)


def _all_or_nothing(steps: Iterable[tuple[Callable[[], object], Callable[[], object]]]) -> None:
    with ExitStack() as stack:
        for do, undo in steps:
            do()
            stack.callback(undo)
        stack.pop_all()

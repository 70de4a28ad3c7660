"""Draws in every viewport what plays as a preview."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from weakref import WeakKeyDictionary

import bpy
import numpy as np

from ...errors import Problem
from ..gpu.context import NoGPU
from ..gpu.decoder import Decoded, GpuDecoder
from ..gpu.preview import Preview, View, viewport_colour
from ..gpu.shaders import forget_shaders
from ..gpu.uploaded_models import forget_models
from ..jobs.timers import in_window
from ..settings.registration import ViewportHandler
from .handlers import PLAYED, settle_previews
from .output.previewing import DRAWN_SHADING, CardShape
from .session import PlaySession


class Drawing:
    """What is drawn: shapes that were decoded, and the triangles of meshes."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[GpuDecoder, tuple[tuple[CardShape, ...], Decoded]] = WeakKeyDictionary()
        self._meshes: WeakKeyDictionary[PlaySession, Preview] = WeakKeyDictionary()

    def draw(self, sessions: Iterable[PlaySession], view: View, space: bpy.types.SpaceView3D | None) -> None:
        """Draw objects into what is bound, decoding those that have changed: one dispatch for each model.

        space: the viewport; None draws all, in their objects' colours. One that fails keeps its problem.
        """
        by_model: dict[Hashable, list[PlaySession]] = {}
        for session in sessions:
            by_model.setdefault(session.model_identity, []).append(session)
        for group in by_model.values():
            try:
                decoded = self._decode(group)
                for instance, session in enumerate(group):
                    self._draw_one(session, decoded, instance, view, space=space)
            except Problem as problem:
                _fail(group, problem)
            except Exception as error:  # noqa: BLE001 (raised, it would be lost in a console at every redraw)
                _fail(group, NoGPU("gpu_failed", reason=f"{type(error).__name__}: {error}"))

    def clear(self) -> None:
        """Let go of everything."""
        self._made.clear()
        self._meshes.clear()

    def _decode(self, group: list[PlaySession]) -> Decoded:
        """Raises NoGPU and Problem("model_damaged")."""
        decoder = group[0].output.decoder_on_card(group[0].name, for_display=True)
        for session in group[1:]:
            session.output.decoder_on_card(
                session.name, for_display=True
            )  # held by all, it lives as long as one of them
        shapes = tuple(
            session.output.preview.shape for session in group if session.output.preview.shape is not None
        )
        held = self._made.get(decoder)
        if held is not None and len(held[0]) == len(shapes) and all(map(_is, held[0], shapes)):
            return held[1]
        z = np.zeros((len(shapes), decoder.basis_count), np.float32)
        for row, shape in zip(z, shapes, strict=True):
            used = shape.bases or decoder.basis_count
            row[:used] = shape.z[:used]
        most = max(shape.bases or decoder.basis_count for shape in shapes)
        decoded = decoder.decode(z, [shape.bodies for shape in shapes], most)
        self._made[decoder] = shapes, decoded
        return decoded

    def _draw_one(
        self,
        session: PlaySession,
        decoded: Decoded,
        instance: int,
        view: View,
        *,
        space: bpy.types.SpaceView3D | None,
    ) -> None:
        """Raises NoGPU."""
        obj, shape = session.object(), session.output.preview.shape
        if obj is None or shape is None:
            return
        if space is not None and not obj.visible_get(viewport=space):
            return
        preview = self._meshes.get(session)
        if preview is None:
            preview = self._meshes[session] = Preview(obj, decoded, instance)
        preview.show(decoded, instance)
        # With the overlays goes the outline of what is selected, as it does with Blender's own.
        rim = space is not None and space.overlay.show_overlays and space.shading.show_object_outline
        preview.draw(view, shape.object_from_model, rim, viewport_colour(obj, space))


DRAWING = Drawing()


def draw_previews(view: View) -> None:
    """Draw all previews, for a script, into the offscreen that is bound, as seen in this view."""
    DRAWING.draw(_previewed(), view, None)


def register() -> None:
    """Start drawing previews in viewports."""
    _HANDLER.register()


def unregister() -> None:
    """Stop drawing previews and free what they hold on the graphics card."""
    _HANDLER.unregister()
    DRAWING.clear()
    forget_models()
    forget_shaders()


def _draw() -> None:
    space = bpy.context.space_data
    if not isinstance(space, bpy.types.SpaceView3D):
        return
    if space.shading.type == DRAWN_SHADING:
        DRAWING.draw(_previewed(), View.current(), space)
    if PLAYED.previews_unsettled() and not bpy.app.timers.is_registered(_settle):
        # Nothing may be changed while it is drawn.
        bpy.app.timers.register(_settle, first_interval=0.0)


@in_window
def _settle() -> None:
    settle_previews()


def _previewed() -> list[PlaySession]:
    return [session for session in PLAYED.sessions() if session.output.preview.shape is not None]


def _fail(group: Iterable[PlaySession], problem: Problem) -> None:
    for session in group:
        session.output.preview.fail(problem)


def _is(a: object, b: object) -> bool:
    return a is b


_HANDLER = ViewportHandler(_draw)

"""Draws in every viewport what plays as a preview."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

import bpy
import numpy as np

from ..errors import Problem
from ..normals import learned_normals
from .gpu.context import NoGPU
from .gpu.decoder import Decoded, GpuDecoder
from .gpu.preview import Preview, View, viewport_colour
from .gpu.shaders import forget_shaders
from .handlers import PLAYED, settle_previews
from .play_session import PlaySession
from .previewing import DRAWN_SHADING, CardShape

Identity = Hashable

_handle: Any = None


class Drawing:
    """What the graphics card holds of the models and meshes that are drawn."""

    def __init__(self) -> None:
        self._decoders: dict[Identity, GpuDecoder] = {}  # of the model
        self._made: dict[Identity, tuple[tuple[CardShape, ...], Decoded]] = {}
        self._meshes: WeakKeyDictionary[PlaySession, Preview] = WeakKeyDictionary()

    def draw(self, sessions: Iterable[PlaySession], view: View, space: bpy.types.SpaceView3D | None) -> None:
        """Draw objects into what is bound, decoding those that have changed: one dispatch for each model.

        space: the viewport; None draws all, in their objects' colours. One that fails keeps its problem.
        """
        by_model: dict[Identity, list[PlaySession]] = {}
        for session in sessions:
            by_model.setdefault(session.model_identity, []).append(session)
        for identity in self._decoders.keys() - by_model.keys():
            self._forget(identity)
        for identity, group in by_model.items():
            try:
                decoded = self._decode(identity, group)
                for instance, session in enumerate(group):
                    self._draw_one(session, decoded, instance, view, space)
            except Problem as problem:
                _fail(group, problem)
            except Exception as error:  # noqa: BLE001 (raised, it would be lost in a console at every redraw)
                _fail(group, NoGPU("gpu_failed", reason=f"{type(error).__name__}: {error}"))

    def clear(self) -> None:
        """Let go of everything."""
        self._decoders.clear()
        self._made.clear()
        self._meshes.clear()

    def _forget(self, identity: Identity) -> None:
        del self._decoders[identity]
        self._made.pop(identity, None)

    def _decode(self, identity: Identity, group: list[PlaySession]) -> Decoded:
        """Raises NoGPU and Problem("model_damaged")."""
        shapes = tuple(session.preview.shape for session in group if session.preview.shape is not None)
        held = self._made.get(identity)
        if held is not None and len(held[0]) == len(shapes) and all(map(_is, held[0], shapes)):
            return held[1]
        decoder = self._decoders.get(identity)
        if decoder is None:
            decoder = self._decoders[identity] = _decoder_of(group[0])
        z = np.zeros((len(shapes), decoder.basis_count), np.float32)
        for row, shape in zip(z, shapes, strict=True):
            used = shape.bases or decoder.basis_count
            row[:used] = shape.z[:used]
        most = max(shape.bases or decoder.basis_count for shape in shapes)
        decoded = decoder.decode(z, [shape.bodies for shape in shapes], most)
        self._made[identity] = shapes, decoded
        return decoded

    def _draw_one(
        self,
        session: PlaySession,
        decoded: Decoded,
        instance: int,
        view: View,
        space: bpy.types.SpaceView3D | None,
    ) -> None:
        """Raises NoGPU."""
        obj, shape = session.object(), session.preview.shape
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
    """For scripts: draw all previews into the offscreen that is bound, as seen in this view."""
    DRAWING.draw(_previewed(), view, None)


def register() -> None:
    global _handle  # noqa: PLW0603 (Blender wants it back)
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    global _handle  # noqa: PLW0603
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
    DRAWING.clear()
    forget_shaders()


def _draw() -> None:
    space = bpy.context.space_data
    if not isinstance(space, bpy.types.SpaceView3D):
        return
    if space.shading.type == DRAWN_SHADING:
        DRAWING.draw(_previewed(), View.current(), space)
    if PLAYED.previews_unsettled() and not bpy.app.timers.is_registered(settle_previews):
        # Nothing may be changed while it is drawn.
        bpy.app.timers.register(settle_previews, first_interval=0.0)


def _previewed() -> list[PlaySession]:
    return [session for session in PLAYED.sessions() if session.preview.shape is not None]


def _decoder_of(session: PlaySession) -> GpuDecoder:
    """Raises NoGPU and Problem("model_damaged")."""
    decoder = session.method.decoder
    assert decoder is not None  # the preview of a model that does not decode linearly is not switched on
    normals = learned_normals(session.model, decoder.basis_count)
    basis = decoder.basis.reshape(decoder.basis_count, -1, 3)
    return GpuDecoder(session.name, decoder.mean, basis, normals)


def _fail(group: Iterable[PlaySession], problem: Problem) -> None:
    for session in group:
        session.preview.fail(problem)


def _is(a: object, b: object) -> bool:
    return a is b

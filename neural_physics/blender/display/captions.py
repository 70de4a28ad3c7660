"""What the viewport says while a model plays: what to do, and how fast it is."""

from __future__ import annotations

import blf
import bpy

from ...models.model_file import simulation_ms
from ...plain_text import one_line
from ..playing import grabbing
from ..playing.handlers import PLAYED
from ..scene.targets import channel_objects, set_up_objects
from ..settings.properties import settings_of
from ..settings.registration import ViewportHandler
from .viewport_lines import current_canvas

FONT = 0
WORTH_SAYING = 1.5  # times faster
HINT_SIZE, SPEED_SIZE = 26.0, 14.0  # points, at 1x
MARGIN = 20.0  # pixels at 1x, from below
WHITE = (1.0, 1.0, 1.0)


def captions(scene: bpy.types.Scene) -> list[tuple[str, float]]:
    """Lines of text and their sizes, the lowest first, of what plays in a scene."""
    lines: list[tuple[str, float]] = []
    for obj in set_up_objects(scene):
        settings, session = settings_of(obj), PLAYED.session_of(obj)
        if session is None or not settings.playing or not settings.show_captions or session.problem:
            continue
        said = speed(session.output.frame_ms, simulation_ms(session.model))
        lines.append((f"{obj.name}: {said}", SPEED_SIZE))
        if settings.hint and not any(grabbing.is_grabbed(mover) for mover in channel_objects(obj)):
            lines.append((one_line(settings.hint), HINT_SIZE))
    return lines


def speed(ms: float, simulation: float) -> str:
    """Such as “0.09 ms a frame, 240 times faster than the simulation”; both ms, the second 0 if unknown.

    What is hardly faster is not compared.
    """
    text = f"{ms:.2g} ms a frame" if ms < 10 else f"{ms:.0f} ms a frame"
    if ms and simulation > WORTH_SAYING * ms:
        text += f", {_rounded(simulation / ms)} times faster than the simulation"
    return text


def _rounded(factor: float) -> str:
    """Two digits: more of them would flicker, and promise too much."""
    return f"{float(f'{factor:.2g}'):,.0f}" if factor >= 10 else f"{factor:.1f}"


def register() -> None:
    """Start drawing captions in viewports."""
    _HANDLER.register()


def unregister() -> None:
    """Stop drawing captions."""
    _HANDLER.unregister()


def _draw() -> None:
    preferences, scene, area = bpy.context.preferences, bpy.context.scene, bpy.context.area
    if current_canvas() is None or scene is None or preferences is None or area is None:
        return
    scale = preferences.system.ui_scale
    middle, y = _middle(area), MARGIN * scale
    blf.enable(FONT, blf.SHADOW)
    blf.shadow(FONT, 5, 0.0, 0.0, 0.0, 0.8)
    for text, points in captions(scene):
        blf.size(FONT, points * scale)
        blf.color(FONT, *WHITE, 1.0)
        blf.position(FONT, middle - 0.5 * blf.dimensions(FONT, text)[0], y, 0.0)
        blf.draw(FONT, text)
        y += 1.6 * points * scale
    blf.disable(FONT, blf.SHADOW)


def _middle(area: bpy.types.Area) -> float:
    """Between toolbar and sidebar, which lie over the viewport; pixels."""
    left = right = 0.0
    width = 0
    for region in area.regions:
        if region.type == "WINDOW":
            width = region.width
        elif region.type == "TOOLS" and region.width > 1:
            left = region.width
        elif region.type == "UI" and region.width > 1:
            right = region.width
    return 0.5 * (left + width - right)


_HANDLER = ViewportHandler(_draw, "POST_PIXEL")

"""Pictures of reference and prediction side by side, rendered in Blender without a graphics card."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
from PIL import Image, ImageDraw, ImageFont

CAPTION = 34  # pixels below each picture
# What of Blender's is loaded is known to it alone, and not to the stubs.
ENGINE, VIEW = "engine", "view_transform"
INK, PAPER = (235, 238, 240), (28, 32, 36)


def use_workbench(scene: bpy.types.Scene, size: int) -> None:
    """Quick, plain pictures for animations."""
    setattr(scene.render, ENGINE, "BLENDER_WORKBENCH")
    scene.render.resolution_x = scene.render.resolution_y = size
    display, colours = scene.display, scene.view_settings
    assert display is not None and colours is not None and display.shading is not None  # scenes have them
    display.render_aa = "5"
    setattr(colours, VIEW, "Standard")
    colours.exposure = 0.9
    shading = display.shading
    shading.light, shading.color_type = "STUDIO", "MATERIAL"
    shading.show_shadows = shading.show_cavity = True
    shading.cavity_type, shading.shadow_intensity = "BOTH", 0.35


def use_cycles(scene: bpy.types.Scene, size: int, samples: int) -> None:
    """Good pictures, some seconds each on a processor."""
    setattr(scene.render, ENGINE, "CYCLES")
    scene.render.resolution_x = scene.render.resolution_y = size
    colours, cycles = scene.view_settings, scene.cycles
    assert colours is not None and cycles is not None  # every scene has both
    setattr(colours, VIEW, "AgX")
    colours.exposure = 0.0
    cycles.device = "CPU"
    cycles.samples = samples
    cycles.use_denoising = False
    cycles.max_bounces = 4
    cycles.sample_clamp_indirect = 2.0


def render(scene: bpy.types.Scene, path: Path) -> None:
    """Render the frame that is set, as PNG."""
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(path)
    with quiet():
        bpy.ops.render.render(write_still=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Blender's own lines about each render out of the terminal."""
    sys.stdout.flush()
    terminal, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        os.dup2(terminal, 1)
        os.close(terminal)
        os.close(nothing)


def beside(left: Path, right: Path, captions: tuple[str, str]) -> Image.Image:
    """Two pictures of the same size with a caption under each."""
    pictures = [Image.open(left).convert("RGB"), Image.open(right).convert("RGB")]
    width, height = pictures[0].size
    sheet = Image.new("RGB", (2 * width + 2, height + CAPTION), PAPER)
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=18)
    for column, (picture, caption) in enumerate(zip(pictures, captions, strict=True)):
        x = column * (width + 2)
        sheet.paste(picture, (x, 0))
        draw.text((x + width / 2, height + CAPTION / 2), caption, INK, font, anchor="mm")
    return sheet


def save_animation(frames: Iterable[Image.Image], path: Path, seconds: float) -> None:
    """A GIF that repeats for ever; `seconds` per picture. All pictures share the first one's colours."""
    pictures = list(frames)
    palette = pictures[len(pictures) // 4].quantize(colors=255, method=Image.Quantize.MEDIANCUT)
    indexed = [picture.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG) for picture in pictures]
    indexed[0].save(path, save_all=True, append_images=indexed[1:], duration=1000 * seconds, loop=0)

"""Small pictures of the examples, as icons for the gallery."""

from __future__ import annotations

from pathlib import Path

import bpy  # noqa: F401 (its submodule is imported next)
import bpy.utils.previews

FOLDER = Path(__file__).with_name("pictures")

_pictures: bpy.utils.previews.ImagePreviewCollection | None = None


def path_of(name: str) -> Path:
    """The picture of an example; `tools/gallery.py` renders them."""
    return FOLDER / f"{name.lower()}.jpg"


def icon_of(name: str) -> int:
    """The icon of an example's picture, 0 for none; read when it is first asked for."""
    if _pictures is None:
        return 0
    if name not in _pictures:
        _pictures.load(name, str(path_of(name)), "IMAGE")
    return int(_pictures[name].icon_id)


def register() -> None:
    """Create the collection of icons."""
    global _pictures  # noqa: PLW0603 (Blender's previews have to be given back)
    _pictures = bpy.utils.previews.new()


def unregister() -> None:
    """Give the icons back to Blender."""
    global _pictures  # noqa: PLW0603
    if _pictures is not None:
        bpy.utils.previews.remove(_pictures)
    _pictures = None

"""A .blend with other bytes than Blender writes, as damage or a stranger leaves them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import bpy

OWN_BASE = 1.2345678  # of a frame rate: such as nothing else in the file


def open_edited(path: Path, edit: Callable[[bytearray], None]) -> None:
    """Save the scene there, edit the file's bytes, and open it."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    data = bytearray(path.read_bytes())
    edit(data)
    path.write_bytes(data)
    bpy.ops.wm.open_mainfile(filepath=str(path))


def open_changed(path: Path, changes: Mapping[bytes, bytes]) -> None:
    """Save the scene there, put bytes in place of others as long, and open it."""

    def replace(data: bytearray) -> None:
        for before, after in changes.items():
            assert before in data and len(before) == len(after)
            data[:] = data.replace(before, after)

    open_edited(path, replace)


def open_without_frame_rate(path: Path) -> bpy.types.Scene:
    """The scene, opened again with a frame rate whose base is 0."""
    bpy.context.scene.render.fps_base = OWN_BASE
    open_changed(path, {struct.pack("<f", OWN_BASE): struct.pack("<f", 0.0)})
    scene = bpy.context.scene
    assert scene is not None and scene.render.fps_base == 0.0
    return scene

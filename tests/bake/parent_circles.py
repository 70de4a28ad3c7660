"""A .blend in which objects are parented in a circle: Blender makes none, but opens one."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import bpy


def make_circle(path: Path, first: bpy.types.Object, second: bpy.types.Object) -> None:
    """Save the file, have both be each other's parent in what was saved, and open that."""
    stand_in = bpy.data.objects.new("Stand-in", None)
    bpy.context.scene.collection.objects.link(stand_in)
    first.parent, second.parent = second, stand_in
    names = first.name, second.name
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    data = bytearray(path.read_bytes())
    blocks = {name: (address, place, size) for name, address, place, size in _objects(data)}
    address, of_stand_in = (struct.pack("<Q", blocks[name][0]) for name in (names[0], "Stand-in"))
    _, place, size = blocks[names[1]]
    changed = data[place : place + size].replace(of_stand_in, address)
    assert changed != data[place : place + size]
    data[place : place + size] = changed
    path.write_bytes(data)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    one, other = (bpy.data.objects[name] for name in names)
    assert one.parent == other and other.parent == one


def _objects(data: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Name, old address, place and length of each object; lengths have eight bytes since Blender 5.0."""
    large = data[7:9] == b"17"  # the length of the file's header
    head, place = ("<4sIQQQ", 17) if large else ("<4sIQII", 12)
    while place < len(data):
        code, first, address, third, _ = struct.unpack_from(head, data, place)
        size = third if large else first
        place += struct.calcsize(head)
        if code == b"OB\0\0":
            name = data.find(b"OB", place, place + size) + 2
            yield data[name : data.find(b"\0", name)].decode(), address, place, size
        place += size

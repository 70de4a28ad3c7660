"""Saving what is open, so that nothing is written but the .blend that is named.

Blender does more where a file says so: it writes sculpts that lie in files of their own, wherever those are
said to be, and reads whatever files images and fonts name, to pack them into what is open and what is saved.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import bpy

from ...errors import Problem
from ...files.atomic import writing
from ...files.links import make_way


def save_open_file(path: Path, *, copy: bool, relative_remap: bool = False) -> None:
    """Save what is open as a .blend. copy: what is open keeps its own name.

    Raises Problem("sculpt_elsewhere" | "folder_not_writable"), and RuntimeError where Blender cannot write
    the file.
    """
    check_no_sculpt_elsewhere()
    with _no_sculpt_named(), _nothing_packed():
        with writing(path.parent):
            make_way(path.with_name(f"{path.name}@"))  # Blender writes to it, and gives it the file's name
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=copy, relative_remap=relative_remap)


def save_apart(objects: Sequence[bpy.types.Object], path: Path) -> None:
    """Write objects, and all that they are made of, as a .blend of their own.

    Raises Problem("sculpt_elsewhere" | "disk_full" | "folder_not_writable").
    """
    check_no_sculpt_elsewhere()
    with _no_sculpt_named():
        try:
            bpy.data.libraries.write(
                str(path), cast(Any, set(objects)), path_remap="ABSOLUTE", compress=False
            )
        except (RuntimeError, OSError) as error:
            if os.strerror(errno.ENOSPC) in str(error):  # Blender reports a full disk in words only
                raise Problem("disk_full", path=path.parent) from error
            raise Problem("folder_not_writable", path=path.parent, reason=str(error).strip()) from error


def check_no_sculpt_elsewhere() -> None:
    """Raise Problem("sculpt_elsewhere") where Blender would write a sculpt into a file of its own."""
    with _multires_of_meshes() as multires:
        found = next(((mesh, each.filepath) for mesh, each in multires if each.is_external), None)
    if found is not None:
        mesh, file = found
        owner = next((obj for obj in bpy.data.objects if obj.data == mesh), mesh)
        raise Problem("sculpt_elsewhere", object=owner.name, path=file)


@contextmanager
def _no_sculpt_named() -> Iterator[None]:
    """Let meshes name no file for a sculpt that they do not say is there.

    *Pack External* leaves the name, and Blender asks the layer that is in use whether it lies there, but
    writes all that do.
    """
    with _multires_of_meshes() as multires:
        names = {mesh: each.filepath for mesh, each in multires if each.filepath and not each.is_external}
    _name_sculpts(dict.fromkeys(names, ""))
    try:
        yield
    finally:
        _name_sculpts(names)


def _name_sculpts(names: dict[bpy.types.Mesh, str]) -> None:
    with _multires_of_meshes() as multires:
        for mesh, each in multires if names else ():
            if mesh in names:
                each.filepath = names[mesh]


@contextmanager
def _multires_of_meshes() -> Iterator[Iterator[tuple[bpy.types.Mesh, bpy.types.MultiresModifier]]]:
    """All meshes that are saved, each with a Multires modifier.

    That says where its sculpt lies. A mesh can have one without a modifier: so an object that is in no scene
    is given one, and each mesh in turn. That takes a microsecond for each.
    """
    meshes = [mesh for mesh in bpy.data.meshes if mesh.users and _is_saved(mesh)]
    if not meshes:
        yield iter(())
        return
    probe = bpy.data.objects.new("Probe", meshes[0])
    multires = probe.modifiers.new("Probe", "MULTIRES")
    assert isinstance(multires, bpy.types.MultiresModifier)

    def each() -> Iterator[tuple[bpy.types.Mesh, bpy.types.MultiresModifier]]:
        for mesh in meshes:
            probe.data = mesh
            yield mesh, multires

    try:
        yield each()
    finally:
        bpy.data.objects.remove(probe)


def _is_saved(mesh: bpy.types.Mesh) -> bool:
    """Whether a mesh is written with the file; of what is linked, only what Blender 5 packs is."""
    return mesh.library is None or getattr(mesh, "is_linked_packed", False)


@contextmanager
def _nothing_packed() -> Iterator[None]:
    """Switch off that resources are packed at each save, which is a setting of the file."""
    packs = bpy.data.use_autopack
    bpy.data.use_autopack = False
    try:
        yield
    finally:
        bpy.data.use_autopack = packs

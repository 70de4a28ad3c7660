"""Blender's exporters and importers for files with motion, in a Blender that has nothing else open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from ...errors import Problem
from .formats import format_of


def export_scene(path: Path, first: int, last: int) -> None:
    """Write all of the scene that is open, frame by frame.

    Transforms, UV maps, colours, normals and materials by their names are in the file. Raises
    Problem("export_failed") with Blender's own reason.
    """
    wm: Any = bpy.ops.wm
    export: Any = bpy.ops.export_scene
    if format_of(path) == "ALEMBIC":
        _call(
            path,
            lambda: wm.alembic_export(
                filepath=str(path),
                check_existing=False,
                start=first,
                end=last,
                uvs=True,
                normals=True,
                vcolors=True,
                face_sets=True,  # names of materials
                export_custom_properties=False,
                evaluation_mode="VIEWPORT",
                as_background_job=False,
            ),
        )
    elif format_of(path) == "GLTF":
        _call(
            path,
            lambda: export.gltf(
                filepath=str(path),
                check_existing=False,
                export_format="GLB",
                export_animation_mode="SCENE",
                export_anim_scene_split_object=False,
                export_optimize_animation_size=False,
                export_frame_range=True,
            ),
        )
    else:
        _call(
            path,
            lambda: wm.usd_export(
                filepath=str(path),
                check_existing=False,
                export_animation=first != last,
                export_uvmaps=True,
                export_normals=True,
                export_materials=True,
                export_custom_properties=False,
                evaluation_mode="VIEWPORT",
            ),
        )


def export_mesh(path: Path) -> None:
    """Write all of the scene that is open as it stands, as glTF or FBX: for the engines that read these.

    Raises Problem("export_failed").
    """
    export: Any = bpy.ops.export_scene
    if path.suffix == ".fbx":
        bpy.ops.preferences.addon_enable(module="io_scene_fbx")
        # No unit but the metre in the numbers, and no rotation but that of the object: as OpenVAT has it.
        _call(
            path,
            lambda: export.fbx(
                filepath=str(path),
                check_existing=False,
                object_types={"MESH"},
                use_mesh_modifiers=False,
                bake_anim=False,
                path_mode="STRIP",
            ),
        )
    else:
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
        _call(
            path,
            lambda: export.gltf(
                filepath=str(path), check_existing=False, export_format="GLB", export_animations=False
            ),
        )


def import_scene(path: Path) -> None:
    """Read a file into the scene that is open. Raises Problem("export_failed")."""
    wm: Any = bpy.ops.wm
    bring: Any = bpy.ops.import_scene
    if format_of(path) == "GLTF":
        _call(path, lambda: bring.gltf(filepath=str(path)))
    elif format_of(path) == "ALEMBIC":
        _call(path, lambda: wm.alembic_import(filepath=str(path), as_background_job=False))
    else:
        # With what holds a mesh kept apart: that has the name which the object had.
        _call(path, lambda: wm.usd_import(filepath=str(path), merge_parent_xform=False))


def name_in_file(name: str) -> str:
    """As both formats write names: letters, digits and underscores."""
    return "".join(each if each.isalnum() or each == "_" else "_" for each in name)


def _call(path: Path, operator: Callable[[], set[str]]) -> None:
    try:
        done = operator()
    except RuntimeError as error:
        reason = str(error).removeprefix("Error: ").strip().rstrip(".")
        raise Problem("export_failed", path=path, reason=reason) from error
    if "FINISHED" not in done:
        raise Problem("export_failed", path=path, reason="its exporter gave up")

"""Blender's exporters and importers for files with motion, in a Blender that has nothing else open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from ...errors import Problem
from .formats import format_of

NO_MATERIALS = {
    "import_materials": False,
    "import_textures_mode": "IMPORT_NONE",
    "create_world_material": False,
}


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
            code="export_failed",
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
            code="export_failed",
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
                export_textures_mode="KEEP",  # no file is copied
                export_custom_properties=False,
                evaluation_mode="VIEWPORT",
            ),
            code="export_failed",
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
            code="export_failed",
        )
    else:
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
        _call(
            path,
            lambda: export.gltf(
                filepath=str(path), check_existing=False, export_format="GLB", export_animations=False
            ),
            code="export_failed",
        )


def export_posed(path: Path) -> None:
    """Write all of the scene that is open as FBX: meshes at rest, armatures, and one frame of these for each.

    Raises Problem("export_failed").
    """
    bpy.ops.preferences.addon_enable(module="io_scene_fbx")
    export: Any = bpy.ops.export_scene
    _call(
        path,
        lambda: export.fbx(
            filepath=str(path),
            check_existing=False,
            object_types={"ARMATURE", "MESH"},
            use_mesh_modifiers=False,
            mesh_smooth_type="FACE",
            use_armature_deform_only=True,
            add_leaf_bones=False,
            bake_anim=True,
            bake_anim_use_nla_strips=False,
            bake_anim_use_all_actions=False,
            bake_anim_simplify_factor=0.0,
            path_mode="STRIP",
        ),
        code="export_failed",
    )


def import_scene(path: Path, *, materials: bool = True) -> None:
    """Read a file into the scene that is open. Raises Problem("import_failed").

    materials: of USD; what their textures name is looked for in other files, which may be on a server.
    """
    wm: Any = bpy.ops.wm
    bring: Any = bpy.ops.import_scene
    if format_of(path) == "GLTF":
        _call(path, lambda: bring.gltf(filepath=str(path)), code="import_failed")
    elif format_of(path) == "ALEMBIC":
        _call(
            path, lambda: wm.alembic_import(filepath=str(path), as_background_job=False), code="import_failed"
        )
    else:
        # With what holds a mesh kept apart: that has the name which the object had.
        _call(
            path,
            lambda: wm.usd_import(
                filepath=str(path), merge_parent_xform=False, **({} if materials else NO_MATERIALS)
            ),
            code="import_failed",
        )


def name_in_file(name: str) -> str:
    """As both formats write names: letters, digits and underscores."""
    return "".join(each if each.isalnum() or each == "_" else "_" for each in name)


def _call(path: Path, operator: Callable[[], set[str]], *, code: str) -> None:
    try:
        done = operator()
    except RuntimeError as error:
        raise Problem(code, path=path, reason=_reason(error)) from error
    if "FINISHED" not in done:
        raise Problem(code, path=path, reason="it gave up")


def _reason(error: RuntimeError) -> str:
    """Blender's own; of an exporter in Python what it raised, without where that was."""
    lines = [line.strip() for line in str(error).removeprefix("Error: ").splitlines() if line.strip()]
    if any(line.endswith("Traceback (most recent call last):") for line in lines):
        lines = [line for line in lines if not line.startswith("Location: ")][-1:]
    return " ".join(lines).rstrip(".")

"""What the other Blender does to read a file: it samples a mesh and what moves beside it, frame by frame."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix

from ...datasets.dataset_info import MOST_FRAMES
from ...datasets.point_caches import pc2_header
from ...errors import Problem
from ...jobs.events import Progress, StopRequest, print_event
from ..scene.sources import read_positions
from .exporters import import_scene, name_in_file

NUMBERED = re.compile(r"\.\d{3,}$")  # what Blender adds where a name is taken
SHAPES, PLACES, REST = "shapes.pc2", "places.npy", "rest.npy"  # what is written into the plan's folder


def read_file(plan: Mapping[str, Any], stop: StopRequest) -> dict[str, Any]:
    """Write the mesh's shapes in each frame, in axes that it moves with, and where everything was.

    The plan's `mesh` is a name in the file, or "" for the only mesh with so many `vertices`; `others` are
    names of what else is wanted; `scale` is that of the artist's object, whose axes shapes are to be in.
    Places (T, 1 + others, 4, 4): first of the mesh, without a scale of its own but with that one.
    Returns the first frame and how many there are. Raises Problem("import_which_mesh" | "import_lacks" |
    "cache_vertex_count" | "cache_too_long" | "disk_full" | "import_failed" | "stopped").
    """
    path, folder = Path(plan["path"]), Path(plan["folder"])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = cast(bpy.types.Scene, bpy.context.scene)
    scene.render.fps, scene.render.fps_base = plan["fps"], plan["fps_base"]
    import_scene(path, materials=False)
    mesh = _mesh_in(path, plan)
    others = [_named(path, name) for name in plan["others"]]
    first, last = scene.frame_start, scene.frame_end
    count, vertices = last - first + 1, plan["vertices"]
    if count > MOST_FRAMES:
        raise Problem("cache_too_long", path=path, found=f"{count:,}", allowed=f"{MOST_FRAMES:,}")
    if 12 * count * vertices > shutil.disk_usage(folder).free:
        raise Problem("disk_full", path=folder)
    scale = np.diag([*plan["scale"], 1.0])
    progress = Progress(print_event, f"Reading {path.name}", count)
    places = np.empty((count, 1 + len(others), 4, 4))
    with (folder / SHAPES).open("xb") as file:
        file.write(pc2_header(vertices, count, first))
        for index in range(count):
            stop.check()
            scene.frame_set(first + index)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            evaluated = mesh.evaluated_get(depsgraph)
            data = cast(bpy.types.Mesh, evaluated.data)
            if len(data.vertices) != vertices:
                raise Problem(
                    "cache_vertex_count",
                    path=path,
                    found=len(data.vertices),
                    object=plan["object"],
                    expected=vertices,
                )
            stands = evaluated.matrix_world
            place = np.array(Matrix.LocRotScale(stands.translation, stands.to_quaternion(), None)) @ scale
            to_own = np.linalg.inv(place) @ np.array(stands)
            shape = read_positions(data) @ to_own[:3, :3].T + to_own[:3, 3]
            if not index:
                np.save(folder / REST, shape.astype(np.float32))
            file.write(shape.astype("<f4").tobytes())
            places[index, 0] = place
            for number, other in enumerate(others, 1):
                places[index, number] = np.array(other.evaluated_get(depsgraph).matrix_world)
            progress.at(index + 1)
    np.save(folder / PLACES, places)
    return {"first": first, "frames": count}


def _mesh_in(path: Path, plan: Mapping[str, Any]) -> bpy.types.Object:
    meshes = [obj for obj in bpy.data.objects if obj.type == "MESH"]
    if plan["mesh"]:
        named = _named(path, plan["mesh"])
        found = [obj for obj in meshes if obj in (named, *named.children_recursive)]
    else:
        found = [obj for obj in meshes if len(cast(bpy.types.Mesh, obj.data).vertices) == plan["vertices"]]
    if len(found) != 1:
        raise Problem("import_which_mesh", path=path, object=plan["object"], names=_listed(meshes))
    return found[0]


def _named(path: Path, name: str) -> bpy.types.Object:
    """An object by its own name or that of its mesh; of where it is in the file, as /World/Sheet, the end."""
    wanted = name_in_file(name.rsplit("/", 1)[-1])
    for name_of in (_own_name, _data_name):
        found = [obj for obj in bpy.data.objects if name_in_file(name_of(obj)) == wanted]
        if found:
            return found[0]
    raise Problem("import_lacks", path=path, name=name, names=_listed(list(bpy.data.objects)))


def _own_name(obj: bpy.types.Object) -> str:
    return obj.name


def _data_name(obj: bpy.types.Object) -> str:
    return obj.data.name if obj.data else ""


def _listed(objects: Sequence[bpy.types.Object], most: int = 10) -> str:
    """Their names, to choose from: in USD a mesh is in something with the name that its object had."""
    names = sorted({NUMBERED.sub("", _holder(obj).name) for obj in objects})
    return ", ".join([*names[:most], *["..."] * (len(names) > most)]) or "none"


def _holder(obj: bpy.types.Object) -> bpy.types.Object:
    """What had a mesh's object's name: the mesh itself, or what is above it and is no skeleton."""
    holder = obj.parent if obj.type == "MESH" else None
    while holder is not None and holder.type == "ARMATURE":
        holder = holder.parent
    return holder or obj

"""What the other Blender does to write a vertex animation texture, the meshes that it moves, and its data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np

from ....arrays import Doubles, Floats
from ....datasets.point_caches import read_pc2
from ....errors import Problem
from ....models.normals import normals_from_faces
from ....models.vertex_textures import SIDE, Layout, Texture, decode, encode, layout_of, seamless
from ...scene.sources import faces_of
from ..exporters import export_mesh
from ..formats import TEXTURE_DATA, TEXTURE_MESHES
from ..tapes import Tape
from .data_images import write_data_image

UVS = "VAT_UV"  # as OpenVAT calls it
VERSION = 1


def write_texture(plan: Mapping[str, Any], obj: bpy.types.Object, tape: Tape) -> dict[str, Any]:
    """Write all files of a texture into one folder; what there is to say.

    `texture`: its data, as in the file. Raises Problem("export_failed" | "texture_too_large").
    """
    path = Path(plan["path"])
    mesh = cast(bpy.types.Mesh, obj.data)
    places = tape.places(plan["last"] - plan["first"] + 1 + plan["overlap"])
    shapes = in_world(read_pc2(tape.shapes), places)
    obj.modifiers.clear()
    obj.animation_data_clear()
    stand(mesh, shapes[0], places[0])
    loop = seamless(shapes, plan["overlap"])
    layout = layout_of(len(mesh.vertices), len(loop))
    if layout is None:
        found = {"vertices": f"{len(mesh.vertices):,}", "frames": f"{len(loop):,}"}
        raise Problem("texture_too_large", object=obj.name, side=f"{SIDE:,}", **found)
    rest = shapes[0]
    normals = normals_from_faces(loop, *faces_of(mesh))
    texture = encode(loop, normals, rest, layout, bits=16 if path.suffix.lower() == ".png" else 32)
    off = max(
        float(np.linalg.norm(decode(texture, rest, frame)[0] - shape, axis=1).max())
        for frame, shape in enumerate(loop)
    )
    data = _data(texture, plan, obj.name, places[0, :3].tolist())
    try:
        write_data_image(path, texture.image)
        with path.with_suffix(TEXTURE_DATA).open("x", encoding="utf-8") as file:
            file.write(json.dumps(data, indent=1))
    except OSError as error:
        raise Problem("export_failed", path=path, reason=error.strerror or str(error)) from error
    add_uvs(mesh, layout.uvs)
    for ending in TEXTURE_MESHES:
        export_mesh(path.with_suffix(ending))
    words = f"{layout.width} x {layout.height} texels, at most {1000 * off:.2g} mm off"
    return {"paths": [], "said": words, "texture": data}


def in_world(shapes: Floats, places: Doubles) -> Floats:
    """Shapes (n, V, 3) in the axes of the world, about where their origin was first, metres.

    places (n, 10): where the axes are that the given shapes are in, as `recording.PLACE` has it.
    """
    moved = np.empty(shapes.shape, np.float32)
    for found, shape, place in zip(moved, shapes, places, strict=True):
        w, x, y, z = place[3:7]
        across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])  # v -> (x, y, z) x v
        turn = np.eye(3) + 2.0 * (w * across + across @ across)
        found[:] = (shape * place[7:]) @ turn.T + (place[:3] - places[0, :3])
    return moved


def stand(mesh: bpy.types.Mesh, rest: Floats, place: Doubles) -> None:
    """Let a mesh stand in the axes of the world; mirrored there, its faces look outwards still."""
    mesh.attributes["position"].data.foreach_set("vector", rest.reshape(-1))  # type: ignore[attr-defined]
    if np.prod(place[7:]) < 0.0:
        mesh.flip_normals()
    mesh.update()


def add_uvs(mesh: bpy.types.Mesh, uvs: Floats) -> None:
    """Give a mesh the map (V, 2) into the texture, as its second: there engines look for it.

    Of its others the one that it is rendered with stays; where there is none, an empty one takes that place.
    """
    kept = next((layer.name for layer in mesh.uv_layers if layer.active_render), None)
    for name in [layer.name for layer in mesh.uv_layers]:
        if name != kept:
            mesh.uv_layers.remove(mesh.uv_layers[name])
    if kept is None:
        mesh.uv_layers.new(name="UVMap", do_init=False)
    elif kept == UVS:  # the map of an earlier texture
        mesh.uv_layers[kept].name = "UVMap"
    corners, _ = faces_of(mesh)
    layer = mesh.uv_layers.new(name=UVS, do_init=False)
    layer.data.foreach_set("uv", np.ascontiguousarray(uvs[corners], np.float32).reshape(-1))
    mesh.uv_layers[0].active = mesh.uv_layers[0].active_render = True


def _data(texture: Texture, plan: Mapping[str, Any], name: str, origin: list[float]) -> dict[str, Any]:
    """What OpenVAT's importers read, and what is good to know beyond that."""
    layout, rate = texture.layout, plan["fps"] / plan["fps_base"]
    clip = {"startFrame": 1, "endFrame": layout.frames, "framerate": rate, "looping": plan["overlap"] > 0}
    return {
        "os-remap": {"Min": texture.low.tolist(), "Max": texture.high.tolist(), "Frames": layout.frames},
        "animations": {name: clip},
        "neural_physics": {
            "version": VERSION,
            "vertices": layout.vertices,
            "width": layout.width,
            "height": layout.height,
            "bands": layout.bands,
            "bits": 16 if texture.image.dtype == np.uint16 else 32,
            "first": plan["first"],
            "samples": plan["samples"],
            "origin": origin,
            "overlap": plan["overlap"],
            "error": texture.error,
        },
    }


def layout_in(data: Mapping[str, Any]) -> Layout:
    """The layout of a texture that was written, by its data."""
    ours = data["neural_physics"]
    return Layout(ours["vertices"], data["os-remap"]["Frames"], ours["width"], ours["height"])

"""A vertex animation texture played in Blender as engines do it: a node group looks up each vertex in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np

from ....datasets.point_caches import read_pc2
from ...playing.output.geometry_nodes import new_group
from ...scene.modifiers.modifier_stack import beside_the_blend
from ..recording import PLACE, Recorded
from .texture_writing import UVS, add_uvs, in_world, layout_in, stand

GROUP = "Vertex Animation Texture"
GAP = 1.2  # from what plays to what shows the texture, in widths

Value = bpy.types.NodeSocket | float


def show_texture(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    recorded: Recorded,
    path: Path,
    *,
    data: Mapping[str, Any],
) -> None:
    """Add an object beside the one that was recorded, which plays the file by its data.

    The mesh is moved by nothing but the texture, and by the map into it.
    """
    mesh = recorded.mesh.copy()
    mesh.name = path.stem
    places = np.fromfile(recorded.places, "<f8", PLACE.size // 8)[None]
    stand(mesh, in_world(read_pc2(recorded.shapes)[:1], places)[0], places[0])
    add_uvs(mesh, layout_in(data).uvs)
    image = bpy.data.images.load(str(path), check_existing=True)
    assert image.colorspace_settings is not None  # images have them
    image.colorspace_settings.name = "Non-Color"  # type: ignore[assignment]
    image.filepath = beside_the_blend(path)
    image.reload()
    shown = bpy.data.objects.new(path.stem, mesh)
    origin = np.array(data["neural_physics"]["origin"])
    origin[0] += GAP * max(obj.dimensions.x, obj.dimensions.y, 1e-3)
    shown.location = origin.tolist()
    modifier = cast(bpy.types.NodesModifier, shown.modifiers.new(GROUP, "NODES"))
    modifier.node_group = texture_group(path.stem, image, data)
    scene.collection.objects.link(shown)  # which is never another file's


def texture_group(name: str, image: bpy.types.Image, data: Mapping[str, Any]) -> bpy.types.NodeTree:
    """Nodes that move each vertex of a mesh by what the image has of it at the scene's time.

    Between two frames it moves on a straight line, as in engines. A loop goes on for ever; what is none stays
    at its first frame before it begins, and at its last one after it ends.
    """
    group = new_group(f"{GROUP} {name}")
    build = _Builder(group)
    ours, bounds = data["neural_physics"], data["os-remap"]
    frames, samples = bounds["Frames"], ours["samples"]
    time = build.node("GeometryNodeInputSceneTime").outputs["Frame"]
    passed = build.math("MULTIPLY_ADD", time, samples, -float(ours["first"]))
    if ours["overlap"]:
        passed = build.math("FLOORED_MODULO", passed, frames)
        after = build.math("FLOORED_MODULO", build.math("ADD", build.math("FLOOR", passed), 1.0), frames)
    else:
        passed = build.math("MINIMUM", build.math("MAXIMUM", passed, 0.0), frames - 1.0)
        after = build.math("MINIMUM", build.math("ADD", build.math("FLOOR", passed), 1.0), frames - 1.0)
    uv = build.node("GeometryNodeInputNamedAttribute", data_type="FLOAT_VECTOR")
    uv.inputs["Name"].default_value = UVS  # type: ignore[attr-defined]
    values = []
    for frame in (build.math("FLOOR", passed), after):
        down = build.node("ShaderNodeCombineXYZ")
        build.link(build.math("MULTIPLY", frame, -1.0 / ours["height"]), down.inputs["Y"])
        texel = build.node("GeometryNodeImageTexture", interpolation="Closest", extension="EXTEND")
        texel.inputs["Image"].default_value = image  # type: ignore[attr-defined]
        build.link(
            build.vector("ADD", uv.outputs["Attribute"], down.outputs["Vector"]), texel.inputs["Vector"]
        )
        values.append(texel.outputs["Color"])
    along = build.node("ShaderNodeMix", data_type="VECTOR")
    build.link(build.math("FRACT", passed), along.inputs[0])
    for value, end in zip(values, (4, 5), strict=True):  # of the sockets called A and B, those for vectors
        build.link(value, along.inputs[end])
    low, high = np.array(bounds["Min"]), np.array(bounds["Max"])
    offset = build.vector("MULTIPLY_ADD", along.outputs[1], (high - low).tolist(), low.tolist())
    move = build.node("GeometryNodeSetPosition")
    enter, leave = build.node("NodeGroupInput"), build.node("NodeGroupOutput")
    build.link(enter.outputs["Geometry"], move.inputs["Geometry"])
    build.link(offset, move.inputs["Offset"])
    build.link(move.outputs["Geometry"], leave.inputs["Geometry"])
    return group


class _Builder:
    """Adds nodes to a group, one right of the other."""

    def __init__(self, group: bpy.types.NodeTree) -> None:
        self._group = group

    def node(self, kind: str, **settings: str) -> bpy.types.Node:
        made = self._group.nodes.new(kind)
        made.location = (180.0 * len(self._group.nodes), 0.0)
        for name, value in settings.items():
            setattr(made, name, value)
        return made

    def link(self, start: bpy.types.NodeSocket, end: bpy.types.NodeSocket) -> None:
        self._group.links.new(start, end)

    def math(self, operation: str, *values: Value) -> bpy.types.NodeSocket:
        return self._operated("ShaderNodeMath", operation, values)

    def vector(self, operation: str, *values: bpy.types.NodeSocket | Sequence[float]) -> bpy.types.NodeSocket:
        return self._operated("ShaderNodeVectorMath", operation, values)

    def _operated(self, kind: str, operation: str, values: Sequence[Any]) -> bpy.types.NodeSocket:
        made = self.node(kind, operation=operation)
        for value, end in zip(values, made.inputs, strict=False):  # it has sockets for other operations too
            if isinstance(value, bpy.types.NodeSocket):
                self.link(value, end)
            else:
                end.default_value = value  # type: ignore[attr-defined]
        return made.outputs[0]

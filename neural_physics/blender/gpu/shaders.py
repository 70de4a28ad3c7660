"""The shaders, each made when it is first asked for and kept for the session."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import gpu

from .context import NoGPU

FOLDER = Path(__file__).parent
GROUP = 64  # invocations in a work group, along the vertices


@cache
def decode_shader(instances: int, with_normals: bool) -> gpu.types.GPUShader:
    """Makes `instances` instances of a vertex in each invocation: see decode.glsl.

    Main thread only. Raises NoGPU("gpu_shader_refused").
    """
    info = gpu.types.GPUShaderCreateInfo()
    info.define("INSTANCES", str(instances))
    info.define("PARTS", "6" if with_normals else "3")
    for slot, name in enumerate(("bases", "means", "drive")):
        info.sampler(slot, "FLOAT_2D", name)
    info.image(0, "RGBA32F", "FLOAT_2D", "made_positions", qualifiers={"WRITE"})
    if with_normals:
        info.image(1, "RGBA32F", "FLOAT_2D", "made_normals", qualifiers={"WRITE"})
    for name in ("vertex_count", "instance_count", "groups", "all_groups"):
        info.push_constant("INT", name)
    info.local_group_size(GROUP)
    info.compute_source(source("capsule_push.glsl") + source("decode.glsl"))
    return _compiled(info, "decode")


@cache
def preview_shader() -> gpu.types.GPUShader:
    """Draws triangles from result textures: see preview_vertex.glsl.

    Main thread only. Raises NoGPU("gpu_shader_refused").
    """
    info = gpu.types.GPUShaderCreateInfo()
    info.typedef_source(source("preview_view.glsl"))
    info.uniform_buf(0, "PreviewView", "preview")
    info.vertex_in(0, "INT", "vertex_index")
    info.sampler(0, "FLOAT_2D", "positions")
    info.sampler(1, "FLOAT_2D", "normals")
    info.push_constant("INT", "first")
    info.push_constant("VEC4", "flat_colour")
    info.push_constant("VEC2", "shift")
    info.push_constant("BOOL", "srgbTarget")  # Blender sets it, by this name
    between = gpu.types.GPUStageInterfaceInfo("neural_physics_preview")
    between.smooth("VEC3", "view_position")
    between.smooth("VEC3", "view_normal")
    info.vertex_out(between)
    info.fragment_out(0, "VEC4", "colour")
    info.vertex_source(source("preview_vertex.glsl"))
    info.fragment_source(source("preview_fragment.glsl"))
    return _compiled(info, "preview")


@cache
def coloured_shader() -> gpu.types.GPUShader:
    """Draws triangles in their vertices' colours, lit: see coloured_fragment.glsl.

    Vertices: "pos", and "color" in display space. Uniforms: "towards" the viewer, a unit vector in the axes
    of the vertices, and how bright what is seen "sideways" is. Main thread only. Raises
    NoGPU("gpu_shader_refused").
    """
    info = gpu.types.GPUShaderCreateInfo()
    info.vertex_in(0, "VEC3", "pos")
    info.vertex_in(1, "VEC3", "color")
    info.push_constant("MAT4", "ModelViewProjectionMatrix")  # Blender sets it, by this name
    info.push_constant("VEC3", "towards")
    info.push_constant("FLOAT", "sideways")
    info.push_constant("BOOL", "srgbTarget")  # and this
    between = gpu.types.GPUStageInterfaceInfo("neural_physics_coloured")
    between.smooth("VEC3", "place")
    between.smooth("VEC3", "own_colour")
    info.vertex_out(between)
    info.fragment_out(0, "VEC4", "colour")
    info.vertex_source(source("coloured_vertex.glsl"))
    info.fragment_source(source("coloured_fragment.glsl"))
    return _compiled(info, "coloured")


def forget_shaders() -> None:
    """Drop all shaders: they are compiled again where they are needed."""
    decode_shader.cache_clear()
    preview_shader.cache_clear()
    coloured_shader.cache_clear()


def source(name: str) -> str:
    """The text of a shader's file."""
    return (FOLDER / name).read_text(encoding="utf-8")


def _compiled(info: gpu.types.GPUShaderCreateInfo, name: str) -> gpu.types.GPUShader:
    try:
        return gpu.shader.create_from_info(info)
    except Exception as error:
        raise NoGPU("gpu_shader_refused", shader=name) from error

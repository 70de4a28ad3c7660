"""What drawing surfaces needs beside a shader: the triangles of a mesh, and how they cover what is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import gpu

from ..scene.sources import triangles_of


def triangle_buffer(mesh: bpy.types.Mesh) -> gpu.types.GPUIndexBuf:
    """The vertices of a mesh's triangles."""
    mesh.calc_loop_triangles()
    return gpu.types.GPUIndexBuf(type="TRIS", seq=triangles_of(mesh))


@contextmanager
def opaque() -> Iterator[None]:
    """Depth-tested, opaque, both sides, into the depth, too; afterwards what was before."""
    depth_test, depth_mask, blend = (
        gpu.state.depth_test_get(),
        gpu.state.depth_mask_get(),
        gpu.state.blend_get(),
    )
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(True)
    gpu.state.blend_set("NONE")
    gpu.state.face_culling_set("NONE")
    try:
        yield
    finally:
        gpu.state.depth_test_set(depth_test)
        gpu.state.depth_mask_set(depth_mask)
        gpu.state.blend_set(blend)

"""What keeps an object's motion from being a vertex animation texture, found before any frame is played."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import bpy

from ....errors import Problem
from ....models.vertex_textures import SIDE, layout_of
from ..recording import Sampling


def check_texture(objects: Sequence[bpy.types.Object], path: Path, sampling: Sampling) -> None:
    """Raise Problem("export_texture_alone" | "texture_too_large" | "loop_too_short")."""
    if len(objects) != 1:
        raise Problem("export_texture_alone", path=path)
    (obj,) = objects
    frames, most = sampling.count, sampling.count // sampling.samples
    if sampling.overlap > most:
        raise Problem("loop_too_short", object=obj.name, frames=most, overlap=sampling.overlap)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    vertices = len(cast(bpy.types.Mesh, evaluated.data).vertices)
    if layout_of(vertices, frames) is None:
        raise Problem(
            "texture_too_large",
            object=obj.name,
            vertices=f"{vertices:,}",
            frames=f"{frames:,}",
            side=f"{SIDE:,}",
        )

"""What keeps an object's motion from being a vertex animation texture, found before any frame is played."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import bpy

from ....errors import Problem
from ....files.reading import read_json
from ....models.vertex_textures import SIDE, layout_of
from ..formats import TEXTURE_DATA
from ..recording import Sampling

LARGEST_DATA = 1 << 20  # bytes


def is_texture_of_ours(path: Path) -> bool:
    """Whether what is beside a texture's place was written with one of ours."""
    try:
        data = read_json(path.with_suffix(TEXTURE_DATA), LARGEST_DATA)
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and "neural_physics" in data


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

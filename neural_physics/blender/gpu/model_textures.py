"""How a model lies in textures: see decode.glsl."""

from __future__ import annotations

from dataclasses import dataclass

import gpu
import numpy as np

from ...arrays import Floats
from .textures import check_size, upload


@dataclass(frozen=True)
class ModelTextures:
    """bases, means: the textures. groups: of four bases each. half: the bases have half precision."""

    bases: gpu.types.GPUTexture
    means: gpu.types.GPUTexture
    vertex_count: int
    basis_count: int
    groups: int
    with_normals: bool
    half: bool


def model_textures(
    name: str,
    mean: Floats,
    basis: Floats,
    normals: tuple[Floats, Floats] | None,
    *,
    half: bool,
    limit: int,
) -> ModelTextures:
    """Upload a model once. mean (V, 3) and basis (u, V, 3), metres; normals: their mean and basis alike.

    name: whose model it is, for messages. limit: the most texels along a side of a texture.
    Raises NoGPU("gpu_too_large" | "gpu_failed").
    """
    basis_count, vertex_count, _ = basis.shape
    parts = [(mean, basis)] if normals is None else [(mean, basis), normals]
    blocks = -(-vertex_count // limit)
    width = -(-vertex_count // blocks)
    groups = -(-basis_count // 4)
    check_size(name, width, blocks * groups * 3 * len(parts), limit)
    means = np.zeros((blocks, len(parts), width, 4), np.float32)
    bases = np.zeros((blocks, groups, len(parts) * 3, width, 4), np.float32)
    spare = ((0, 4 * groups - basis_count), (0, 0), (0, 0))  # the last group's bases that are not there
    for part, (part_mean, part_basis) in enumerate(parts):
        by_four = np.pad(part_basis, spare).reshape(groups, 4, vertex_count, 3)
        for block in range(blocks):
            there = slice(block * width, min((block + 1) * width, vertex_count))
            size = there.stop - there.start
            means[block, part, :size, :3] = part_mean[there]
            bases[block, :, 3 * part : 3 * part + 3, :size] = by_four[:, :, there].transpose(0, 3, 2, 1)
    return ModelTextures(
        upload(bases.reshape(-1, width, 4), half),
        upload(means.reshape(-1, width, 4)),
        vertex_count,
        basis_count,
        groups=groups,
        with_normals=normals is not None,
        half=half,
    )

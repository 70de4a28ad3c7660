"""Decoding on the graphics card: coefficients in, textures of positions and normals out.

Objects that play one model are its instances, and all of them are made in one dispatch; other models
take a dispatch each, since their bases are other textures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import gpu
import numpy as np

from ...arrays import Floats, Indices
from ...capsules.projection import Bodies
from .context import check_context, gpu_failures, largest_texture
from .model_textures import ModelTextures, model_textures
from .shaders import GROUP, decode_shader
from .textures import check_size, empty_texture, read_back, upload

TOGETHER = 4  # instances made by one invocation, where there are so many: each reads the bases once
RESULT_WIDTH = 1024  # texels; wider only where the card would not allow the height
TEXELS_PER_CAPSULE = 3
DEEP, WEDGED = 1.0, 2.0  # as in capsule_push.glsl


@dataclass(frozen=True)
class Decoded:
    """Result textures of n instances of V vertices; the next decoding of as many writes to the same.

    positions, normals: RGBA32F, vertex after vertex, instance after instance, row after row. normals is
    None where the model has none. positions' fourth number: 0, or what became of a vertex at capsules.
    """

    positions: gpu.types.GPUTexture
    normals: gpu.types.GPUTexture | None
    instance_count: int
    vertex_count: int

    def read_positions(self) -> Floats:
        """(n, V, 3) float32, metres: a view of what was read. Raises NoGPU("gpu_failed")."""
        return self._read(self.positions)[..., :3]

    def read_normals(self) -> Floats:
        """(n, V, 3) float32, unit: a view of what was read. Raises NoGPU("gpu_failed"), ValueError."""
        if self.normals is None:
            raise ValueError("the model has no normals")
        return self._read(self.normals)[..., :3]

    def read_pushed(self) -> tuple[Floats, Indices]:
        """Positions (n, V, 3), and how many vertices were left inside (2, n): too deep, and wedged.

        Raises NoGPU("gpu_failed").
        """
        texels = self._read(self.positions)
        left = [np.count_nonzero(texels[..., 3] == what, axis=1) for what in (DEEP, WEDGED)]
        return texels[..., :3], np.stack(left)

    def _read(self, texture: gpu.types.GPUTexture) -> Floats:
        texels = read_back(texture)[: self.instance_count * self.vertex_count]
        return texels.reshape(self.instance_count, self.vertex_count, 4)


class GpuDecoder:
    """x = x_mu + U^T z, n = normalised(n_mu + Q z), then capsules (Holden 2019, 6.2 to 6.4).

    Main thread only, as is all that follows from it.
    """

    def __init__(
        self,
        name: str,
        mean: Floats,
        basis: Floats,
        normals: tuple[Floats, Floats] | None = None,
        *,
        half: bool = False,
        limit: int | None = None,
    ) -> None:
        """Upload a model. mean (V, 3) and basis (u, V, 3) float32, metres; normals: mean and Q, alike.

        name: the object, for messages. half: keep the bases in half precision, which takes half the
        memory; vertices are then wrong by a 5,000th of their distance from the mean (measured, root mean
        square). limit: the most texels along a side of a texture, if it shall be less than the card's.
        Raises NoGPU.
        """
        check_context()
        self._name, self._limit = name, min(limit or largest_texture(), largest_texture())
        self._model: ModelTextures = model_textures(name, mean, basis, normals, half=half, limit=self._limit)
        self._result: Decoded | None = None

    @property
    def basis_count(self) -> int:
        """The number of bases, u."""
        return self._model.basis_count

    @property
    def vertex_count(self) -> int:
        """The number of vertices, V."""
        return self._model.vertex_count

    def decode(self, z: Floats, bodies: Sequence[Bodies | None] = (), bases: int | None = None) -> Decoded:
        """All instances in one dispatch: z (n, u) float32; only the first `bases` are used where asked.

        bodies: one for each instance, None for one without, or empty for none at all. Returns at once:
        the card may still be at work. Raises NoGPU, and ValueError without instances.
        """
        if len(z) == 0:
            raise ValueError("there is no instance to decode")
        check_context()
        model, count = self._model, len(z)
        used = model.basis_count if bases is None else min(max(bases, 0), model.basis_count)
        together = TOGETHER if count >= TOGETHER else 1
        shader = decode_shader(together, model.with_normals)
        drive = upload(self._drive(z[:, :used], bodies))
        result = self._result_for(count)
        with gpu_failures():
            shader.bind()
            shader.uniform_sampler("bases", model.bases)
            shader.uniform_sampler("means", model.means)
            shader.uniform_sampler("drive", drive)
            shader.image("made_positions", result.positions)
            if result.normals is not None:
                shader.image("made_normals", result.normals)
            shader.uniform_int("vertex_count", model.vertex_count)
            shader.uniform_int("instance_count", count)
            shader.uniform_int("groups", -(-used // 4))
            shader.uniform_int("all_groups", model.groups)
            gpu.compute.dispatch(shader, -(-model.vertex_count // GROUP), -(-count // together), 1)
        return result

    def _drive(self, z: Floats, bodies: Sequence[Bodies | None]) -> Floats:
        """(n, width, 4): what differs from instance to instance. See decode.glsl."""
        count, used = z.shape
        if bodies and len(bodies) != count:
            raise ValueError(f"{len(bodies)} bodies for {count} instances")
        most = max((len(body.capsules) for body in bodies if body), default=0)
        width = 1 + self._model.groups + TEXELS_PER_CAPSULE * most
        check_size(self._name, width, count, self._limit)
        drive = np.zeros((count, width, 4), np.float32)
        # Past the last basis that is used stand zeros, which its group of four is multiplied with.
        drive.reshape(count, -1)[:, 4 : 4 + used] = z
        for row, body in zip(drive, bodies, strict=False):
            if body:
                capsules = body.capsules
                row[0] = len(capsules), body.depth_limit, capsules.tolerance, 0.0
                first = 1 + self._model.groups
                texels = row[first : first + TEXELS_PER_CAPSULE * len(capsules)].reshape(-1, 3, 4)
                texels[:, 0, :3], texels[:, 0, 3] = capsules.starts, capsules.radii
                texels[:, 1, :3], texels[:, 1, 3] = capsules.axes, capsules.lengths
                texels[:, 2, :3], texels[:, 2, 3] = capsules.sides, capsules.slopes
        return drive

    def _result_for(self, count: int) -> Decoded:
        """The textures for so many instances; those of another count are let go."""
        held = self._result
        if held is None or held.instance_count != count:
            texels = count * self._model.vertex_count
            width = min(max(RESULT_WIDTH, -(-texels // self._limit)), self._limit, texels)
            height = -(-texels // width)
            check_size(self._name, width, height, self._limit)
            positions = empty_texture(width, height)
            normals = empty_texture(width, height) if self._model.with_normals else None
            held = self._result = Decoded(positions, normals, count, self._model.vertex_count)
        return held

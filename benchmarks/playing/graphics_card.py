"""The graphics card beside the processor: `python -m benchmarks.playing.graphics_card` prints JSON.

Needs the bpy module. On a machine without a graphics card Mesa's llvmpipe takes its place, on the same
cores: then these figures show what does not depend on the card (calls, uploads, reading back), and that
everything runs, but not what a card gains.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import bpy
import gpu
import numpy as np
from mathutils import Matrix

from neural_physics.blender.gpu.context import make_context
from neural_physics.blender.gpu.decoder import Decoded, GpuDecoder
from neural_physics.blender.gpu.preview import Preview, View
from neural_physics.capsules.projection import Bodies, Capsules, push_out
from neural_physics.models.decoding import LinearDecoder
from neural_physics.models.normals import normalised
from neural_physics.models.single_thread_products import Product

VERTICES, BASES = (2601, 25_000, 100_000), (64, 128, 256)
OBJECTS, THEIR_VERTICES, THEIR_BASES = 256, 2503, 64  # hundreds of bunnies, as in figure 11 of the paper
LIMBS, DEPTH = 12, 0.05
SIZE = 512  # pixels of the preview
SECONDS, LEAST, MOST = 0.5, 5, 100  # each part is timed for so long, but at least and at most so often

Floats = np.ndarray[Any, np.dtype[np.float32]]


class RandomModel:
    """How long it takes does not depend on what it has learned."""

    def __init__(self, vertices: int, bases: int) -> None:
        rng = np.random.default_rng(0)
        side = int(np.ceil(np.sqrt(vertices)))
        across = np.linspace(-1.0, 1.0, side, dtype=np.float32)
        grid = np.stack([*np.meshgrid(across, across), np.zeros((side, side))], -1).reshape(-1, 3)
        self.mean = grid[:vertices].astype(np.float32)
        self.up = np.broadcast_to(np.array((0.0, 0.0, 1.0), np.float32), self.mean.shape).copy()
        self.basis, self.q = (rng.standard_normal((bases, vertices, 3), np.float32) for _ in range(2))
        for part in (self.basis, self.q):
            part *= np.float32(0.05 / np.sqrt(bases))


def measure(vertex_counts: Iterable[int] = VERTICES, basis_counts: Iterable[int] = BASES) -> dict[str, Any]:
    """Median milliseconds for one object; positions and normals in all of them.

    cpu: NumPy on one thread. read: the card, and both read back. gpu: the card, until it has finished.
    call: until Python goes on, which a real card lets it do at once. half: with bases in half precision, and
    half_error, how wrong it is, as a share of how far vertices are from the mean. cpu_push, gpu_pushed: the
    capsules alone, and decoding with them. preview: drawing from the textures until the picture is there.
    """
    make_context()
    rows = [_row(vertices, bases) for vertices in vertex_counts for bases in basis_counts]
    return {
        "blender": bpy.app.version_string,
        "renderer": gpu.platform.renderer_get(),
        "backend": gpu.platform.backend_type_get(),
        "rows": rows,
        "objects": _many_objects(),
    }


def _row(vertices: int, bases: int) -> dict[str, Any]:
    model = RandomModel(vertices, bases)
    z = np.random.default_rng(1).standard_normal((1, bases), np.float32)
    on_cpu = _Cpu(model)
    began = perf_counter()
    decoder = GpuDecoder("Benchmark", model.mean, model.basis, (model.up, model.q))
    decoder.decode(z).read_positions()
    upload = 1e3 * (perf_counter() - began)
    half = GpuDecoder("Benchmark", model.mean, model.basis, (model.up, model.q), half=True)
    exact, halved = decoder.decode(z).read_positions().copy(), half.decode(z).read_positions()
    moved = exact[0] - model.mean
    body = Bodies(_limbs(), DEPTH)
    positions = on_cpu(z[0])[0].copy()
    draw, finish_drawing = _drawing(model, decoder.decode(z))
    return {
        "vertices": vertices,
        "bases": bases,
        "upload_ms": upload,
        "cpu_ms": _ms(lambda: on_cpu(z[0])),
        "read_ms": _ms(lambda: _read(decoder.decode(z))),
        "gpu_ms": _ms(lambda: decoder.decode(z), _finished),
        "call_ms": _ms(lambda: decoder.decode(z)),
        "half_ms": _ms(lambda: half.decode(z), _finished),
        "half_error": float(np.sqrt(np.square(exact - halved).mean() / np.square(moved).mean())),
        "cpu_push_ms": _ms(lambda: push_out(positions, *body)),
        "gpu_pushed_ms": _ms(lambda: decoder.decode(z, [body]), _finished),
        "preview_ms": _ms(draw, finish_drawing),
    }


def _many_objects() -> dict[str, Any]:
    """All in one dispatch, and one after the other."""
    model = RandomModel(THEIR_VERTICES, THEIR_BASES)
    z = np.random.default_rng(1).standard_normal((OBJECTS, THEIR_BASES), np.float32)
    on_cpu = _Cpu(model)
    decoder = GpuDecoder("Benchmark", model.mean, model.basis, (model.up, model.q))
    bodies = [Bodies(_limbs(), DEPTH)] * OBJECTS

    def one_by_one() -> Decoded:
        return [decoder.decode(z[k : k + 1]) for k in range(OBJECTS)][-1]

    return {
        "objects": OBJECTS,
        "vertices": THEIR_VERTICES,
        "bases": THEIR_BASES,
        "cpu_ms": _ms(lambda: [on_cpu(row) for row in z]),
        "read_ms": _ms(lambda: _read(decoder.decode(z))),
        "gpu_ms": _ms(lambda: decoder.decode(z), _finished),
        "call_ms": _ms(lambda: decoder.decode(z)),
        "gpu_pushed_ms": _ms(lambda: decoder.decode(z, bodies), _finished),
        "gpu_one_by_one_ms": _ms(one_by_one, _finished),
    }


class _Cpu:
    """Positions and normals by the twins, with the products that Play decodes with."""

    def __init__(self, model: RandomModel) -> None:
        self._decoder = LinearDecoder(model.mean, model.basis)
        self._turns = Product(model.q.reshape(len(model.q), -1))
        self._up = model.up

    def __call__(self, z: Floats) -> tuple[Floats, Floats]:
        return self._decoder.decode(z), normalised(self._up + self._turns(z).reshape(-1, 3))


def _limbs() -> Capsules:
    rng = np.random.default_rng(2)
    starts = rng.uniform(-1.0, 1.0, (LIMBS, 3)) * [1.0, 1.0, 0.1]
    return Capsules(starts, starts + rng.normal(size=(LIMBS, 3)) * 0.1, *rng.uniform(0.03, 0.1, (2, LIMBS)))


def _drawing(model: RandomModel, decoded: Decoded) -> tuple[Callable[[], object], Callable[[object], None]]:
    """A grid of the model's vertices, drawn as large as the picture; and what waits until it is drawn."""
    count = len(model.mean)
    side = int(np.ceil(np.sqrt(count)))
    corner = np.arange(count - side - 1)
    corner = corner[corner % side < side - 1]
    faces = np.stack([corner, corner + 1, corner + side + 1, corner + side], 1)
    mesh = bpy.data.meshes.new("Benchmark")
    mesh.from_pydata(model.mean.tolist(), [], faces[faces.max(1) < count].tolist())
    obj = bpy.data.objects.new("Benchmark", mesh)
    preview = Preview(obj, decoded)
    offscreen = gpu.types.GPUOffScreen(SIZE, SIZE)
    view = View(Matrix(), Matrix.Diagonal((1.0, 1.0, -0.1, 1.0)), SIZE, SIZE)

    def draw() -> None:
        with offscreen.bind():
            preview.draw(view, rim=False)

    def finish(_: object) -> None:
        with offscreen.bind():
            gpu.state.active_framebuffer_get().read_color(0, 0, 1, 1, 4, 0, "UBYTE")

    return draw, finish


def _read(decoded: Decoded) -> tuple[Floats, Floats]:
    return decoded.read_positions(), decoded.read_normals()


def _finished(decoded: Decoded) -> None:
    """Wait for the card: reading one texel takes no time but that."""
    frame = gpu.types.GPUFrameBuffer(color_slots=decoded.positions)
    with frame.bind():
        frame.read_color(0, 0, 1, 1, 4, 0, "FLOAT")


def _ms(work: Callable[[], Any], finish: Callable[[Any], None] = lambda _: None) -> float:
    """The median; the first time does not count."""
    finish(work())
    times: list[float] = []
    while len(times) < LEAST or (sum(times) < SECONDS and len(times) < MOST):
        began = perf_counter()
        finish(work())
        times.append(perf_counter() - began)
    return 1e3 * float(np.median(times))


if __name__ == "__main__":
    print(json.dumps(measure()))  # noqa: T201
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5's module can hang in a destructor after much work

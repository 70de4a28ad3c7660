"""Vertex animation textures: a motion as an image, in which a shader looks up where each vertex is.

Laid out as OpenVAT does it (docs/engines/vertex_animation.md): offsets from the mesh at rest in the upper
half, normals in the lower one. Vertex i at frame t has the texel in column i mod W of row (i div W) T + t,
counted from the top, so that a frame later is a row below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Indices

SIDE = 8192  # texels that every engine and card takes
SMALLEST = 16
STEPS = 65535  # of 16 bits
# Of the largest number on the way from a shape that is shown to where a shader puts it: single precision
# rounds the shape, its axes, the mesh at rest, the bounds, the value, their product and two sums.
ROUNDING = math.sqrt(3.0) * 2.0**-21

Bits = Literal[16, 32]
Shapes = Floats | Doubles
Texels = NDArray[np.uint16] | Floats


@dataclass(frozen=True)
class Layout:
    """Where `vertices` in `frames` are; width and height in texels, powers of two.

    Engines shrink or stretch images of other sizes when they import them, and what is left is no data.
    """

    vertices: int
    frames: int
    width: int
    height: int

    @property
    def bands(self) -> int:
        """How many rows a frame takes; each band has all frames, one below the other."""
        return -(-self.vertices // self.width)

    @property
    def columns(self) -> Indices:
        """(V,)"""
        return np.arange(self.vertices) % self.width

    @property
    def rows(self) -> Indices:
        """(V,): at the first frame, of positions; normals are half the height below."""
        return np.arange(self.vertices) // self.width * self.frames

    @property
    def uvs(self) -> Floats:
        """(V, 2): the middles of the texels at the first frame, from the lower left."""
        u, v = (self.columns + 0.5) / self.width, 1.0 - (self.rows + 0.5) / self.height
        return np.column_stack([u, v]).astype(np.float32)


@dataclass(frozen=True)
class Texture:
    """position = rest + offset; offset = low + value (high - low), for values 0 to 1; normal = 2 value - 1.

    image (H, W, 3): uint16, of which 65535 is 1, or float32. low, high (3,): metres, as float32 has them.
    error: farther off than this no vertex is in any frame, metres, for a shader of single precision.
    """

    layout: Layout
    low: Doubles
    high: Doubles
    image: Texels
    error: float


def layout_of(vertices: int, frames: int) -> Layout | None:
    """The smallest there is, of as few bands as that allows; None if no image is large enough."""
    found = []
    for power in range(SMALLEST.bit_length() - 1, SIDE.bit_length()):
        width = 1 << power
        height = 1 << (2 * -(-vertices // width) * frames - 1).bit_length()
        if height <= SIDE:
            found.append(Layout(vertices, frames, width, height))
    return min(found, key=lambda each: (each.width * each.height, each.bands), default=None)


def encode(shapes: Shapes, normals: Floats, rest: Floats, layout: Layout, *, bits: Bits) -> Texture:
    """shapes, normals (T, V, 3) and rest (V, 3), metres and unit vectors."""
    low, high = bounds_of(shapes, rest)
    size = layout.height, layout.width, 3
    image: Texels = np.zeros(size, np.uint16) if bits == 16 else np.zeros(size, np.float32)
    for frame in range(layout.frames):
        rows, offsets = layout.rows + frame, shapes[frame] - rest.astype(np.float64)
        directions = 0.5 + 0.5 * normals[frame].astype(np.float64)
        image[rows, layout.columns] = _stored((offsets - low) / _spans(low, high), bits)
        image[rows + layout.height // 2, layout.columns] = _stored(directions, bits)
    largest = float(max(shapes.max(), -shapes.min())) + float(_spans(low, high).max())
    half_steps = (high - low) * (0.5 / STEPS if bits == 16 else 2.0**-25)
    return Texture(layout, low, high, image, float(np.linalg.norm(half_steps)) + ROUNDING * largest)


def decode(texture: Texture, rest: Floats, frame: int) -> tuple[Floats, Floats]:
    """Positions and normals (V, 3) float32, calculated as shaders do."""
    layout = texture.layout
    rows = layout.rows + frame
    values = _values(texture.image[rows, layout.columns])
    low = texture.low.astype(np.float32)
    positions = rest + (low + values * (texture.high.astype(np.float32) - low))
    normals = 2.0 * _values(texture.image[rows + layout.height // 2, layout.columns]) - 1.0
    return positions, normals


def bounds_of(shapes: Shapes, rest: Floats) -> tuple[Doubles, Doubles]:
    """The least and the largest offsets (3,), as numbers of single precision which all are between.

    Those along X are each other's opposites: where axes are mirrored, as Unity's are, OpenVAT's first shaders
    mirror by exchanging the two.
    """
    rest = rest.astype(np.float64)
    low = np.min([(shape - rest).min(axis=0) for shape in shapes], axis=0)
    high = np.max([(shape - rest).max(axis=0) for shape in shapes], axis=0)
    high[0] = max(high[0], -low[0])
    low[0] = -high[0]
    narrow, wide = low.astype(np.float32), high.astype(np.float32)
    narrow = np.where(narrow > low, np.nextafter(narrow, np.float32(-np.inf)), narrow)
    wide = np.where(wide < high, np.nextafter(wide, np.float32(np.inf)), wide)
    return narrow.astype(np.float64), wide.astype(np.float64)


def seamless(shapes: Shapes, overlap: int) -> Shapes:
    """A loop (T, V, 3) of a motion (T + overlap, V, 3) that goes on beyond the loop's end.

    The first frames are blended with those beyond the end: x_t' = x_(T+t) + w(t / overlap) (x_t - x_(T+t)).
    So the loop's first frame is the one after its last. w = s^3 (10 - 15 s + 6 s^2) has neither slope nor
    curvature at either end: where the blend begins and ends, velocities and accelerations are the motion's
    own. With s^2 (3 - 2 s) accelerations would jump there, to more than this one adds anywhere. Raises
    ValueError where the overlap is longer than the loop.
    """
    count = len(shapes) - overlap
    if not 0 <= overlap <= count:
        raise ValueError(f"{overlap} frames cannot overlap in a loop of {count}")
    if not overlap:
        return shapes
    share = np.arange(overlap) / overlap
    weights = (share**3 * (10.0 - 15.0 * share + 6.0 * share**2))[:, None, None]
    loop = shapes[:count].copy()
    loop[:overlap] = shapes[count:] + weights * (shapes[:overlap] - shapes[count:])
    return loop


def _spans(low: Doubles, high: Doubles) -> Doubles:
    """Of what does not move: anything but zero."""
    return np.where(high > low, high - low, 1.0)


def _stored(values: Doubles, bits: Bits) -> Texels:
    clipped = np.clip(values, 0.0, 1.0)
    return np.rint(STEPS * clipped).astype(np.uint16) if bits == 16 else clipped.astype(np.float32)


def _values(texels: Texels) -> Floats:
    steps = STEPS if texels.dtype == np.uint16 else 1
    return texels.astype(np.float32, copy=False) / np.float32(steps)

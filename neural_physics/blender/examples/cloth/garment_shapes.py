"""Garments before they fall: a cone around the hips, a cloak around the back, strips of hair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, radians, sin

import bmesh
from mathutils import Vector

from ..stage import Point

Ring = tuple[float, float]  # radius and height, metres
BACK = radians(82.0)  # from the middle of the back to each edge of a cloak


def cone(waist: Ring, hem: Ring, sides: int, rings: int, *, looks_out: bool = False) -> bmesh.types.BMesh:
    """Open above and below; the first ring, of `sides` vertices, is the waist.

    looks_out: its faces do, as those of what other cloth collides with must.
    """
    return flared(circle(waist, sides), circle(hem, sides), rings, looks_out=looks_out)


def circle(ring: Ring, sides: int) -> list[Point]:
    """Around the Z axis, as often as a garment has sides."""
    radius, height = ring
    turns = [2.0 * pi * i / sides for i in range(sides)]
    return [(radius * cos(turn), radius * sin(turn), height) for turn in turns]


def flared(
    waist: Sequence[Point], hem: Sequence[Point], rings: int, *, looks_out: bool = False
) -> bmesh.types.BMesh:
    """Straight from an outline to another, of as many points, open above and below; the waist comes first.

    looks_out: see `cone`.
    """
    shape = bmesh.new()
    rows = [
        [
            shape.verts.new(Vector(high).lerp(Vector(low), k / (rings - 1)))
            for high, low in zip(waist, hem, strict=True)
        ]
        for k in range(rings)
    ]
    for above, below in pairwise(rows):
        for i in range(len(waist)):
            j = (i + 1) % len(waist)
            face = above[i], above[j], below[j], below[i]
            shape.faces.new(face[::-1] if looks_out else face)
    return shape


def cloak(points: int, width: float = BACK) -> bmesh.types.BMesh:
    """Around the back from shoulder to shoulder, wider towards the ground; the first row is the collar."""
    shape = bmesh.new()
    rows = [
        [
            shape.verts.new(_on_cloak(width * (2.0 * i / (points - 1) - 1.0), k / (points - 1)))
            for i in range(points)
        ]
        for k in range(points)
    ]
    for k in range(points - 1):
        for i in range(points - 1):
            shape.faces.new((rows[k][i], rows[k][i + 1], rows[k + 1][i + 1], rows[k + 1][i]))
    return shape


def strips(middles: Sequence[Sequence[Point]], width: float) -> bmesh.types.BMesh:
    """Strips of two vertices across, `width` m wide and level, one after the other, each along its middle.

    The first two vertices of each are its root.
    """
    shape = bmesh.new()
    for middle in middles:
        below = Vector(middle[-1]) - Vector(middle[0])
        across = Vector((below.y, -below.x, 0.0)).normalized() * (0.5 * width)
        rows = [[shape.verts.new(Vector(at) + side * across) for side in (-1.0, 1.0)] for at in middle]
        for above, under in pairwise(rows):
            shape.faces.new((above[0], above[1], under[1], under[0]))
    return shape


def _on_cloak(angle: float, down: float) -> Point:
    """angle: from the middle of the back; down: 0 at the collar, 1 at the hem."""
    # The collar lies on the shoulders, the rest begins clear of the back.
    off = 1.0 - (1.0 - min(down / 0.25, 1.0)) ** 2
    across, depth = 0.165 + 0.075 * off + 0.16 * down, 0.056 + 0.074 * off + 0.16 * down
    return across * sin(angle), 0.032 + 0.028 * off + 0.06 * down + depth * cos(angle), 1.504 - 0.962 * down

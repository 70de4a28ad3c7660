"""Pictures of shapes, as clay in daylight: enough to know one again, and to compare two by eye."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Doubles, Floats, StoredIndices
from .raster import Pixels, painted

TURN, LIFT = np.radians(28.0), np.radians(14.0)  # the camera: round the object, and above it
LIGHT = np.array([-0.45, 0.55, 0.7])  # right, up, towards the camera
BALL_COLOUR = (0.851, 0.510, 0.169)
BALL_DETAIL = 18
MARGIN = 0.04  # of the larger side

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Camera:
    """An orthographic view: rows of `axes` are right, up and towards the camera."""

    axes: Doubles
    low: Doubles
    high: Doubles

    @property
    def width(self) -> float:
        """Metres across the picture."""
        return float((self.high - self.low)[0]) + 2 * self._margin

    @property
    def height(self) -> float:
        """Metres up the picture."""
        return float((self.high - self.low)[1]) + 2 * self._margin

    def seen(self, places: Doubles, width: int, height: int) -> Doubles:
        """Places (..., 3) in metres as pixels to the right and down, and metres towards the camera.

        All of the view is in a picture of any size, in its middle.
        """
        scale = min(width / self.width, height / self.height)
        found = places @ self.axes.T
        middle = (self.low + self.high) / 2
        found[..., 0] = width / 2 + scale * (found[..., 0] - middle[0])
        found[..., 1] = height / 2 - scale * (found[..., 1] - middle[1])
        return found

    @property
    def _margin(self) -> float:
        # About what is a point from here, as a shape without size is, any.
        return MARGIN * float((self.high - self.low).max()) or MARGIN


def camera_for(gravity: Sequence[float], mean_shape: Floats, shown: Floats) -> Camera:
    """Looks at the broad side of a shape (V, 3), a little from the side and above, so that all of
    `shown` (..., 3) is in the picture.

    gravity (3,): down is where it pulls, or -z where there is none.
    """
    down = np.array(gravity)
    up = -down / np.linalg.norm(down) if down.any() else np.array([0.0, 0.0, 1.0])
    spread = np.cov(mean_shape.T.astype(float))
    across = np.eye(3) - np.outer(up, up)
    # The least spread of the two directions across: along `up` it counts as more than all.
    _, vectors = np.linalg.eigh(across @ spread @ across + 2.0 * np.trace(spread) * np.outer(up, up))
    front = vectors[:, 0] * (-1.0 if vectors[:, 0].sum() < 0 else 1.0)
    side = np.cross(up, front)
    turned = np.cos(TURN) * front + np.sin(TURN) * side
    towards = np.cos(LIFT) * turned + np.sin(LIFT) * up
    right = np.cross(up, turned)
    axes = np.stack([right, np.cross(towards, right), towards])
    points = shown.reshape(-1, 3) @ axes.T
    return Camera(axes, points.min(0)[:2], points.max(0)[:2])


def shape_picture(
    camera: Camera,
    triangles: StoredIndices,
    positions: Floats,
    width: int,
    *,
    height: int,
    colour: Colour,
    balls: Sequence[tuple[Floats, float]] = (),
) -> Pixels:
    """One shape (V, 3) with triangles (n, 3), and balls given by centre and radius, in a picture of so many
    pixels."""
    of_shape = positions[triangles].astype(float)
    corners, colours = [of_shape], [_shaded(of_shape, camera, colour)]
    for centre, radius in balls:
        facets = centre + radius * _sphere()
        corners.append(facets)
        colours.append(_shaded(facets, camera, BALL_COLOUR))
    seen = camera.seen(np.concatenate(corners), width, height)
    return painted(seen, np.concatenate(colours), width, height)


def _shaded(triangles: Doubles, camera: Camera, colour: Colour) -> Doubles:
    """(n, 3): lit from both sides; the far side of a sheet is a little darker."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) @ camera.axes.T
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    away = normals[:, 2] < 0
    normals[away] *= -1
    light = np.clip(normals @ (LIGHT / np.linalg.norm(LIGHT)), 0.0, 1.0)
    brightness = (0.5 + 0.62 * light) * np.where(away, 0.86, 1.0)
    return np.clip(np.array(colour) * brightness[:, None], 0.0, 1.0)


def _sphere() -> Doubles:
    """(n, 3, 3): the triangles of a ball of radius 1."""
    turn = np.linspace(0, 2 * np.pi, 2 * BALL_DETAIL + 1)
    lift = np.linspace(-np.pi / 2, np.pi / 2, BALL_DETAIL + 1)
    grid = np.stack(
        [
            np.outer(np.cos(lift), np.cos(turn)),
            np.outer(np.cos(lift), np.sin(turn)),
            np.outer(np.sin(lift), np.ones_like(turn)),
        ],
        -1,
    )
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    halves = [np.stack([a, b, c], 2), np.stack([a, c, d], 2)]
    facets = np.concatenate([half.reshape(-1, 3, 3) for half in halves])
    area = np.linalg.norm(np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0]), axis=1)
    return facets[area > 1e-9]  # at the poles one half of each square is nothing

"""What colliders are in the plane of a flat body, which neither leaves."""

from __future__ import annotations

import numpy as np

from ml_backend.simulation.shapes.collider_shapes import FittedShape
from ml_backend.simulation.shapes.outlines import cut_loops, rim_loops, straightened
from neural_physics.arrays import Doubles
from neural_physics.coordinates import FLAT, Coordinates
from neural_physics.datasets.simulation_request import ColliderMesh
from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.closed_mesh import ClosedMesh
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.recognising import (
    EXACT,
    ROUND_FROM,
    Recognised,
    recognised_ball,
    recognised_ground,
)
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.errors import Problem
from neural_physics.solver.contact.rigid_motion import Pose

STAYS = 1e-3  # of the body's size, and of a turn: by how much less nothing has left the plane
LONGEST_OF_ROUND = 0.5  # of the radius: the edges of shapes that count as round


def fit_in_plane(collider: ColliderMesh, plane: Coordinates, body: Doubles, name: str) -> FittedShape:
    """A disc, a rectangle, a half-plane for a flat mesh that crosses the plane, else a polygon.

    plane: in the collider's axes; body (n, 2): points of the body there, for a half-plane is solid on the
    other side. A flat mesh that lies in the plane is its own outline. name: the body's.
    Raises Problem("collider_unusable" | "collider_without_faces" | "flat_collider_beside" |
    "flat_collider_pieces").
    """
    vertices, triangles = np.asarray(collider.vertices, np.float64), np.asarray(collider.triangles, np.intp)
    if len(triangles) == 0:
        raise Problem("collider_without_faces", object=collider.name)
    used = vertices[np.unique(triangles)]
    size = float(np.linalg.norm(np.ptp(used, axis=0)))
    beside = Problem("flat_collider_beside", collider=collider.name, object=name)
    ground = recognised_ground(used)
    heights = plane.heights(vertices)
    if ground is not None:
        across = plane.along(ground.turn[:, 2])
        if np.linalg.norm(across) > STAYS:
            return _half_plane(ground, plane, across, body)
        if np.abs(heights[triangles]).max() > STAYS * size:
            raise beside
        loops = rim_loops(plane.of(vertices), triangles)
    else:
        try:
            mesh = ClosedMesh(vertices, triangles)
        except ValueError as error:
            reason = str(error).partition(":")[0].lower()
            raise Problem("collider_unusable", collider=collider.name, reason=reason) from error
        ball = recognised_ball(used, mesh.positions[triangles])
        if ball is not None and isinstance(ball.shape, Sphere):
            off = float(plane.heights(ball.place))
            if abs(off) >= ball.shape.radius:
                raise beside
            radius = float(np.sqrt(ball.shape.radius**2 - off**2))
            return FittedShape(Sphere(radius, 2), Pose(np.eye(2), plane.of(ball.place)))
        loops = cut_loops(plane.of(vertices), heights, triangles)
    if not loops:
        raise beside
    if len(loops) > 1:
        raise Problem("flat_collider_pieces", collider=collider.name, object=name, count=len(loops))
    return _of_outline(straightened(loops[0], FLAT * size), plane, collider.name)


def tracks_in_plane(
    fitted: FittedShape, plane: Coordinates, rotations: Doubles, shifts: Doubles, *, size: float
) -> tuple[Doubles, Doubles] | None:
    """(T, 2, 2), (T, 2) m: how what was fitted at the first frame moves in the plane; None where it leaves.

    plane: in the world; rotations (T, 3, 3), shifts (T, 3): of the collider. size: of the body, m. A disc may
    turn in any way.
    """
    back = rotations[0].T
    own = plane.moved(back, -back @ shifts[0])
    middle = own.origin
    if isinstance(fitted.shape, Sphere):
        middle = own.places(fitted.place.translation)
    at = rotations @ middle + shifts
    heights = plane.heights(at)
    if np.abs(heights - heights[0]).max() > STAYS * size:
        return None
    if isinstance(fitted.shape, Sphere):
        return np.tile(np.eye(2), (len(at), 1, 1)), plane.of(at) - fitted.place.translation
    if np.abs(rotations @ own.normal - plane.normal).max() > STAYS:
        return None
    turned = plane.axes.T @ rotations @ own.axes
    angles = np.arctan2(turned[:, 1, 0], turned[:, 0, 0])
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([c, -s, s, c], 1).reshape(-1, 2, 2), plane.of(at)


def _half_plane(ground: Recognised, plane: Coordinates, across: Doubles, body: Doubles) -> FittedShape:
    """Where a ground meets the plane; across (2,): of the ground's normal, what is along the plane."""
    place = across * float((ground.place - plane.origin) @ ground.turn[:, 2]) / float(across @ across)
    normal = across / np.linalg.norm(across)
    if ((body - place) @ normal).mean() < 0.0:
        normal = -normal
    turn = np.array([[normal[1], normal[0]], [-normal[0], normal[1]]])
    return FittedShape(HalfSpace(2), Pose(turn, place))


def _of_outline(corners: Doubles, plane: Coordinates, name: str) -> FittedShape:
    """The simplest shape with corners (E, 2), about where the collider's own origin is in the plane."""
    exact = EXACT * float(np.linalg.norm(np.ptp(corners, axis=0)))
    middle = corners.mean(0)
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(sides, axis=1)
    if len(corners) >= ROUND_FROM:
        radii = np.linalg.norm(corners - middle, axis=1)
        if np.ptp(radii) <= 2.0 * exact and lengths.max() <= LONGEST_OF_ROUND * radii.mean():
            return FittedShape(Sphere(float(radii.mean()), 2), Pose(np.eye(2), middle))
    try:
        shape = Polygon(corners - plane.of(np.zeros(3)))
    except ValueError as error:
        reason = "its outline intersects itself where it crosses the plane"
        raise Problem("collider_unusable", collider=name, reason=reason) from error
    solid = float((corners[:, 0] * sides[:, 1] - corners[:, 1] * sides[:, 0]).sum()) > 0.0
    if solid and len(corners) == 4 and np.abs(sides[0] + sides[2]).max() <= exact:
        first, second = sides[0] / lengths[0], sides[1] / lengths[1]
        if abs(first @ second) * lengths[:2].min() <= exact:
            width, height = (0.5 * lengths[:2]).tolist()
            return FittedShape(Box((width, height)), Pose(np.stack([first, second], 1), middle))
    return FittedShape(shape, Pose(np.eye(2), plane.of(np.zeros(3))))

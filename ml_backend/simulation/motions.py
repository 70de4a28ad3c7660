"""Where a take's tracks have pins, colliders and wind at any time, between frames as well."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.spatial.transform import Rotation

from ml_backend.simulation.bodies import embedding_of
from ml_backend.simulation.shapes.collider_shapes import FittedShape, fit_shape
from ml_backend.simulation.shapes.flat_shapes import STAYS, fit_in_plane, tracks_in_plane
from neural_physics.arrays import Doubles
from neural_physics.coordinates import SPACE
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import SimulationRequest, Tracks
from neural_physics.energies.air import wind_velocity
from neural_physics.errors import Problem
from neural_physics.solver.contact.rigid import RigidCollider
from neural_physics.solver.contact.rigid_motion import Pose, RigidMotion

WHOLE_FRAME = 1e-6  # of a frame: closer than that to one, a time is that frame, whatever rounding did to it
RIGID = 1e-3  # what a collider's matrix may be off a rotation by; more is a scale


class TrackedMotion:
    """What a take's tracks say, frame t being at t / fps seconds.

    coordinates: the d numbers that describe places in the world: two where the body is flat, in its plane.
    colliders: one for each of the request's, in its order. placement: where the body at rest stands in these
    at the first frame. Raises Problem("collider_unusable" | "collider_without_faces" | "collider_scales"
    | "flat_collider_beside" | "flat_collider_pieces" | "flat_collider_leaves" | "flat_pins_leave").
    """

    def __init__(self, request: SimulationRequest, body: Body, tracks: Tracks) -> None:
        self._request, self._body, self._tracks = request, body, tracks
        self._embedding = embedding_of(body, request) if body.embedding_corners is not None else None
        turn = _rotations(request.object, tracks.world_from_rest[None, :3, :3])[0]
        self.placement, self.coordinates = Pose(turn, tracks.world_from_rest[:3, 3]), SPACE
        if body.flat:
            # The plane's numbers go along with it: in these the body stands where it is at rest.
            self.coordinates = body.coordinates.moved(turn, self.placement.translation)
            self.placement = Pose(np.eye(2), np.zeros(2))
            if np.abs(self.coordinates.heights(tracks.pins)).max(initial=0.0) > STAYS * self._size:
                raise Problem("flat_pins_leave", object=request.object)
        self._places, self.colliders = [], list[RigidCollider]()
        self._rotations, self._shifts = list[Doubles](), list[Doubles]()
        for number, collider in enumerate(request.colliders):
            fitted = self._fit(number)
            self._places.append(fitted.place)
            self.colliders.append(RigidCollider(collider.name, fitted.shape))
        self._targets = lru_cache(maxsize=2)(self._targets_of_frame)  # those before and after a time

    def poses(self, time: float) -> list[Pose]:
        """The poses of the shapes, whose axes may differ from those of the colliders' meshes."""
        frame, share = self._at(time)
        return [self._pose(number, frame, share) for number in range(len(self._places))]

    def motions(self, start: float, end: float) -> Sequence[RigidMotion]:
        """What each shape does between two times, in seconds."""
        return [RigidMotion(a, b) for a, b in zip(self.poses(start), self.poses(end), strict=True)]

    def pins(self, time: float) -> Doubles:
        """(B, d) where the body's pinned vertices are, m; the others' rows are not used."""
        frame, share = self._at(time)
        before = self._targets(frame)
        return before + share * (self._targets(frame + 1) - before) if share else before

    def wind(self, time: float) -> Doubles:
        """(3,) the air's velocity, m/s."""
        frame, share = self._at(time)
        wind = self._tracks.wind
        strength = wind[frame] + share * (wind[frame + 1] - wind[frame]) if share else wind[frame]
        return wind_velocity(np.asarray(strength, np.float64))

    @property
    def _size(self) -> float:
        """The size of the body at rest, m."""
        return float(np.linalg.norm(np.ptp(self._body.rest_positions, axis=0)))

    def _fit(self, number: int) -> FittedShape:
        """The shape of a collider; how its axes turn and shift is noted."""
        collider, matrices = self._request.colliders[number], self._tracks.colliders[:, number]
        rotations, shifts = _rotations(collider.name, matrices[:, :3, :3]), matrices[:, :3, 3]
        if self._body.flat:
            plane, back = self.coordinates, rotations[0].T
            own = plane.moved(back, -back @ shifts[0])
            fitted = fit_in_plane(collider, own, self._body.rest, self._request.object)
            moved = tracks_in_plane(fitted, plane, rotations, shifts, size=self._size)
            if moved is None:
                raise Problem("flat_collider_leaves", collider=collider.name, object=self._request.object)
            rotations, shifts = moved
        else:
            at_start = Pose(rotations[0], shifts[0])
            fitted = fit_shape(collider, at_start.to_own(self.placement.to_world(self._body.rest_positions)))
        self._rotations.append(rotations)
        self._shifts.append(shifts)
        return fitted

    def _at(self, time: float) -> tuple[int, float]:
        """The frame before a time, and how far it is to the next."""
        frames = min(max(time * self._tracks.fps, 0.0), len(self._tracks.wind) - 1.0)
        nearest = round(frames)
        if abs(frames - nearest) < WHOLE_FRAME:
            return nearest, 0.0
        return int(frames), frames - int(frames)

    def _pose(self, number: int, frame: int, share: float) -> Pose:
        def mesh_at(t: int) -> Pose:
            return Pose(self._rotations[number][t], self._shifts[number][t])

        mesh = RigidMotion(mesh_at(frame), mesh_at(frame + 1)).at(share) if share else mesh_at(frame)
        place = self._places[number]
        return Pose(mesh.rotation @ place.rotation, mesh.to_world(place.translation[None])[0])

    def _targets_of_frame(self, frame: int) -> Doubles:
        pins = self._request.pins
        positions = self._body.coordinates.of(self._request.rest_positions.astype(np.float64))
        held = self.coordinates.of(self._tracks.pins[frame])
        if self._embedding is None:
            positions[pins] = held
            return positions
        # As seen from where the body stood at first: what few pins leave open then stays as it was.
        positions[pins] = self.placement.to_own(held)
        targets = self.placement.to_world(self._embedding.pin_targets(pins, positions))
        for number, carried in enumerate(self._tracks.bones[frame]):
            mine = self._body.bones == number
            there = self._body.rest_positions[mine] @ carried[:3, :3].T + carried[:3, 3]
            targets[mine] = self.coordinates.of(there)
        return targets


def check_tracks(tracks: Tracks, request: SimulationRequest, frames: int, channels: int) -> None:
    """Raise ValueError where tracks are not those of a take of so many frames, e numbers of y in each."""
    pinned, colliders = int(request.pins.sum()), len(request.colliders)
    shapes = {
        "interaction": (frames, channels),
        "pins": (frames, pinned, 3),
        "colliders": (frames, colliders, 4, 4),
        "wind": (frames, 3),
        "frame_from_world": (frames, 4, 4),
        "world_from_rest": (4, 4),
        "bones": (frames, len(request.bones), 4, 4),
    }
    if tracks.object_from_frame is not None:
        shapes["object_from_frame"] = (frames, 4, 4)
    for name, shape in shapes.items():
        found = getattr(tracks, name)
        if found.shape != shape:
            raise ValueError(f"{name} is {found.shape}, not {shape}")
        if not np.isfinite(found).all():
            raise ValueError(f"{name} has something that is not a number")
    if not 0.0 < tracks.fps < 1e6:
        raise ValueError("fps must be above 0")


def _rotations(name: str, matrices: Doubles) -> Doubles:
    """(T, 3, 3) rotations, without what rounding in Blender's float32 has left. Raises Problem."""
    products = matrices @ matrices.swapaxes(1, 2)
    if np.abs(products - np.eye(3)).max() > RIGID or (np.linalg.det(matrices) < 0.0).any():
        raise Problem("collider_scales", object=name)
    rotations: Doubles = Rotation.from_matrix(matrices).as_matrix()
    return rotations

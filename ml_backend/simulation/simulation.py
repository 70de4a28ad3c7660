"""A take's simulation, frame by frame, which can be put down and taken up again bit for bit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import numpy as np

from ml_backend.simulation.contact_points import contact_carrier
from ml_backend.simulation.elasticity import elastic_parts
from ml_backend.simulation.motions import TrackedMotion
from ml_backend.simulation.surroundings import (
    half_thickness,
    make_contact,
    make_force,
    make_self_contact,
    make_surroundings,
)
from neural_physics.arrays import Doubles
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import SimulationRequest, Tracks
from neural_physics.energies.air import AIR_DENSITY
from neural_physics.energies.rods.frames import ReferenceFrames
from neural_physics.errors import Problem
from neural_physics.files.atomic import write_atomically, writing
from neural_physics.files.reading import read_arrays
from neural_physics.solver.contact.rigid import RigidContact
from neural_physics.solver.implicit_euler import ImplicitEuler, equilibrium
from neural_physics.solver.system import State, System

TOLERANCE = 5e-3  # of the mean length of edges: where Newton's steps are short enough
MOVED = 1e-6  # of the body's size: pins that are off their place at rest by more have been moved


@dataclass(frozen=True)
class SavedState:
    """A simulation between two frames.

    frame: the last that was simulated. q, velocity (n,), time: see `system.State`.
    factors (C, k): of contact. tangents, d1 (j, 2, 3), twists (j,): rods' frames, else empty.
    """

    frame: int
    time: float
    q: Doubles
    velocity: Doubles
    factors: Doubles
    tangents: Doubles
    d1: Doubles
    twists: Doubles

    def write(self, path: Path) -> None:
        """All or nothing. Raises Problem("folder_not_writable" | "disk_full")."""
        data = BytesIO()
        np.savez(data, **vars(self))
        with writing(path):
            write_atomically(path, data.getvalue())

    @staticmethod
    def read(path: Path) -> SavedState | None:
        """None where there is none that can be read: all is simulated again then."""
        try:
            arrays = read_arrays(path)
            frame, time = int(arrays["frame"]), float(arrays["time"])
            names = ("q", "velocity", "factors", "tangents", "d1", "twists")
            fields = [arrays[name] for name in names]
        except (OSError, KeyError, ValueError, TypeError, OverflowError):
            return None
        numbers = all(field.dtype == np.float64 and np.isfinite(field).all() for field in fields)
        return SavedState(frame, time, *fields) if numbers and np.isfinite(time) and frame >= 0 else None


class Simulation:
    """One take, from its first frame on; `frame` is where it is.

    Raises Problem("collider_unusable" | "collider_scales" | "starts_inside" | "touches_itself" |
    "self_contact_missing").
    """

    def __init__(
        self, request: SimulationRequest, body: Body, tracks: Tracks, air_density: float = AIR_DENSITY
    ) -> None:
        self._name, self._body, self._air_density = request.object, body, air_density
        self._frame_time = 1.0 / tracks.fps
        self._dt = self._frame_time / body.settings.steps
        self._parts = elastic_parts(body)
        self._motion = TrackedMotion(request, body, tracks)
        self._carrier = contact_carrier(body, request)
        edges = body.rest_positions[body.elements[:, :2]]
        self._tolerance = TOLERANCE * float(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).mean())
        self._contact: RigidContact
        self._solver: ImplicitEuler
        self.frame = 0
        self._make_solver()
        self._state = self._start()
        self._check_start()

    @property
    def positions(self) -> Doubles:
        """(B, 3) of the body's vertices, m."""
        return self._motion.coordinates.places(self._numbers)

    @property
    def _numbers(self) -> Doubles:
        """(B, d) of the vertices, as the motion's coordinates have them."""
        rest = self._body.rest
        return self._state.q[: rest.size].reshape(rest.shape)

    def advance(self) -> bool:
        """Simulate one frame; whether all of its steps found their minimum.

        Raises ValueError where a body is in a collider, or passes through itself: nothing follows then.
        """
        converged = True
        self._state = replace(self._state, time=self.frame * self._frame_time)
        for _ in range(self._body.settings.steps):
            self._state = self._solver.step(self._state, self._dt, self._held)
            converged = converged and self._state.converged
            if self._parts.twisting is not None:
                self._parts.twisting.accept(self._state.q)
        self.frame += 1
        return converged

    def save(self) -> SavedState:
        """The state to resume from; this one continues from it, too, so that both give the same."""
        frames = self._parts.twisting.frames if self._parts.twisting else None
        saved = SavedState(
            self.frame,
            self._state.time,
            self._state.q,
            self._state.velocity,
            self._contact.factors.copy(),
            *((frames.tangents, frames.d1, frames.twists) if frames else (np.empty(0),) * 3),
        )
        self.take_up(saved)
        return saved

    def take_up(self, saved: SavedState) -> None:
        """Go on from there. What the solver has learned on its way is forgotten."""
        self._make_solver()
        self._contact.factors = saved.factors.copy()
        self._state = State(saved.q, saved.velocity, saved.time)
        self.frame = saved.frame
        if self._parts.twisting is not None:
            self._parts.twisting.frames = ReferenceFrames(saved.tangents, saved.d1, saved.twists)

    def fits(self, saved: SavedState) -> bool:
        """Whether a state is one of this simulation."""
        pairs = [
            (saved.q, self._state.q),
            (saved.velocity, self._state.velocity),
            (saved.factors, self._contact.factors),
        ]
        if self._parts.twisting is not None:
            own = self._parts.twisting.frames
            pairs += [(saved.tangents, own.tangents), (saved.d1, own.d1), (saved.twists, own.twists)]
        return all(found.shape == expected.shape for found, expected in pairs)

    def _make_solver(self) -> None:
        body, parts = self._body, self._parts
        self._contact = make_contact(body, self._motion, self._dt, self._carrier)
        system = System(
            parts.masses,
            parts.terms,
            parts.free,
            make_surroundings(body, self._motion, self._contact, self._carrier),
            self_contact=make_self_contact(body, self._name, self._dt),
            force=make_force(body, self._motion, self._dt, self._air_density),
            stiffness_damping=body.settings.damping,
            reach=parts.reach,
            solid=body.settings.kind == "solid" and not body.flat,
        )
        self._solver = ImplicitEuler(system, self._tolerance)

    def _held(self, time: float) -> Doubles:
        """q (n,), of which the entries that are not free count."""
        held = self._parts.rest.copy()
        held[: self._body.rest.size] = self._motion.pins(time).ravel()
        return held

    def _start(self) -> State:
        """Where it stands, at rest; or, where pins begin elsewhere, as it settles without weight."""
        rest, pinned, parts = self._body.rest, self._body.pinned, self._parts
        placement, goals = self._motion.placement, self._motion.pins(0.0)
        placed, turn = placement.to_world(rest), placement.rotation
        moved = self._is_moved(placed, goals)
        if moved:
            more = _least_turn(placed[pinned], goals[pinned])
            placed = (placed - placed[pinned].mean(0)) @ more.T + goals[pinned].mean(0)
            turn = more @ turn
        q = parts.rest.copy()
        q[: rest.size] = np.where(pinned[:, None], goals, placed).ravel()
        if parts.twisting is not None:
            frames = parts.twisting.frames
            tangents, d1 = frames.tangents @ turn.T, frames.d1 @ turn.T
            parts.twisting.frames = ReferenceFrames(tangents, d1, frames.twists)
        if moved:
            system = self._solver.system
            alone = System(system.masses, system.terms, system.free, reach=system.reach, solid=system.solid)
            q = equilibrium(alone, q, self._tolerance).q
            if parts.twisting is not None:
                parts.twisting.accept(q)
        return State(q, np.zeros_like(q))

    def _is_moved(self, placed: Doubles, goals: Doubles) -> bool:
        """Whether pins begin elsewhere than the body at rest has them, both (B, d)."""
        pinned = self._body.pinned
        size = np.linalg.norm(np.ptp(placed, axis=0)) + np.abs(placed).max()
        return bool(pinned.any()) and bool(np.abs(goals - placed)[pinned].max() > MOVED * size)

    def _check_start(self) -> None:
        free = self._numbers[~self._body.pinned]
        if self._carrier is not None:
            free = self._carrier.apply(self._state.q).reshape(-1, self._carrier.dimension)
        for collider, pose in zip(self._motion.colliders, self._motion.poses(0.0), strict=True):
            gaps = collider.shape.distance(pose.to_own(free)) - half_thickness(self._body)
            inside = int((gaps <= 0.0).sum())
            if inside:
                raise Problem("starts_inside", object=self._name, collider=collider.name, count=inside)


def _least_turn(source: Doubles, goal: Doubles) -> Doubles:
    """The rotation (d, d) that takes points (p, d) about their middle best to others about theirs.

    Of all that do so for points on a line or a single one, the smallest (Kabsch 1976).
    """
    moments = (source - source.mean(0)).T @ (goal - goal.mean(0))
    moments += 1e-12 * max(float(np.abs(moments).max()), 1e-200) * np.eye(len(moments))
    left, _, right = np.linalg.svd(moments)
    mirrored = np.eye(len(moments))
    mirrored[-1, -1] = np.sign(np.linalg.det(left @ right))
    turn: Doubles = (left @ mirrored @ right).T
    return turn

"""A take of spring cloth, frame by frame: ADMM on the artist's mesh itself (Oh 2018, sections 3.2 and 4).

What acts in a step is what the method's run time would see: pins, wind and fabric as they are at its end.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ml_backend.simulation.bodies import SAME
from ml_backend.simulation.shapes.round_shapes import round_shape
from ml_backend.simulation.simulation import SavedState
from ml_backend.simulation.sparse_solve import sparse_solve
from neural_physics.arrays import Doubles
from neural_physics.baking.fabric_ranges import LIVE, middle_fabric
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.simulation_request import SimulationRequest, Tracks
from neural_physics.energies.air import wind_velocity
from neural_physics.errors import Problem
from neural_physics.interaction.channels import ChannelLayout
from neural_physics.projective_dynamics.cloth import FABRIC_RANGES, Cloth, Fabric, Load
from neural_physics.projective_dynamics.round_colliders import RoundColliders
from neural_physics.subdivision.half_edges import (
    check_cut,
    check_vertices,
    half_edges_of,
    split_quads,
)

NOTHING = np.empty(0)


def make_cloth(request: SimulationRequest, fps: float) -> Cloth:
    """The springs of a mesh, its quads cut as its levels are; dt is one frame.

    Raises Problem("body_unusable" | "nothing_free") and what `half_edges` raises.
    """
    check_vertices(mesh_at_rest(request), request.object)
    half_edges_of(request.corners, request.face_sizes, request.object)
    if request.pins.all():
        raise Problem("nothing_free", object=request.object)
    triangles = request.corners[split_quads(request.corners, request.face_sizes)]
    check_cut(triangles, request.object)
    try:
        return Cloth(
            request.rest_positions,
            triangles,
            np.flatnonzero(request.pins),
            1.0 / fps,
            make_solve=sparse_solve,
        )
    except ValueError as error:
        reason = "it has faces without area: remove them with Mesh > Clean Up > Degenerate Dissolve"
        raise Problem("body_unusable", object=request.object, reason=reason) from error


def same_springs(made: SimulationRequest, asked: SimulationRequest) -> bool:
    """Whether a take was made from the same mesh, pins and settings."""
    if made.settings != asked.settings or made.rest_positions.shape != asked.rest_positions.shape:
        return False
    near = SAME * np.linalg.norm(np.ptp(asked.rest_positions, axis=0))
    same_place = np.abs(made.rest_positions - asked.rest_positions).max() <= near
    same_pins = np.array_equal(made.pins, asked.pins)
    return bool(same_pins and same_place and np.allclose(made.gravity, asked.gravity))


def mesh_at_rest(request: SimulationRequest) -> Mesh:
    """The mesh at rest as datasets have it, its scale applied."""
    used = np.unique(request.corners)
    loose = request.edges[~np.isin(request.edges, used).all(axis=1)]
    rest, pins = request.rest_positions.astype(np.float32), request.pins.astype(np.float32)
    return Mesh(rest, request.corners, request.face_sizes, pins, loose_edges=loose)


class SpringSimulation:
    """One take, from its first frame on; `frame` is where it is.

    layout: of y, which has a fabric that changes. Raises Problem("collider_not_round" |
    "collider_unusable" | "starts_inside") and what `make_cloth` does.
    """

    def __init__(self, request: SimulationRequest, tracks: Tracks, layout: ChannelLayout) -> None:
        self._request, self._tracks = request, tracks
        self._cloth = make_cloth(request, tracks.fps)
        self._fabric = middle_fabric(request.settings)
        kinds = {channel.name: channel.kind for channel in layout.channels}
        self._live = {
            name: place.start
            for name, place in layout.slices().items()
            if name in LIVE and kinds[name] == "value"
        }
        shapes = [round_shape(collider) for collider in request.colliders]
        self._radii = np.array([shape.radius for shape in shapes])
        self._ends = np.array([[shape.start, shape.end] for shape in shapes]).reshape(-1, 2, 3)
        self.frame = 0
        self._x = self._start()
        self._v = np.zeros_like(self._x)
        self._check_start()

    @property
    def positions(self) -> Doubles:
        """(V, 3), m, in the world's axes."""
        return self._x

    def fabric(self, frame: int) -> Fabric:
        """The fabric at a frame: values of y are kept to what can be simulated."""
        y = self._tracks.interaction[frame]
        live = {name: float(np.clip(y[at], *FABRIC_RANGES[name])) for name, at in self._live.items()}
        return replace(self._fabric, **live)

    def load(self, frame: int) -> Load:
        """What acts in the step that ends at a frame."""
        wind = wind_velocity(np.asarray(self._tracks.wind[frame], np.float64))
        return Load(wind, self._request.gravity, self._tracks.pins[frame], self._colliders(frame))

    def advance(self) -> bool:
        """Simulate one frame; always True, since so many iterations are all that is asked of ADMM."""
        self.frame += 1
        fabric, load = self.fabric(self.frame), self.load(self.frame)
        self._x, self._v = self._cloth.step(self._x, self._v, fabric, load)
        return True

    def save(self) -> SavedState:
        """What is needed to go on from here."""
        time = self.frame * self._cloth.dt
        return SavedState(self.frame, time, self._x.ravel(), self._v.ravel(), *(NOTHING,) * 4)

    def take_up(self, saved: SavedState) -> None:
        """Go on from there."""
        self.frame = saved.frame
        self._x, self._v = saved.q.reshape(-1, 3).copy(), saved.velocity.reshape(-1, 3).copy()

    def fits(self, saved: SavedState) -> bool:
        """Whether a state is one of this simulation."""
        return saved.q.shape == saved.velocity.shape == (self._x.size,)

    def _start(self) -> Doubles:
        """The cloth at rest where it stands, moved along with its pins as in `HierarchicalCloth.start`."""
        place, pinned = self._tracks.world_from_rest, self._request.pins
        x: Doubles = self._cloth.rest @ place[:3, :3].T + place[:3, 3]
        if pinned.any():
            x += (self._tracks.pins[0] - x[pinned]).mean(axis=0)
            x[pinned] = self._tracks.pins[0]
        return x

    def _check_start(self) -> None:
        free = self._x[~self._request.pins]
        colliders = self._colliders(0)
        for k, collider in enumerate(self._request.colliders):
            one = slice(k, k + 1)
            alone = RoundColliders(
                colliders.starts[one],
                colliders.ends[one],
                self._radii[one],
                colliders.start_velocities[one],
                end_velocities=colliders.end_velocities[one],
            )
            inside = int(alone.push_out(free, free).normals.any(axis=1).sum())
            if inside:
                name = self._request.object
                raise Problem("starts_inside", object=name, collider=collider.name, count=inside)

    def _colliders(self, frame: int) -> RoundColliders:
        """The colliders at a frame, with the velocity of the way to it."""
        now, before = (self._placed(t) for t in (frame, max(frame - 1, 0)))
        velocities = (now - before) / self._cloth.dt
        return RoundColliders(
            now[:, 0],
            now[:, 1],
            self._radii + self._fabric.thickness,
            velocities[:, 0],
            end_velocities=velocities[:, 1],
        )

    def _placed(self, frame: int) -> Doubles:
        """(C, 2, 3): the ends of all colliders."""
        matrices = self._tracks.colliders[frame]
        placed: Doubles = (
            np.einsum("cij,ckj->cki", matrices[:, :3, :3], self._ends) + matrices[:, None, :3, 3]
        )
        return placed

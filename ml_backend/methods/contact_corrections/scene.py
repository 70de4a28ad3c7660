"""What a dataset of the bundled solver says of a body's handles, its pins and what touches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learning.training.spans import Span
from ml_backend.methods.contact_corrections.handle_fitting import (
    fit_handles,
    pin_groups,
    spread_points,
    too_many,
)
from ml_backend.methods.contact_corrections.inner_balls import inner_balls
from ml_backend.methods.contact_corrections.placed_handles import PlacedHandle, vertices_at
from ml_backend.methods.latent_dynamics.boundary_motion import EXACT, FOLLOWED
from ml_backend.simulation.contact_points import contact_carrier
from ml_backend.simulation.motions import TrackedMotion
from ml_backend.simulation.surroundings import REACH
from neural_physics.arrays import Doubles, Indices
from neural_physics.coordinates import SPACE, Coordinates
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import Core, SimulationRequest, Tracks
from neural_physics.datasets.takes import Dataset
from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.collider import Collider
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.same_shape import of_one_shape
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout, Kind
from neural_physics.methods.contact_corrections.contact import Contact
from neural_physics.methods.contact_corrections.handles import Handles, rigid_fit
from neural_physics.methods.contact_corrections.model_reading import MOST_COLLIDERS
from neural_physics.methods.contact_corrections.self_contact import SelfContact
from neural_physics.methods.contact_corrections.surroundings import (
    FollowedColliders,
    FollowedFrames,
    rotation_of,
)
from neural_physics.models.normals import triangulate
from neural_physics.solver.meshing.element_sides import boundary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# Of Young's modulus times the area that a point stands for over the mean edge: what presses then sinks in by
# a small share of what the body itself gives way.
CONTACT_STIFFNESS = 20.0
TURNS = 1e-4  # entries of a rotation that differ by more are another one
# What pins may hang on: turns, too, which places follow linearly in a plane, and about one axis.
TURNED_ALONG: tuple[Kind, ...] = (*FOLLOWED, "orientation")
RIGID = 1e-3  # how far the axes of positions may be off a rotation of the world's; what is more is a scale


@dataclass(frozen=True)
class SizedBall:
    """A ball that is a channel itself: the channel that holds its place, and how wide its object is, m."""

    channel: Channel
    width: float


@dataclass(frozen=True)
class ContactScene:
    """All that training and Play need to know beside the corrections.

    coordinates: of what follows, in the axes of the takes' positions; d is 2 where the body is flat, else 3.
    facets (m, d): of the artist's mesh the triangles; of a flat body the edges around it, turned outwards.
    gravity (d,), m/s^2. placed: the handles that can be held, where the artist has placed them: points, then
    cores; rows (g,): of Q, by which they are; aside (g, d), m: from there, as y has it, to these rows.
    turns_met (N, c, d, d): how the c colliders that move are turned in frames of the takes; in one only where
    none turns. places_met (2, c, d): the least and the largest coordinates of their centres. balls: whose
    sizes y has in Play, in the order of the colliders. self_contact: in Play, if it was on in the takes.
    """

    body: Body
    handles: Handles
    frames: FollowedFrames
    colliders: FollowedColliders
    contact: Contact
    coordinates: Coordinates
    facets: Indices
    gravity: Doubles
    placed: tuple[PlacedHandle, ...]
    rows: Indices
    aside: Doubles
    turns_met: Doubles
    places_met: Doubles
    balls: tuple[SizedBall, ...]
    self_contact: SelfContact

    def surface(self, positions: Doubles) -> Doubles:
        """(m, d, d): the corners of all facets, with the body at positions (B, d)."""
        found = positions if self.body.flat else self.body.carried(positions)
        return found[self.facets]


def normals_of(corners: Doubles) -> Doubles:
    """(m, d): straight off triangles (m, 3, 3), twice their area, or edges (m, 2, 2), as long as they."""
    along = corners[:, 1] - corners[:, 0]
    if corners.shape[2] == 2:
        return np.stack([along[:, 1], -along[:, 0]], 1)
    return np.cross(along, corners[:, 2] - corners[:, 0])


def contact_scene(
    dataset: Dataset, body: Body, spans: list[Span], points: int, *, placed: tuple[PlacedHandle, ...] = ()
) -> ContactScene:
    """The scene of the takes to learn from, with so many free handles, or those that the artist placed.

    Raises what `vertices_at` does, and Problem("latent_take_without_tracks" | "latent_takes_differ" |
    "contact_frame_moves" | "contact_scaled" | "contact_handles_unusable" | "contact_handles_few" |
    "contact_core_unknown" | "contact_handles_named_alike" | "contact_pins_unseen" |
    "contact_collider_unseen" | "contact_collider_turns" | "contact_collider_shape" |
    "contact_colliders_differ" | "contact_colliders_many" | "contact_frames_many" | "dataset_damaged").
    """
    around = _surroundings(dataset, spans)
    request, to_frame = around[0][0], around[0][1].frame_from_world[0]
    for span, (other, tracks) in zip(spans, around, strict=True):
        if _shapes(other) != _shapes(request):
            first = spans[0].take.name
            raise Problem("latent_takes_differ", path=dataset.path, take=span.take.name, first=first)
        if np.abs(tracks.frame_from_world - to_frame).max() > 1e-6:
            raise Problem("contact_frame_moves", object=request.object)
    if np.abs(to_frame[:3, :3] @ to_frame[:3, :3].T - np.eye(3)).max() > RIGID:
        raise Problem("contact_scaled", object=request.object)
    if len(request.cores) != len(body.core_groups):
        raise Problem("dataset_damaged", path=dataset.path, reason="its body has other cores than asked for")
    _check_cores(request, placed)
    placed = tuple(handle for handle in placed if not handle.core)
    handles = _handles(body, request, points, placed)
    # A core is held by its first corner.
    corners = handles.points + handles.corners * np.arange(handles.loose)
    rows = np.append(np.arange(len(placed)), corners)
    placed = (*placed, *(PlacedHandle(core.name, _head(core), core=True) for core in request.cores))
    turn = to_frame[:3, :3] @ around[0][1].world_from_rest[:3, :3]
    coordinates = SPACE
    if body.flat:
        rest_to_frame = to_frame @ around[0][1].world_from_rest
        coordinates = body.coordinates.moved(turn, rest_to_frame[:3, 3])
    frames = _followed(dataset, body, spans, handles, coordinates=coordinates, name=request.object)
    colliders, balls = _colliders(dataset, body, spans, around, coordinates=coordinates, name=request.object)
    facets = boundary(body.elements)[0]
    if not body.flat:
        if not len(request.face_sizes):
            raise Problem(
                "dataset_damaged", path=dataset.path, reason="the mesh that it carries has no faces"
            )
        facets = triangulate(request.corners, request.face_sizes).astype(np.intp)
    whole = _stiffness(body, request, facets)
    contact = _contact(body, request, whole, colliders)
    self_contact = SelfContact.none(coordinates.dimension)
    if body.settings.self_contact and not body.flat:
        self_contact = inner_balls(body.carried(body.rest)[facets], body.rest, body.elements, whole)
    gravity = coordinates.along(to_frame[:3, :3] @ body.gravity)
    places = np.array([handle.place for handle in placed]).reshape(-1, 3)
    off = body.coordinates.places(handles.rest[rows]) - places
    aside = coordinates.along(off @ turn.T - coordinates.origin)
    met = [colliders.placed(y) for span in spans for y in span.interaction]
    turns_met = np.array([each.turns for each in met[: None if colliders.oriented else 1]])
    centres = np.array([each.centres for each in met])
    places_met = np.stack([centres.min(0), centres.max(0)])[:, : colliders.moving]
    return ContactScene(
        body,
        handles,
        frames,
        colliders,
        contact=contact,
        coordinates=coordinates,
        facets=facets,
        gravity=gravity,
        placed=placed,
        rows=rows,
        aside=aside,
        turns_met=turns_met[:, : colliders.moving],
        places_met=places_met,
        balls=balls,
        self_contact=self_contact,
    )


def _surroundings(dataset: Dataset, spans: list[Span]) -> list[tuple[SimulationRequest, Tracks]]:
    """Of each span; read once for each take, which may have thousands of them."""
    takes: dict[str, tuple[SimulationRequest, Tracks]] = {}
    for span in spans:
        name = span.take.name
        found = takes.get(name) or dataset.surroundings(name)
        if found is None or len(found[1].wind) < span.stop:
            raise Problem("latent_take_without_tracks", path=dataset.path, take=name)
        takes[name] = found
    return [takes[span.take.name] for span in spans]


def _shapes(request: SimulationRequest) -> list[tuple[str, bytes]]:
    return [(collider.name, collider.vertices.tobytes()) for collider in request.colliders]


def _handles(
    body: Body, request: SimulationRequest, points: int, placed: tuple[PlacedHandle, ...]
) -> Handles:
    """The handles that the artist has placed, and cores; without any, `points` spread over the body."""
    groups, name = pin_groups(body.elements, body.pinned), request.object
    frames = len(groups) + len(request.cores)
    if too_many(body.rest, body.elements, points + len(placed) + (body.rest.shape[1] + 1) * frames):
        raise Problem("contact_frames_many", object=name, count=f"{frames:,}")
    ends = body.coordinates.of(np.array([_head(core) for core in request.cores]).reshape(-1, 3))
    loose = list(zip(body.core_groups, ends, strict=True))
    if placed or loose:
        chosen = vertices_at(body, name, placed)
    else:
        chosen = spread_points(body.rest, points, body.pinned)
    try:
        return fit_handles(body.rest, body.elements, chosen, groups, loose=loose)
    except (ValueError, RuntimeError) as error:  # RuntimeError: a part that no handle reaches
        if not placed and not loose:
            raise Problem("contact_handles_unusable", object=name, points=points) from error
        names = ", ".join([*(handle.name for handle in placed), *(core.name for core in request.cores)])
        raise Problem("contact_handles_few", object=name, handles=names) from error


def _check_cores(request: SimulationRequest, placed: tuple[PlacedHandle, ...]) -> None:
    """Raise Problem("contact_core_unknown" | "contact_handles_named_alike")."""
    known = {core.name for core in request.cores}
    for handle in placed:
        if handle.core and handle.name not in known:
            raise Problem("contact_core_unknown", object=request.object, handle=handle.name)
        if not handle.core and handle.name in known:
            raise Problem("contact_handles_named_alike", object=request.object, handle=handle.name)


def _head(core: Core) -> tuple[float, float, float]:
    x, y, z = core.ends[0].tolist()
    return x, y, z


def _followed(
    dataset: Dataset,
    body: Body,
    spans: list[Span],
    handles: Handles,
    *,
    coordinates: Coordinates,
    name: str,
) -> FollowedFrames:
    """How the pins go along with y; each group of them as a whole."""
    layout = dataset.info.channels
    y = np.concatenate([span.interaction for span in spans]).astype(np.float64)
    mean = y.mean(0)
    rows, off = [], 0.0
    for number, group in enumerate(pin_groups(body.elements, body.pinned)):
        rest = body.rest[group]
        first = handles.free + handles.corners * number
        corners = handles.rest[first : first + handles.corners]
        placed = []
        for span in spans:
            found = span.take.body_positions
            assert found is not None  # the dataset has a body
            for frame in coordinates.of(np.asarray(found[span.start : span.stop, group], np.float64)):
                rotation, place = rigid_fit(rest, frame)
                placed.append((corners - rest.mean(0)) @ rotation.T + place)
                bent = (rest - rest.mean(0)) @ rotation.T + place - frame
                off = max(off, float(np.abs(bent).max()))
        rows.append(np.array(placed).reshape(len(y), -1))
    if not rows:
        return FollowedFrames(mean, handles.rest[:0], np.zeros((0, len(mean))))
    flat = np.concatenate(rows, 1)
    used = np.concatenate([np.full(c.size, c.kind in TURNED_ALONG) for c in layout.channels])
    centred = np.where(used, y - mean, 0.0)
    matrix = np.linalg.lstsq(centred, flat - flat.mean(0), rcond=1e-6)[0].T
    off = max(off, float(np.abs(flat.mean(0) + centred @ matrix.T - flat).max()))
    if off > 10.0 * EXACT * float(np.linalg.norm(np.ptp(body.rest_positions, axis=0))):
        raise Problem("contact_pins_unseen", object=name, off=f"{1000 * off:.2g} mm")
    return FollowedFrames(mean, flat.mean(0).reshape(-1, coordinates.dimension), matrix)


def _colliders(
    dataset: Dataset,
    body: Body,
    spans: list[Span],
    around: Sequence[tuple[SimulationRequest, Tracks]],
    *,
    coordinates: Coordinates,
    name: str,
) -> tuple[FollowedColliders, tuple[SizedBall, ...]]:
    layout, d = dataset.info.channels, coordinates.dimension
    count = len(around[0][0].colliders)
    if count > MOST_COLLIDERS:
        raise Problem("contact_colliders_many", object=name, count=count, most=MOST_COLLIDERS)
    shapes, places, turns = _tracked(body, spans, around, coordinates)
    recorded = np.concatenate([span.interaction.astype(np.float64) for span in spans])
    axes = coordinates.axes
    near = EXACT * float(np.linalg.norm(np.ptp(body.rest_positions, axis=0)))
    found, rotations = [], dict[int, Doubles]()
    channel_at = dict(zip((place.start for place in layout.slices().values()), layout.channels, strict=True))
    for number, shape in enumerate(shapes):
        mesh = around[0][0].colliders[number]
        collider = mesh.name
        if not isinstance(shape, Sphere | Box | HalfSpace | Polygon):
            raise Problem("contact_collider_shape", object=name, collider=collider)
        place, turn = places[:, number], turns[:, number]
        turning, own = -1, axes if isinstance(shape, Sphere) else axes @ turn[0]
        if not isinstance(shape, Sphere) and np.abs(turn - turn[0]).max() > TURNS:
            rotations = rotations or _rotations(recorded, _starts(layout, "orientation"))
            turning, own = _turned(rotations, turn, axes)
            if turning < 0:
                raise Problem("contact_collider_turns", object=name, collider=collider)
        where = _starts(layout, "position")
        anchors = {at: place - coordinates.along(recorded[:, at : at + 3]) for at in where} | {-1: place}
        strays = {at: float(np.abs(each - each.mean(0)).max()) for at, each in anchors.items()}
        best = min(strays, key=lambda at: (strays[at] > near, at))
        if strays[best] > near:
            raise Problem("contact_collider_unseen", object=name, collider=collider)
        if best >= 0 and isinstance(shape, HalfSpace):
            raise Problem("contact_collider_shape", object=name, collider=collider)
        if best < 0 <= turning:
            raise Problem("contact_collider_unseen", object=name, collider=collider)
        # What hangs on another object, which may be scaled without it, stays as large as it was.
        alone = best >= 0 and isinstance(shape, Sphere) and channel_at[best].source == collider
        ball = SizedBall(channel_at[best], mesh.own_width) if alone else None
        found.append((shape, best, anchors[best].mean(0), turning, own, ball))
    found.sort(key=lambda each: each[1] < 0)
    if not of_one_shape([each[0] for each in found if each[1] >= 0]):
        raise Problem("contact_colliders_differ", object=name)
    balls = [each[5] is not None for each in found]
    scaling = np.where(balls, layout.size + np.cumsum(balls) - 1, -1)
    colliders = FollowedColliders(
        [each[0] for each in found],
        np.array([each[1] for each in found], np.intp),
        np.array([each[2] for each in found]).reshape(-1, d),
        np.array([each[3] for each in found], np.intp),
        own=np.array([each[4] for each in found]).reshape(-1, 3, d),
        scaling=scaling.astype(np.intp),
        axes=axes,
    )
    return colliders, tuple(each[5] for each in found if each[5] is not None)


def _tracked(
    body: Body,
    spans: list[Span],
    around: Sequence[tuple[SimulationRequest, Tracks]],
    coordinates: Coordinates,
) -> tuple[list[Collider], Doubles, Doubles]:
    """The colliders' shapes; where each is in all frames (N, c, d), m, and how it is turned (N, c, d, d)."""
    d = coordinates.dimension
    places, turns = [], []
    motions: dict[str, TrackedMotion] = {}
    for span, (request, tracks) in zip(spans, around, strict=True):
        take = span.take.name
        tracked = motions.get(take) or TrackedMotion(request, body, tracks)
        motions[take], to_frame = tracked, tracks.frame_from_world[0]
        if body.flat:  # the plane's numbers go along with it: they are the same in all axes
            to_frame = np.eye(3)
        rotation, shift = to_frame[:d, :d], to_frame[:d, d]
        for frame in range(span.start, span.stop):
            poses = tracked.poses(frame / tracks.fps)
            places.append([rotation @ pose.translation + shift for pose in poses])
            turns.append([rotation @ pose.rotation for pose in poses])
    shapes = [each.shape for each in tracked.colliders]
    size = len(places), len(shapes), d
    return shapes, np.array(places).reshape(size), np.array(turns).reshape(*size, d)


def _rotations(y: Doubles, where: list[int]) -> dict[int, Doubles]:
    """The orientations in y (N, e), (N, 3, 3), by where they begin there."""
    return {at: np.array([rotation_of(row[at : at + 6]) for row in y]) for at in where}


def _starts(layout: ChannelLayout, kind: Kind) -> list[int]:
    """Where in y channels of a kind begin."""
    places = layout.slices()
    return [places[channel.name].start for channel in layout.channels if channel.kind == kind]


def _turned(known: Mapping[int, Doubles], turns: Doubles, axes: Doubles) -> tuple[int, Doubles]:
    """Which of the orientations in y, (N, 3, 3) by where they begin there, a shape's axes, turned by
    (N, d, d), go along with: where it begins, -1 for none of them, and the shape's axes in those of the
    object (3, d).
    """
    for at, rotations in known.items():
        own = rotations[0].T @ axes @ turns[0]
        if np.abs(axes.T @ rotations @ own - turns).max() <= TURNS:
            return at, own
    return -1, axes @ turns[0]


def _stiffness(body: Body, request: SimulationRequest, facets: Indices) -> float:
    """N/m: of contact all over the body's surface."""
    # Of a flat body the length of its outline, as it is one metre across.
    of_facets = (body.rest if body.flat else request.rest_positions)[facets]
    area = float(np.linalg.norm(normals_of(of_facets), axis=1).sum()) * (1.0 if body.flat else 0.5)
    edges = body.rest_positions[body.elements[:, :2]]
    length = float(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).mean())
    return CONTACT_STIFFNESS * body.settings.young * area / length


def _contact(
    body: Body, request: SimulationRequest, stiffness: float, colliders: FollowedColliders
) -> Contact:
    """stiffness, N/m: of all points together."""
    carrier = contact_carrier(body, request)
    if carrier is None:
        outer = np.unique(boundary(body.elements)[0])
        outer = outer[~body.pinned[outer]]
        size = body.elements.shape[1]
        corners, weights = np.repeat(outer[:, None], size, 1), np.tile(np.eye(size)[0], (len(outer), 1))
    else:
        corners, weights = carrier.corners, carrier.weights
    reach = REACH * float(np.linalg.norm(np.ptp(body.rest_positions, axis=0)))
    return Contact(corners, weights, stiffness / max(1, len(corners)), reach, shapes=colliders.shapes)

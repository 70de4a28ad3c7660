"""What corrections are learned from (Romero 2021, section 4.2): shapes at rest of recorded states.

States are those of the takes, projected on the handles (Fig. 7 b and c; the solver has played them already).
Each is solved at rest without colliders (d, g), with those that touch it in its take, and with one moved in
at places all over its surface, at some depths (f, h, i).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

import numpy as np
from scipy.optimize import brentq

from learning.training.spans import Span
from learning.training.tensor_files import Tensors, read_tensors, write_tensors
from ml_backend.methods.contact_corrections.presets import ContactPreset
from ml_backend.methods.contact_corrections.scene import ContactScene, normals_of
from ml_backend.methods.contact_corrections.statics import Statics
from neural_physics.arrays import Doubles, Floats, Mask
from neural_physics.energies.colliders.collider import Collider
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.methods.contact_corrections.contact import Placed
from neural_physics.methods.contact_corrections.corrections import internal_features, pressing
from neural_physics.methods.contact_corrections.locator import Locator, seen_of

SAVE_EVERY = 20.0  # seconds
TILT = 0.3  # how far off the surface's normal a collider comes from, about
REFERENCE_DEPTH = 0.03  # of the body's size: the unit of depths
TRIES = 200  # for a place where the takes have the collider, too
NOTHING = Placed(np.zeros((0, 0)), np.zeros((0, 0, 0)))  # no collider
FOREMOST = 0.05  # of a polygon's reach: corners that are no further back may be those that touch


@dataclass(frozen=True)
class Samples:
    """N shapes: features (N, i), the network's input; r (N, B, d) m, its target, times shares (N,).

    states (N, h, d): Q, m. centres (N, d), m, and turns (N, d, d): where the collider was, and how its axes
    were turned. recorded (N,): whether a take has it there.
    """

    features: Floats
    r: Floats
    shares: Floats
    states: Floats
    centres: Floats
    turns: Floats
    recorded: Mask

    def __len__(self) -> int:
        return len(self.r)


@dataclass(frozen=True)
class CorrectionData:
    """Samples of both corrections from some spans. unsettled: how many shapes at rest were not found."""

    internal: Samples
    external: Samples
    unsettled: int


def reference_depth_of(scene: ContactScene) -> float:
    """What `pressing` has depths in, m."""
    return REFERENCE_DEPTH * float(np.linalg.norm(np.ptp(scene.body.rest_positions, axis=0)))


def solve_corrections(
    scene: ContactScene,
    spans: list[Span],
    count: int,
    preset: ContactPreset,
    *,
    seed: int,
    kept: tuple[Path, str],
    stage: str,
    emit: Emit,
    stop: StopRequest,
) -> CorrectionData:
    """`count` states, evenly over the spans. kept: a file, and what must be the same to go on from it.

    Raises Problem("stopped" | "disk_full" | "folder_not_writable").
    """
    frames = [(span, t) for span in spans for t in range(span.start, span.stop)]
    picked = np.unique(np.linspace(0, len(frames) - 1, min(count, len(frames))).round().astype(int))
    solving = _Solving(scene, preset)
    done = solving.resume(*kept)
    progress, saved = Progress(emit, stage, len(picked), done), time.monotonic()
    for number in range(done, len(picked)):
        if stop.asked() or time.monotonic() - saved > SAVE_EVERY:
            solving.save(*kept, number)
            saved = time.monotonic()
            stop.check()
        span, t = frames[picked[number]]
        found = span.take.body_positions
        assert found is not None  # the dataset has a body
        y = np.asarray(span.take.interaction[t], np.float64)
        rng = np.random.default_rng([seed, number])
        solving.add(scene.coordinates.of(np.asarray(found[t], np.float64)), y, rng)
        progress.at(number + 1)
    solving.save(*kept, len(picked))
    return solving.data()


class _Solving:
    """Shapes at rest of one state after the other."""

    def __init__(self, scene: ContactScene, preset: ContactPreset) -> None:
        self._scene, self._preset = scene, preset
        self._statics = Statics(scene.body, scene.handles, scene.gravity)
        self._locate = Locator(scene.handles, np.unique(scene.contact.corners))
        self._rows: dict[str, list[Floats]] = {}
        self._unsettled = 0

    def add(self, positions: Doubles, y: Doubles, rng: np.random.Generator) -> None:
        """The samples of a frame of a take, (B, d): of r_int (Romero 2021, eq. 8), and then of r_ext."""
        scene, handles = self._scene, self._scene.handles
        frames = scene.frames.rows(y)
        q = np.concatenate([self._statics.project(positions, frames), frames])
        linear, f = handles.positions(q), handles.deformation(q)
        if (np.linalg.det(f) <= 0.0).any():
            self._unsettled += 1  # the blend is inside out there: nothing can be said in its axes
            return
        alone, settled = self._statics.rest(linear, scene.contact.only(), NOTHING)
        if not settled:
            self._unsettled += 1
            return
        state = _State(q, linear, np.linalg.inv(f), *handles.placement(q))
        inner = state.local(alone)
        features = internal_features(q, state.rotation, state.place)
        nowhere = np.zeros(q.shape[1]), np.eye(q.shape[1])
        self._keep("internal", features, inner, 1.0, q=q, placed=nowhere, recorded=True)
        if not self._preset.external or not scene.colliders.moving:
            return
        self._recorded(state, alone, positions, y)
        facets = _Facets.of(scene.surface(alone))
        for _ in range(self._preset.traverses):
            self._traverse(state, alone, facets, rng)

    def _recorded(self, state: _State, alone: Doubles, positions: Doubles, y: Doubles) -> None:
        """The one collider that touched in the take, if it was one."""
        scene = self._scene
        placed, reach = scene.colliders.placed(y), scene.contact.reach
        gaps = [scene.contact.least_gap(positions, k, placed) for k in range(scene.colliders.moving)]
        near = [k for k, gap in enumerate(gaps) if gap < 2.0 * reach]
        if len(near) == 1:
            start = positions.copy()
            start[self._statics.fixed] = state.linear[self._statics.fixed]
            self._touched(state, alone, start, near[0], placed=placed.only(near[0]), recorded=True)

    def _traverse(self, state: _State, alone: Doubles, facets: _Facets, rng: np.random.Generator) -> None:
        """One collider moved in towards a place of the surface, from outside to some depth.

        See Romero 2021, section 4.2.
        """
        scene, preset = self._scene, self._preset
        which = int(rng.integers(scene.colliders.moving))
        low, high = scene.places_met[:, which]
        for _ in range(TRIES if rng.random() < preset.met else 1):
            way, turn = self._way(facets, which, rng)
            deepest = way(1.0)
            if ((deepest >= low) & (deepest <= high)).all():
                break
        start = alone
        for step in range(preset.depths):
            centre = way((step + rng.random()) / preset.depths)
            placed = Placed(centre[None], turn[None])
            shape = self._touched(state, alone, start, which, placed=placed, recorded=False)
            if shape is None:
                return
            start = shape

    def _way(
        self, facets: _Facets, which: int, rng: np.random.Generator
    ) -> tuple[Callable[[float], Doubles], Doubles]:
        """A way in for one collider: its place (d,), m, after a share of it; and its turn (d, d)."""
        scene = self._scene
        shape = scene.contact.shapes[which]
        place, normal = facets.aim(rng)
        depth = self._preset.depth * _reach_of(shape) * rng.random()
        turn = scene.turns_met[int(rng.integers(len(scene.turns_met))), which]
        off = distance_of(shape, turn, normal, rng)
        return lambda share: place + off(depth * share), turn

    def _touched(
        self, state: _State, alone: Doubles, start: Doubles, which: int, *, placed: Placed, recorded: bool
    ) -> Doubles | None:
        """The shape at rest with a collider in its place, from another of the same state.

        What r_ext is to say there (Romero 2021, eq. 9) is kept.
        """
        contact = self._scene.contact.only(which)
        shape, settled = self._statics.rest(start, contact, placed)
        if not settled:
            self._unsettled += 1
            return None
        depth = contact.reach - contact.least_gap(alone, 0, placed)
        share, _ = pressing(depth, reference_depth_of(self._scene))
        (centre,), (turn,) = placed.centres, placed.turns
        seen = seen_of(contact.shapes[0], centre, turn, oriented=self._scene.colliders.oriented)
        at_rest, _ = self._locate(seen, state.q)
        features = np.append(at_rest, self._scene.colliders.sizes[which])
        r = state.local(shape) - state.local(alone)
        self._keep("external", features, r, share, q=state.q, placed=(centre, turn), recorded=recorded)
        return shape

    def _keep(
        self,
        kind: str,
        features: Doubles,
        r: Doubles,
        share: float,
        *,
        q: Doubles,
        placed: tuple[Doubles, Doubles],
        recorded: bool,
    ) -> None:
        given = {
            "features": features,
            "r": r,
            "shares": np.asarray(share),
            "states": q,
            "centres": placed[0],
            "turns": placed[1],
            "recorded": np.asarray(recorded),
        }
        for name, each in given.items():
            self._rows.setdefault(f"{kind}.{name}", []).append(np.asarray(each, np.float32))

    def data(self) -> CorrectionData:
        return CorrectionData(self._samples("internal"), self._samples("external"), self._unsettled)

    def _samples(self, kind: str) -> Samples:
        empty = np.zeros(0, np.float32)
        rows = {
            f.name: np.array(self._rows.get(f"{kind}.{f.name}", empty), np.float32) for f in fields(Samples)
        }
        recorded = rows.pop("recorded") > 0.0
        return Samples(**rows, recorded=recorded)

    def save(self, path: Path, identity: str, done: int) -> None:
        tensors: Tensors = {name: np.stack(rows) for name, rows in self._rows.items()}
        tensors["progress"] = np.array([done, self._unsettled], np.int32)
        write_tensors(path, tensors, {"identity": identity})

    def resume(self, path: Path, identity: str) -> int:
        """How many states are done already."""
        found = read_tensors(path, identity)
        if found is None:
            return 0
        tensors = found[0]
        if any(f"internal.{field.name}" not in tensors for field in fields(Samples)):
            return 0  # by another version
        done, self._unsettled = (int(n) for n in tensors.pop("progress"))
        self._rows = {name: list(rows) for name, rows in tensors.items()}
        return done


@dataclass(frozen=True)
class _Facets:
    """Facets of the surface: corners (m, d, d), m; outwards (m, d), unit; chances (m,), by their size."""

    corners: Doubles
    outwards: Doubles
    chances: Doubles

    @classmethod
    def of(cls, corners: Doubles) -> Self:
        normals = normals_of(corners)
        sizes = np.linalg.norm(normals, axis=1)
        return cls(corners, normals / sizes[:, None], sizes / sizes.sum())

    def aim(self, rng: np.random.Generator) -> tuple[Doubles, Doubles]:
        """A place (d,), m, anywhere, and about the direction (d,) off the surface there."""
        at, d = int(rng.choice(len(self.chances), p=self.chances)), self.corners.shape[2]
        off = self.outwards[at] + TILT * rng.normal(size=d)
        return rng.dirichlet(np.ones(d)) @ self.corners[at], off / np.linalg.norm(off)


@dataclass(frozen=True)
class _State:
    """Q (h, d), the blend's positions (B, d), the inverses of its F (B, d, d), and its placement."""

    q: Doubles
    linear: Doubles
    inverse: Doubles
    rotation: Doubles
    place: Doubles

    def local(self, shape: Doubles) -> Doubles:
        """(B, d): F^-1 (x - U q) of a shape (B, d); equation 8."""
        r: Doubles = (self.inverse @ (shape - self.linear)[:, :, None])[:, :, 0]
        return r


def distance_of(
    shape: Collider, turn: Doubles, normal: Doubles, rng: np.random.Generator
) -> Callable[[float], Doubles]:
    """A function from a depth, m, to the offset (d,), m, of a shape from a place.

    The shape's surface is that far behind the place along the normal; of a polygon one of its foremost
    corners is.
    """
    if isinstance(shape, Polygon):
        ahead = -shape.corners @ (normal @ turn)
        tips = np.flatnonzero(ahead >= ahead.max() - FOREMOST * _reach_of(shape))
        tip = turn @ shape.corners[tips[rng.integers(len(tips))]]
        return lambda depth: -tip - depth * normal

    reach, along = _reach_of(shape), -(normal @ turn)[None]

    def missing(away: float, depth: float) -> float:
        return float(shape.distance(away * along)[0]) + depth

    def off(depth: float) -> Doubles:
        if missing(0.0, depth) >= 0.0:
            return 0.0 * normal  # its middle is as deep as can be
        high = 4.0 * reach
        while missing(high, depth) < 0.0:  # a board that comes edge on
            high *= 2.0
        return brentq(missing, 0.0, high, args=(depth,), xtol=1e-12 * reach) * normal

    return off


def _reach_of(shape: Collider) -> float:
    """How far a shape's middle is from its surface, m; of a polygon half of its lesser extent."""
    if isinstance(shape, Polygon):
        return 0.5 * float(np.ptp(shape.corners, axis=0).min())
    return float(-shape.distance(np.zeros((1, shape.dimension)))[0])

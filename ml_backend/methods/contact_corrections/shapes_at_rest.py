"""The shapes at rest of a state of the handles (Romero 2021, section 4.2, Fig. 7).

A state is that of a frame of a take, projected on the handles (b and c; the solver has played it already).
It is solved at rest without colliders (d, g), with the one that touches it in its take, and with one moved in
at places all over its surface, at some depths (f, h, i).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ml_backend.methods.contact_corrections.presets import ContactPreset
from ml_backend.methods.contact_corrections.samples import ROWS, OfState
from ml_backend.methods.contact_corrections.scene import ContactScene
from ml_backend.methods.contact_corrections.statics import Statics
from ml_backend.methods.contact_corrections.ways_in import Facets, distance_of, reach_of
from neural_physics.arrays import Doubles, Floats
from neural_physics.methods.contact_corrections.contact import Placed
from neural_physics.methods.contact_corrections.corrections import internal_features, pressing
from neural_physics.methods.contact_corrections.locator import Locator, seen_of

REFERENCE_DEPTH = 0.03  # of the body's size: the unit of depths
TRIES = 200  # for a place where the takes have the collider, too
NOTHING = Placed(np.zeros((0, 0)), np.zeros((0, 0, 0)))  # no collider


def reference_depth_of(scene: ContactScene) -> float:
    """What `pressing` has depths in, m."""
    return REFERENCE_DEPTH * float(np.linalg.norm(np.ptp(scene.body.rest_positions, axis=0)))


class ShapeSolver:
    """Solves for the shapes at rest of one state after the other; what comes of each depends on no other."""

    def __init__(self, scene: ContactScene, preset: ContactPreset) -> None:
        self.scene, self.preset = scene, preset
        self.statics = Statics(scene.body, scene.handles, scene.gravity)
        self.locate = Locator(scene.handles, np.unique(scene.contact.corners))

    def of_state(self, positions: Doubles, y: Doubles, rng: np.random.Generator | None) -> OfState:
        """The samples of a frame of a take: of r_int (Romero 2021, eq. 8), and then of r_ext.

        positions (B, d): of the body, m. y: of its interaction. rng: for where colliders are
        pressed in; None where none are.
        """
        scene, handles = self.scene, self.scene.handles
        frames = scene.frames.rows(y)
        q = np.concatenate([self.statics.project(positions, frames), frames])
        linear, f = handles.positions(q), handles.deformation(q)
        if (np.linalg.det(f) <= 0.0).any():
            return OfState({}, 1)  # the blend is inside out there: nothing can be said in its axes
        alone, settled = self.statics.rest(linear, scene.contact.only(), NOTHING)
        if not settled:
            return OfState({}, 1)
        solving = _Solving(self, _State(q, linear, np.linalg.inv(f), *handles.placement(q)), alone)
        solving.keep_internal()
        if rng is not None and self.preset.external and scene.colliders.moving:
            solving.touch_as_recorded(positions, y)
            facets = Facets.of(scene.surface(alone))
            for _ in range(self.preset.traverses if facets.anywhere else 0):
                solving.traverse(facets, rng)
        return solving.found()


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


class _Solving:
    """The shapes of one state. alone (B, d), m: at rest without colliders."""

    def __init__(self, by: ShapeSolver, state: _State, alone: Doubles) -> None:
        self._by, self._state, self._alone = by, state, alone
        self._rows: dict[str, list[Floats]] = {name: [] for name in ROWS}
        self._unsettled = 0

    def found(self) -> OfState:
        return OfState({name: np.array(rows) for name, rows in self._rows.items() if rows}, self._unsettled)

    def keep_internal(self) -> None:
        """What r_int is to say."""
        state, d = self._state, self._alone.shape[1]
        features = internal_features(state.q, state.rotation, state.place)
        nowhere = np.zeros(d), np.eye(d)
        self._keep("internal", features, state.local(self._alone), 1.0, placed=nowhere, recorded=True)

    def touch_as_recorded(self, positions: Doubles, y: Doubles) -> None:
        """The one collider that touched in the take, if it was one."""
        scene, fixed = self._by.scene, self._by.statics.fixed
        placed, reach = scene.colliders.placed(y), scene.contact.reach
        gaps = [scene.contact.least_gap(positions, k, placed) for k in range(scene.colliders.moving)]
        near = [k for k, gap in enumerate(gaps) if gap < 2.0 * reach]
        if len(near) == 1:
            start = positions.copy()
            start[fixed] = self._state.linear[fixed]
            self._touched(start, near[0], placed.only(near[0]), recorded=True)

    def traverse(self, facets: Facets, rng: np.random.Generator) -> None:
        """One collider moved in towards a place of the surface, from outside to some depth.

        See Romero 2021, section 4.2.
        """
        scene, preset = self._by.scene, self._by.preset
        which = int(rng.integers(scene.colliders.moving))
        low, high = scene.places_met[:, which]
        for _ in range(TRIES if rng.random() < preset.met else 1):
            way, turn = self._way(facets, which, rng)
            deepest = way(1.0)
            if ((deepest >= low) & (deepest <= high)).all():
                break
        start = self._alone
        for step in range(preset.depths):
            centre = way((step + rng.random()) / preset.depths)
            shape = self._touched(start, which, Placed(centre[None], turn[None]), recorded=False)
            if shape is None:
                return
            start = shape

    def _way(
        self, facets: Facets, which: int, rng: np.random.Generator
    ) -> tuple[Callable[[float], Doubles], Doubles]:
        """A way in for one collider: its place (d,), m, after a share of it; and its turn (d, d)."""
        scene = self._by.scene
        shape = scene.contact.shapes[which]
        place, normal = facets.aim(rng)
        depth = self._by.preset.depth * reach_of(shape) * rng.random()
        turn = scene.turns_met[int(rng.integers(len(scene.turns_met))), which]
        off = distance_of(shape, turn, normal, rng)
        return lambda share: place + off(depth * share), turn

    def _touched(self, start: Doubles, which: int, placed: Placed, *, recorded: bool) -> Doubles | None:
        """The shape at rest with a collider in its place, from another of the same state.

        What r_ext is to say there (Romero 2021, eq. 9) is kept.
        """
        scene, state, alone = self._by.scene, self._state, self._alone
        contact = scene.contact.only(which)
        shape, settled = self._by.statics.rest(start, contact, placed)
        if not settled:
            self._unsettled += 1
            return None
        depth = contact.reach - contact.least_gap(alone, 0, placed)
        share, _ = pressing(depth, reference_depth_of(scene))
        (centre,), (turn,) = placed.centres, placed.turns
        seen = seen_of(contact.shapes[0], centre, turn, oriented=scene.colliders.oriented)
        at_rest, _ = self._by.locate(seen, state.q)
        features = np.append(at_rest, scene.colliders.sizes[which])
        r = state.local(shape) - state.local(alone)
        self._keep("external", features, r, share, placed=(centre, turn), recorded=recorded)
        return shape

    def _keep(
        self,
        kind: str,
        features: Doubles,
        r: Doubles,
        share: float,
        *,
        placed: tuple[Doubles, Doubles],
        recorded: bool,
    ) -> None:
        given = {
            "features": features,
            "r": r,
            "shares": np.asarray(share),
            "states": self._state.q,
            "centres": placed[0],
            "turns": placed[1],
            "recorded": np.asarray(recorded),
        }
        for name, each in given.items():
            self._rows[f"{kind}.{name}"].append(np.asarray(each, np.float32))

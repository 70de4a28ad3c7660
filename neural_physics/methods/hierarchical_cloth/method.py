"""Hierarchical cloth (Oh 2018): level 0 is simulated, finer levels are inferred by a network each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Floats
from ...models.model_file import Model, damaged
from ...projective_dynamics.cloth import Cloth
from ...subdivision.levels import MOST_COARSE, MOST_LEVELS, Hierarchy, level_of, subdivided_levels
from ..clipping import LOST, bounded, keep_within_reach
from .loads import ClothLoads, Pins
from .networks import LevelNetworks

MOST_WORK = 1 << 29  # of a step: iterations times vertices of level 0 squared, since factors are dense
# Pairs of a vertex and a collider, which may all be looked at: of a step, in each iteration, and of a shape.
MOST_PAIRS, MOST_PAIRS_SHOWN = 1 << 23, 3 << 23


@dataclass(frozen=True, slots=True)
class ClothState:
    """Level 0: positions, velocities (n, 3) float64, m and m/s; ends (c, 2, 3), m: where the colliders were.

    outside: always 0, as a simulation takes whatever comes.
    """

    positions: Doubles
    velocities: Doubles
    ends: Doubles
    outside: float = 0.0


class HierarchicalCloth:
    """Runs a trained model.

    Tensors (V vertices, of which n in level 0, p pinned): rest, mean (V, 3), metres; order (V,): of the
    artist's vertices, those of level 0 first, then of each level the middles of the edges of the one before;
    triangles (m, 3) of level 0, in that order; pins.vertices, pins.channels (p,), pins.anchors (p, 3): see
    `loads.Pins`; and what `LevelNetworks.of_model` reads.
    Settings: levels: how many finer ones; form; iterations of ADMM; push_out: whether finer levels are
    pushed out of the colliders, too (beyond the paper); and those of `ClothLoads`.
    Raises Problem("model_damaged").
    """

    look_ahead = 0
    extrapolates = True  # the speed of pins and colliders follows from y and the one before
    decoder = None

    def __init__(self, model: Model) -> None:
        info = model.info
        self.dt, self.channels, self.vertex_count = info.dt, info.channels, info.vertex_count
        self.mean_shape = model.tensor("mean", self.vertex_count, 3)
        rest = model.tensor("rest", self.vertex_count, 3)
        self._iterations = _whole(model, "iterations", 20, 1, most=1000)
        self._push_out = bool(info.settings.get("push_out", True))
        hierarchy = _hierarchy(model)
        self._unsorted = np.argsort(hierarchy.order)
        coarse = hierarchy.levels[0]
        if self._iterations * coarse.vertex_count**2 > MOST_WORK:
            raise damaged(model.path, f"its level 0 is too large for {self._iterations} iterations")
        self.basis_count = 3 * coarse.vertex_count
        self._coarse = hierarchy.order[: coarse.vertex_count]
        self._loads = ClothLoads(model)
        self._check_pairs(model, coarse.vertex_count)
        self._pins = _pins(model, self.vertex_count, self.channels.size)
        place = np.full(self.vertex_count, -1)
        place[self._coarse] = np.arange(coarse.vertex_count)
        held = place[self._pins.vertices] >= 0
        self._coarse_pins = Pins(
            place[self._pins.vertices[held]], self._pins.channels[held], self._pins.anchors[held]
        )
        try:
            self._cloth = Cloth(rest[self._coarse], coarse.triangles, self._coarse_pins.vertices, self.dt)
        except ValueError as error:
            raise damaged(model.path, str(error)) from error
        self._size = float(np.linalg.norm(np.ptp(self._cloth.rest, axis=0)))
        self._networks = LevelNetworks.of_model(model, hierarchy, hierarchy.sorted(rest))
        self._shown = np.empty((self.vertex_count, 3), np.float32)

    def _check_pairs(self, model: Model, coarse: int) -> None:
        """Raise Problem("model_damaged") where to push vertices out of all colliders would take minutes."""
        colliders = self._loads.collider_count
        shown = self.vertex_count * colliders if self._push_out else 0
        if self._iterations * coarse * colliders > MOST_PAIRS or shown > MOST_PAIRS_SHOWN:
            raise damaged(model.path, f"{colliders} colliders are too many for its vertices and iterations")

    def start(self, y: Floats) -> ClothState:
        """See `Method`: at rest, moved along with the pins."""
        y = bounded(y)
        pins = self._coarse_pins
        x = self._cloth.rest + self._carried(y)[0]
        x[pins.vertices] = pins.positions(y)
        return ClothState(x, np.zeros_like(x), self._loads.ends(y))

    def state_from(
        self,
        positions: Floats,
        positions_before: Floats,
        y: Floats,
        y_before: Floats,
    ) -> ClothState:
        """Level 0's vertices of both shapes (V, 3)."""
        x = positions[self._coarse].astype(np.float64)
        return ClothState(x, (x - positions_before[self._coarse]) / self.dt, self._loads.ends(bounded(y)))

    def step(self, state: ClothState, y: Floats, ahead: Sequence[Floats] = ()) -> ClothState:
        """Algorithm 1 up to the networks: external forces, then ADMM.

        Cloth that is `LOST`, as after wind of 1e8 m/s, begins anew as at `start`: where springs are soft, or
        stiffness changes at every frame, they would not bring it back, and shake it further away.
        """
        x, v, loads, y = state.positions, state.velocities, self._loads, bounded(y)
        fabric = loads.fabric(y)
        load = loads.load(y, state.ends, x, v, dt=self.dt, pins=self._coarse_pins)
        x, v = self._cloth.step(x, v, fabric, load, iterations=self._iterations)
        moved, apart = self._carried(y)
        # Of numbers that are none this is false, too.
        if not (np.abs(x - self._cloth.rest - moved) <= LOST * self._size + apart).all():
            return self.start(y)
        return ClothState(x, v, loads.ends(y))

    def positions(self, state: ClothState, y: Floats, bases: int | None = None) -> Floats:
        """(V, 3) float32, metres: Algorithm 1's networks; reused by the next call. No use of `bases`."""
        y = bounded(y)
        fine = self._networks(state.positions)
        np.take(fine.T, self._unsorted, axis=0, out=self._shown, mode="clip")
        if self._push_out:
            colliders = self._loads.colliders(y, state.ends, self.dt)
            if colliders:
                shown = self._shown.astype(np.float64)
                self._shown[:] = colliders.push_out(shown, shown).positions
        self._shown[self._pins.vertices] = self._pins.positions(y)
        keep_within_reach(self._shown, self.mean_shape)
        return self._shown

    def shapes(self, states: Sequence[ClothState], ys: Sequence[Floats], bases: int | None = None) -> Floats:
        """The positions of several states, (n, V, 3) float32, metres."""
        shapes = np.empty((len(states), self.vertex_count, 3), np.float32)
        for shape, state, y in zip(shapes, states, ys, strict=True):
            shape[:] = self.positions(state, y)
        return shapes

    def coefficients(self, state: ClothState, y: Floats) -> None:
        """None: the networks are not linear."""

    def _carried(self, y: Floats) -> tuple[Doubles, float]:
        """How far the pins are from where they rest, metres: (3,) all together, and each besides, at most."""
        pins = self._coarse_pins
        if not len(pins.vertices):
            return np.zeros(3), 0.0
        moved = pins.positions(y) - self._cloth.rest[pins.vertices]
        together: Doubles = moved.mean(axis=0)
        return together, float(np.abs(moved - together).max())


def _hierarchy(model: Model) -> Hierarchy:
    """The levels, checked to be those of `order`."""
    levels = _whole(model, "levels", 0, 1, most=MOST_LEVELS)
    triangles = model.indices("triangles", -1, 3, below=MOST_COARSE)
    order = model.indices("order", model.info.vertex_count, below=model.info.vertex_count)
    try:
        if len(triangles) * 4**levels > 4 * model.info.vertex_count:
            raise ValueError("more triangles than its vertices can have")
        coarse = level_of(triangles, int(triangles.max()) + 1)
        found = subdivided_levels(coarse, levels)
    except ValueError as error:
        raise damaged(model.path, f"its levels: {error}") from error
    if found[-1].vertex_count != len(order) or len(np.unique(order)) != len(order):
        raise damaged(model.path, "its levels do not lead to its vertices")
    return Hierarchy(found, order)


def _pins(model: Model, vertices: int, values: int) -> Pins:
    if "pins.vertices" not in model.tensors:
        return Pins(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros((0, 3)))
    pinned = model.indices("pins.vertices", -1, below=vertices)
    channels = model.indices("pins.channels", len(pinned), below=values - 2, least=-1)
    return Pins(pinned, channels, model.tensor("pins.anchors", len(pinned), 3).astype(np.float64))


def _whole(model: Model, name: str, usual: int, least: int, *, most: int) -> int:
    value = model.info.settings.get(name, usual)
    if not isinstance(value, int) or not least <= value <= most:
        raise damaged(model.path, f"the setting “{name}” is {value!r:.40}")
    return value

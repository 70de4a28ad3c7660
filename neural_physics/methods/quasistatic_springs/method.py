"""Springs of no length between where a vertex rests in a pose and where it is (Jin et al. 2022).

A target is the paper's x^net (section 3.2): skinning of the rest shape and of what the network of held poses
displaces it by. In a model without that network, d^net is a constant: the rest shape is one that has settled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...interaction.poses import Pose, PosePlaces, pose_in, to_frame, to_world
from ...models.decoding import LinearDecoder
from ...models.model_file import Model, damaged
from ...skinning.keyed_shape import KeyedShape
from ...skinning.of_skin import skinning_of
from ..clipping import LARGEST, LOST, bounded
from .pose_network import PoseNetwork, has_network
from .skin_tensors import skin_in
from .springs import Springs
from .targets import even, segment

LEAST_SHARE = 1e-9  # of what was learned: so near to its target a vertex is on it, for float32
HELD = 4  # targets: those of a step and of the one begun at frames between two steps, and the ones after them


@dataclass(frozen=True, slots=True)
class SpringState:
    """positions x (V, 3) m, velocities (V, 3) m/s, the target (V, 3) m and its velocity m/s; world space.

    What a step begins with (Jin 2022, eqs. 5 and 6).
    outside: the share of the network's inputs at the pose that were clipped to what was trained; springs
    take whatever comes. begun: whether it has moved; before the first step nothing says how it will.
    """

    positions: Floats
    velocities: Floats
    target: Floats
    target_velocity: Floats
    outside: float = 0.0
    begun: bool = True


class QuasistaticSprings:
    """Runs a trained model.

    One of its channels is of kind "pose", one may be of kind "shape_keys". Tensors (V vertices): rest (V, 3),
    metres, what bones carry, in the object's axes; mean (V, 3), metres; those of `skin_tensors`; stiffness
    k_s (V,) 1/s^2, damping k_d (V,) 1/s; those of `PoseNetwork`, where there is one. Settings:
    preserve_volume. Raises Problem("model_damaged").
    """

    look_ahead = 1  # the pose after the next; where it is not known, see `targets`
    extrapolates = True  # the speed of a target follows from y and the one before
    decoder: LinearDecoder | None = None
    basis_count = 0

    def __init__(self, model: Model) -> None:
        info = model.info
        self.dt, self.channels, self.vertex_count = info.dt, info.channels, info.vertex_count
        places = PosePlaces.of(info.channels)
        if places is None:
            raise damaged(model.path, "none of its channels is a pose")
        self._places = places
        self.mean_shape = model.limited_tensor("mean", self.vertex_count, 3, largest=LARGEST)
        rest = model.limited_tensor("rest", self.vertex_count, 3, largest=LARGEST)
        stiffness, damping = (
            model.limited_tensor(name, self.vertex_count) for name in ("stiffness", "damping")
        )
        skin = skin_in(model, places.bones, places.keys)
        try:
            self._learned = self._springs = Springs(stiffness, damping, self.dt)
        except ValueError as error:
            raise damaged(model.path, str(error)) from error
        self._network = PoseNetwork(model, skin, rest) if has_network(model) else None
        self._skinning, self._keyed = skinning_of(skin, rest), KeyedShape(skin)
        size = np.linalg.norm(np.ptp(self.mean_shape, axis=0))
        self._lost = self.vertex_count * float(LOST * size) ** 2  # m^2, of all vertices' distances squared
        self._held: dict[bytes, tuple[Floats, float]] = {}  # targets, by their pose

    unused: frozenset[str] = frozenset()

    def adjust(self, settings: Mapping[str, float | Floats | None]) -> None:
        """See `Adjustable`: how far vertices stray is scaled by "jiggle", times the weights of its group."""
        jiggle, group = settings["jiggle"], settings["jiggle_group"]
        if group is None and jiggle == 1.0:
            self.loosen(None)
        else:
            weights = np.ones(self.vertex_count, np.float32) if group is None else group
            self.loosen(np.asarray(np.float32(jiggle) * weights, np.float32))

    def loosen(self, shares: Floats | None) -> None:
        """Let each vertex stray so many times as far from its target as was learned; None: as far.

        shares (V,), not negative; at 0, and where one is no number, a vertex is on its target. Stiffness is
        divided by a share, damping by its root, so that a swing decays in as many swings as before.
        """
        if shares is None:
            self._springs = self._learned
            return
        held = np.fmax(shares, LEAST_SHARE, dtype=np.float64)
        stiffness, damping = self._learned.stiffness / held, self._learned.damping / np.sqrt(held)
        self._springs = Springs(stiffness, damping, self.dt)

    def targets(self, pose: Pose) -> tuple[Floats, float]:
        """(V, 3) float32, metres, world space: where vertices end up in a pose that is held.

        x^net of Jin 2022, section 3.2, and what shape keys add to it.
        And the share of the network's inputs that were clipped, 0 where there is none.
        """
        outside = 0.0
        if self._network is None:
            target = self._skinning(pose.moves)
        else:
            target, outside = self._network(pose.moves)
        return self._keyed.add_to(target, pose.moves, pose.keys), outside

    def start(self, y: Floats) -> SpringState:
        """All vertices on their targets, at rest unless the first step has a velocity for them."""
        target, outside = self._targets_at(y)
        return SpringState(
            target, np.zeros_like(target), target, np.zeros_like(target), outside=outside, begun=False
        )

    def state_from(
        self,
        positions: Floats,
        positions_before: Floats,
        y: Floats,
        y_before: Floats,
    ) -> SpringState:
        """Both shapes (V, 3) in the world; velocities are the difference between them."""
        pose, before = self._pose(y), self._pose(y_before)
        x, x_before = to_world(pose, positions), to_world(before, positions_before)
        (target, outside), (target_before, _) = self.targets(pose), self.targets(before)
        velocity = even(target_before, target, self.dt)
        return SpringState(x, (x - x_before) / np.float32(self.dt), target, velocity, outside=outside)

    def step(self, state: SpringState, y: Floats, ahead: Sequence[Floats] = ()) -> SpringState:
        """Equations 7 to 13. What looks ahead from the start moves there as its target does.

        Vertices that are `LOST` begin anew as at `start`: from 1e20 m springs bring them back in minutes.
        """
        target, outside = self._targets_at(y)
        after = self._targets_at(ahead[0])[0] if ahead else None
        rides = after is not None and not state.begun
        path = segment(state.target, target, after, None if rides else state.target_velocity, dt=self.dt)
        v = path.start_velocity if rides else state.velocities
        x, v = self._springs.step(state.positions, v, path)
        away = (x - target).ravel()
        # Of numbers that are none this is false, too.
        if not away.dot(away) <= self._lost:
            return self.start(y)
        return SpringState(x, v, target, path.end_velocity, outside=outside)

    def positions(self, state: SpringState, y: Floats, bases: int | None = None) -> Floats:
        """(V, 3) float32, metres, in the reference frame as it is in y. No use of `bases`."""
        return to_frame(self._pose(y), state.positions)

    def shapes(self, states: Sequence[SpringState], ys: Sequence[Floats], bases: int | None = None) -> Floats:
        """The positions of several states, (n, V, 3) float32, metres."""
        return np.stack([self.positions(state, y) for state, y in zip(states, ys, strict=True)])

    def coefficients(self, state: SpringState, y: Floats) -> None:
        """None: nothing is decoded."""

    def _targets_at(self, y: Floats) -> tuple[Floats, float]:
        """The targets of a pose; what one step looks ahead to, the next one steps to."""
        key = y[self._places.where].tobytes() + y[self._places.where_keys].tobytes()
        found = self._held.get(key)
        if found is None:
            found = self._held[key] = self.targets(self._pose(y))
            if len(self._held) > HELD:
                self._held.pop(next(iter(self._held)), None)
        return found

    def _pose(self, y: Floats) -> Pose:
        places = self._places
        return pose_in(bounded(y[places.where]), bounded(y[places.where_keys]))

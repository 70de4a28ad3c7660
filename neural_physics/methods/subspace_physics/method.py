"""Subspace neural physics: a residual network steps PCA coefficients (Holden 2019).

Coefficients are scaled by one factor so that all of them together have unit standard deviation over the
training data ("unit z"), or, in models of earlier versions, each by its own; the decoder's basis carries the
scale.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Floats
from ...models.decoding import LinearDecoder
from ...models.model_file import Model
from ..between_steps import parabola
from ..interaction_subspace import InteractionSubspace
from .network_step import NetworkStep
from .second_opinion import SECOND, SecondOpinion

FAST = "fast"  # the artist's setting
FEW = 4  # states that are stepped sooner one by one


@dataclass(frozen=True, slots=True)
class SubspaceState:
    """z_t, z_{t-1} (u,) and w_t (v,), all float32; outside: the share clipped to reach them.

    second, second_before: the same as z and z_before by the second opinion, where there is one.
    """

    z: Floats
    z_before: Floats
    w: Floats
    outside: float = 0.0
    second: Floats | None = None
    second_before: Floats | None = None


class SubspacePhysics:
    """Runs a trained model.

    Tensors (u bases, V vertices, e interaction values): mean (V, 3), basis (u, V, 3), start (u,),
    y_mean (e,), interaction_basis (v, e), w_low, w_high (v,), those of `NetworkStep`, and of a
    `SecondOpinion`, if any.
    Settings: activation "relu" | "silu"; physics: whether `PhysicalModel` is the initial model in place of
    eq. 1 (beyond the paper); initial_model: whether there is one; residual: whether
    the network adds to it (eq. 3) or predicts z_t itself (the ablation of section 7.2);
    interaction_velocity: whether w_t - w_{t-1} is an input too (beyond the paper).
    """

    look_ahead = 0

    def __init__(self, model: Model) -> None:
        info = model.info
        self.dt, self.channels, self.vertex_count = info.dt, info.channels, info.vertex_count
        mean = model.limited_tensor("mean", self.vertex_count, 3)
        self.decoder = LinearDecoder(mean, model.limited_tensor("basis", -1, self.vertex_count, 3))
        self.mean_shape = self.decoder.mean
        u, e = self.decoder.basis_count, self.channels.size
        self.basis_count = u
        self._start = model.limited_tensor("start", u)
        self._interaction = InteractionSubspace(model, e)
        settings = info.settings
        self.extrapolates = bool(settings.get("interaction_velocity", False))
        v, physics = self._interaction.size, bool(settings.get("physics", False))
        self._step = NetworkStep(model, self.decoder, v, physics=physics)
        has_second = f"{SECOND}layers.0.weight" in model.tensors
        self._second = SecondOpinion(model, self.decoder, v) if has_second else None
        self.unused = frozenset() if has_second else frozenset({FAST})
        self._alone: NetworkStep | None = None  # the second opinion, where it plays alone

    def adjust(self, settings: Mapping[str, float | Floats | None]) -> None:
        """See `Adjustable`: whether the second opinion plays alone."""
        self._alone = self._second.network if settings[FAST] and self._second is not None else None

    def start(self, y: Floats) -> SubspaceState:
        """See `Method`: at rest in the shape training takes began with."""
        return self._at(self._start, self._start, y)

    def state_from(
        self,
        positions: Floats,
        positions_before: Floats,
        y: Floats,
        y_before: Floats,
    ) -> SubspaceState:
        """z = U (x - x_mu) of both shapes (V, 3) (section 5.1); what starts a rollout from the truth."""
        return self._at(self.decoder.project(positions), self.decoder.project(positions_before), y)

    def step(self, state: SubspaceState, y: Floats, ahead: Sequence[Floats] = ()) -> SubspaceState:
        """Equations 1 and 3, their input and output clipped to the training range (section 8.1)."""
        w, outside = self._interaction(y)
        z, count = (self._alone or self._step)(state.z, state.z_before, y, w=w, w_before=state.w)
        u, v = len(z), len(w)
        second = None
        if self._second is not None and state.second is not None and state.second_before is not None:
            network = self._second.network
            second, _ = network(state.second, state.second_before, y, w=w, w_before=state.w)
        return SubspaceState(z, state.z, w, (outside * v + count) / (u + v), second, state.second)

    def another(self) -> SubspacePhysics:
        """See `StepsMany`."""
        other = copy(self)
        other._alone = None
        return other

    @property
    def steps_with(self) -> Hashable:
        """See `StepsMany`: what is learned, and whether the second opinion plays alone."""
        return self._step, self._alone

    def step_many(self, states: Sequence[SubspaceState], ys: Sequence[Floats]) -> list[SubspaceState]:
        """See `StepsMany`: products of matrices and vectors row by row, all else in one go."""
        if len(states) < FEW:
            return [self.step(state, y) for state, y in zip(states, ys, strict=True)]
        y, w_before = np.stack(ys), np.stack([state.w for state in states])
        w, outside = self._interaction.rows(y)
        z, counts = (self._alone or self._step).rows(
            np.stack([state.z for state in states]),
            np.stack([state.z_before for state in states]),
            y,
            w=w,
            w_before=w_before,
        )
        seconds = self._seconds(states, y, w=w, w_before=w_before)
        u, v = z.shape[1], w.shape[1]
        clipped = ((outside * v + counts) / (u + v)).tolist()
        # Copies, so that a state that is kept does not keep those of all the others in memory.
        return [
            SubspaceState(z[row].copy(), state.z, w[row].copy(), clipped[row], seconds.get(row), state.second)
            for row, state in enumerate(states)
        ]

    def between(self, state: SubspaceState, ahead: SubspaceState, share: float) -> SubspaceState:
        """See `Interpolates`."""
        z, second = parabola(state.z_before, state.z, ahead.z, share), None
        if state.second is not None and state.second_before is not None and ahead.second is not None:
            second = parabola(state.second_before, state.second, ahead.second, share)
        return replace(state, z=z, second=second)

    def positions(self, state: SubspaceState, y: Floats, bases: int | None = None) -> Floats:
        """x = x_mu + U^T z (section 6.2), (V, 3) float32, metres; reused by the next call."""
        return self.decoder.decode(state.z, bases)

    def shapes(
        self, states: Sequence[SubspaceState], ys: Sequence[Floats], bases: int | None = None
    ) -> Floats:
        """The positions of several states, (n, V, 3) float32, metres."""
        return self.decoder.decode_many(np.stack([state.z for state in states]), bases)

    def coefficients(self, state: SubspaceState, y: Floats) -> Floats:
        """See `Method`."""
        return state.z

    def expected_error(self, state: SubspaceState | None) -> float | None:
        """See `KnowsItsError`."""
        if self._second is None or state is None or state.second is None:
            return None
        return self._second.expected_error(state.z, state.second)

    def expected_errors(self, state: SubspaceState | None) -> Floats | None:
        """See `KnowsItsError`."""
        if self._second is None or state is None or state.second is None:
            return None
        return self._second.expected_errors(state.z, state.second)

    def _seconds(
        self, states: Sequence[SubspaceState], y: Floats, *, w: Floats, w_before: Floats
    ) -> dict[int, Floats]:
        """What the second opinion says next of the states that have one, by their places; all (n, ·)."""
        said = {
            row: (state.second, state.second_before)
            for row, state in enumerate(states)
            if state.second is not None and state.second_before is not None
        }
        if self._second is None or not said:
            return {}
        rows, (now, before) = list(said), (np.stack(each) for each in zip(*said.values(), strict=True))
        ahead, _ = self._second.network.rows(now, before, y[rows], w=w[rows], w_before=w_before[rows])
        return {row: second.copy() for row, second in zip(rows, ahead, strict=True)}

    def _at(self, z: Floats, z_before: Floats, y: Floats) -> SubspaceState:
        w, outside = self._interaction(y)
        if self._second is None or self._alone is not None:
            return SubspaceState(z, z_before, w, outside)
        return SubspaceState(z, z_before, w, outside, z, z_before)

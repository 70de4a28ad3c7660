"""Linear dynamics: the next coefficients are a linear map of the last two and of the interaction.

The "Linear Regression" of Holden 2019, section 7.2, after de Aguiar et al. 2010. Coefficients z are scaled to
unit standard deviation over the training data, as those of subspace physics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...models.decoding import LinearDecoder
from ...models.model_file import Model, damaged
from ...models.single_thread_products import Product
from ..between_steps import parabola
from ..clipping import clipped
from ..interaction_subspace import InteractionSubspace

MOST_HISTORY = 120  # frames that a step looks back on


@dataclass(frozen=True, slots=True)
class LinearState:
    """z_t, z_{t-1} (u,); w (h, v): w_t, w_{t-1}, ...; all float32. outside: the share that was clipped."""

    z: Floats
    z_before: Floats
    w: Floats
    outside: float = 0.0


class LinearDynamics:
    """Runs a fitted model: z_{t+1} = A z_t + B z_{t-1} + C (w_{t+1}, ..., w_{t+2-h}) + c.

    Tensors (u bases, V vertices, e interaction values, h frames of history): mean (V, 3), basis (u, V, 3),
    start (u,), now (u, u), before (u, u), interaction (u, h v), constant (u,), z_low, z_high (u,), y_mean
    (e,), interaction_basis (v, e), w_low, w_high (v,).
    """

    look_ahead = 0
    extrapolates = True  # y at several steps tells how fast it changes

    def __init__(self, model: Model) -> None:
        info = model.info
        self.dt, self.channels, self.vertex_count = info.dt, info.channels, info.vertex_count
        mean = model.limited_tensor("mean", self.vertex_count, 3)
        self.decoder = LinearDecoder(mean, model.limited_tensor("basis", -1, self.vertex_count, 3))
        self.mean_shape = self.decoder.mean
        u, e = self.decoder.basis_count, self.channels.size
        self.basis_count = u
        self._start = model.limited_tensor("start", u)
        self._z_low, self._z_high = model.limited_tensor("z_low", u), model.limited_tensor("z_high", u)
        self._interaction = InteractionSubspace(model, e)
        v = self._interaction.size
        interaction = model.tensor("interaction", u, -1)
        self._history = interaction.shape[1] // v if v else 0
        model.tensor("interaction", u, self._history * v)  # else a step would not fit
        if self._history > MOST_HISTORY:  # which each state holds a copy of
            raise damaged(model.path, f"it looks back on {self._history:,} frames")
        linear = [model.tensor("now", u, u), model.tensor("before", u, u), interaction]
        self._map = Product(np.ascontiguousarray(np.concatenate(linear, 1).T))
        self._constant = model.tensor("constant", u)
        self._input = np.empty(2 * u + self._history * v, np.float32)

    def start(self, y: Floats) -> LinearState:
        """See `Method`: at rest in the shape training takes began with, as if y had always been this."""
        w, outside = self._interaction(y)
        return LinearState(self._start, self._start, np.repeat(w[None], self._history, 0), outside)

    def state_from(
        self,
        positions: Floats,
        positions_before: Floats,
        y: Floats,
        y_before: Floats,
    ) -> LinearState:
        """z = U (x - x_mu) of both shapes (V, 3); before them, y is taken to have stood still."""
        (w, outside), (w_before, _) = self._interaction(y), self._interaction(y_before)
        past = np.repeat(w_before[None], self._history, 0)
        past[:1] = w
        return LinearState(
            self.decoder.project(positions), self.decoder.project(positions_before), past, outside
        )

    def step(self, state: LinearState, y: Floats, ahead: Sequence[Floats] = ()) -> LinearState:
        """The linear map, its input and output clipped to the training range (Holden 2019, section 8.1)."""
        w, outside = self._interaction(y)
        u, v = len(state.z), len(w)
        past = np.concatenate((w[None], state.w[:-1])) if self._history else state.w
        x = self._input
        x[:u], x[u : 2 * u], x[2 * u :] = state.z, state.z_before, past.reshape(-1)
        z, count = clipped(self._map(x) + self._constant, self._z_low, self._z_high)
        return LinearState(z, state.z, past, (outside * v + count) / (u + v))

    def between(self, state: LinearState, ahead: LinearState, share: float) -> LinearState:
        """See `Interpolates`."""
        z = parabola(state.z_before, state.z, ahead.z, share)
        return LinearState(z, state.z_before, state.w, state.outside)

    def positions(self, state: LinearState, y: Floats, bases: int | None = None) -> Floats:
        """x = x_mu + U^T z, (V, 3) float32, metres; reused by the next call."""
        return self.decoder.decode(state.z, bases)

    def shapes(self, states: Sequence[LinearState], ys: Sequence[Floats], bases: int | None = None) -> Floats:
        """The positions of several states, (n, V, 3) float32, metres."""
        return self.decoder.decode_many(np.stack([state.z for state in states]), bases)

    def coefficients(self, state: LinearState, y: Floats) -> Floats:
        """See `Method`."""
        return state.z

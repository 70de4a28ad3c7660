"""Subspace neural physics: a residual network steps PCA coefficients (Holden 2019).

Coefficients are scaled by one factor so that all of them together have unit standard deviation over the
training data ("unit z"), or, in models of earlier versions, each by its own; the decoder's basis carries the
scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...models.decoding import LinearDecoder
from ...models.model_file import Model
from ..between_steps import parabola
from ..clipping import clipped
from ..interaction_subspace import InteractionSubspace
from ..perceptron import Perceptron
from .initial_model import InitialModel, LastState
from .physical_model import PhysicalModel


@dataclass(frozen=True, slots=True)
class SubspaceState:
    """z_t, z_{t-1} (u,) and w_t (v,), all float32; outside: the share clipped to reach them."""

    z: Floats
    z_before: Floats
    w: Floats
    outside: float = 0.0


class SubspacePhysics:
    """Runs a trained model.

    Tensors (u bases, V vertices, e interaction values): mean (V, 3), basis (u, V, 3), start (u,),
    z_low, z_high (u,), y_mean (e,), interaction_basis (v, e), w_low, w_high (v,), layers.K.weight
    (out, in), layers.K.bias (out,), and those of the initial model.
    Settings: activation "relu" | "silu"; physics: whether `PhysicalModel` is the initial model in place of
    eq. 1 (beyond the paper); initial_model: whether there is one; residual: whether
    the network adds to it (eq. 3) or predicts z_t itself (the ablation of section 7.2);
    interaction_velocity: whether w_t - w_{t-1} is an input too (beyond the paper).
    """

    look_ahead = 0

    def __init__(self, model: Model) -> None:
        info = model.info
        self.dt, self.channels, self.vertex_count = info.dt, info.channels, info.vertex_count
        mean = model.tensor("mean", self.vertex_count, 3)
        self.decoder = LinearDecoder(mean, model.tensor("basis", -1, self.vertex_count, 3))
        self.mean_shape = self.decoder.mean
        u, e = self.decoder.basis_count, self.channels.size
        self.basis_count = u
        self._start = model.tensor("start", u)
        self._z_low, self._z_high = model.tensor("z_low", u), model.tensor("z_high", u)
        self._interaction = InteractionSubspace(model, e)
        v = self._interaction.size
        settings = info.settings
        self._initial: PhysicalModel | InitialModel | LastState
        if settings.get("physics", False):
            self._initial = PhysicalModel(model, self.decoder, e)
        elif settings.get("initial_model", True):
            self._initial = InitialModel(model, u)
        else:
            self._initial = LastState()
        self._residual = bool(settings.get("residual", True))
        self._interaction_velocity = bool(settings.get("interaction_velocity", False))
        self.extrapolates = self._interaction_velocity
        inputs = 2 * u + self._initial.features + v * (2 if self._interaction_velocity else 1)
        self._network = Perceptron(model, str(settings.get("activation", "relu")), inputs, u)
        self._input = np.empty(inputs, np.float32)

    def start(self, y: Floats) -> SubspaceState:
        """See `Method`: at rest in the shape training takes began with."""
        w, outside = self._interaction(y)
        return SubspaceState(self._start, self._start, w, outside)

    def state_from(
        self,
        positions: Floats,
        positions_before: Floats,
        y: Floats,
        y_before: Floats,
    ) -> SubspaceState:
        """z = U (x - x_mu) of both shapes (V, 3) (section 5.1); what starts a rollout from the truth."""
        w, outside = self._interaction(y)
        z, z_before = self.decoder.project(positions), self.decoder.project(positions_before)
        return SubspaceState(z, z_before, w, outside)

    def step(self, state: SubspaceState, y: Floats, ahead: Sequence[Floats] = ()) -> SubspaceState:
        """Equations 1 and 3, their input and output clipped to the training range (section 8.1)."""
        w, outside = self._interaction(y)
        z_bar, push = self._initial(state.z, state.z_before, y)
        u, v, x = len(z_bar), len(w), self._input
        states = 2 * u + len(push)
        x[:u], x[u : 2 * u], x[2 * u : states], x[states : states + v] = z_bar, state.z, push, w
        if self._interaction_velocity:
            np.subtract(w, state.w, out=x[states + v :])
        z = self._network(x)
        if self._residual:
            z += z_bar
        within, count = clipped(z, self._z_low, self._z_high)
        share = (outside * v + count) / (u + v)
        return SubspaceState(within, state.z, w, share)

    def between(self, state: SubspaceState, ahead: SubspaceState, share: float) -> SubspaceState:
        """See `Interpolates`."""
        z = parabola(state.z_before, state.z, ahead.z, share)
        return SubspaceState(z, state.z_before, state.w, state.outside)

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

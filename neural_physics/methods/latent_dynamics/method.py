"""Latent dynamics: a network integrates a few latents, another makes features of them (Li et al. 2025).

x = mean + basis . [c, f]: the features f = D(z) are the last layer of the decoder before its PCA bases, and
c, linear in y, carries the body along with the pins it hangs on: all that touches a vertex is linear, so
that the graphics card can do it, and with fewer bases pins stay where they belong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...models.decoding import LinearDecoder
from ...models.model_file import Model, damaged
from ...models.single_thread_products import Product
from ..clipping import bounded, clipped
from ..perceptron import Perceptron

ACTIVATION = "silu"


@dataclass(frozen=True, slots=True)
class LatentState:
    """z_t, z_{t-1} (L,) and s_t, s_{t-1} (v,), all float32; outside: the share clipped to reach them."""

    z: Floats
    z_before: Floats
    s: Floats
    s_before: Floats
    outside: float = 0.0


class LatentDynamics:
    """Runs a trained model.

    Tensors (L latents, F features, r offsets, V vertices, e interaction values, v boundary values, and
    i = 2 L + 3 v inputs): mean (V, 3), basis (r + F, V, 3), start_latents (L,), y_mean (e,), boundary (v, e),
    offsets (r, e) where r is not 0; encoder.K.weight and .bias from F to L, encoder.around (L, F); decoder.K
    from L to F, decoder.around (F, L); layers.K from i to L, linear (L, i); input_mean, input_scale,
    input_low, input_high (i,); z_low, z_high (L,).
    """

    look_ahead = 0
    extrapolates = True

    def __init__(self, model: Model) -> None:
        info = model.info
        self.dt, self.channels, self.vertex_count = info.dt, info.channels, info.vertex_count
        mean = model.limited_tensor("mean", self.vertex_count, 3)
        self.decoder = LinearDecoder(mean, model.limited_tensor("basis", -1, self.vertex_count, 3))
        self.mean_shape = self.decoder.mean
        self.basis_count, e = self.decoder.basis_count, self.channels.size
        self._start = model.limited_tensor("start_latents", -1)
        latents = len(self._start)
        self._y_mean = model.tensor("y_mean", e)
        boundary = model.tensor("boundary", -1, e)
        v = len(boundary)
        self._boundary = Product(boundary.T)
        self._offsets = Product(model.tensor("offsets", -1, e).T) if "offsets" in model.tensors else None
        moved = 0 if self._offsets is None else len(self._offsets.matrix[0])
        self._moved = moved  # the first of the bases
        f, inputs = self.basis_count - moved, 2 * latents + 3 * v
        if f < 1:
            raise damaged(model.path, "it has more offsets than bases")
        self._encode = Perceptron(model, ACTIVATION, f, latents, name="encoder", residual=True)
        self._decode = Perceptron(model, ACTIVATION, latents, f, name="decoder", residual=True)
        self._into = Product(model.tensor("encoder.around", latents, f).T)
        self._back = Product(model.tensor("decoder.around", f, latents).T)
        self._integrate = Perceptron(model, ACTIVATION, inputs, latents, residual=True)
        self._linear = Product(model.tensor("linear", latents, inputs).T)
        self._mean, self._scale = model.tensor("input_mean", inputs), model.tensor("input_scale", inputs)
        self._low, self._high = model.tensor("input_low", inputs), model.tensor("input_high", inputs)
        self._z_low, self._z_high = (
            model.limited_tensor("z_low", latents),
            model.limited_tensor("z_high", latents),
        )
        self._used = max(1, int(np.count_nonzero(self._scale)))
        self._raw = np.empty(inputs, np.float32)

    def start(self, y: Floats) -> LatentState:
        """See `Method`: at rest in the shape training takes began with, on pins that stand as y has them."""
        s = self._acting(y)
        return LatentState(self._start, self._start, s, s)

    def state_from(
        self,
        positions: Floats,
        positions_before: Floats,
        y: Floats,
        y_before: Floats,
    ) -> LatentState:
        """z = E(x) of both shapes (V, 3), as seen from their pins; what starts a rollout from the truth."""
        z, z_before = self._encoded(positions, y), self._encoded(positions_before, y_before)
        return LatentState(z, z_before, self._acting(y), self._acting(y_before))

    def step(self, state: LatentState, y: Floats, ahead: Sequence[Floats] = ()) -> LatentState:
        """Equation 3, its input and output clipped to the training range."""
        s, z = self._acting(y), state.z
        latents, v, x = len(z), len(s), self._raw
        change, before = s - state.s, state.s - state.s_before
        x[:latents] = z
        np.subtract(z, state.z_before, out=x[latents : 2 * latents])
        first = 2 * latents
        for part in (s, change, change - before):
            x[first : first + v] = part
            first += v
        x -= self._mean
        x *= self._scale
        within, count = clipped(x, self._low, self._high)
        result = self._integrate(within)
        result += self._linear(within)
        inside, more = clipped(result, self._z_low, self._z_high)
        outside = (count + more) / (self._used + latents)
        return LatentState(inside, z, s, state.s, outside=outside)

    def positions(self, state: LatentState, y: Floats, bases: int | None = None) -> Floats:
        """x = mean + basis . [c(y), D(z)], (V, 3) float32, metres; reused by the next call."""
        return self.decoder.decode(self.coefficients(state, y), bases)

    def shapes(self, states: Sequence[LatentState], ys: Sequence[Floats], bases: int | None = None) -> Floats:
        """The positions of several states, (n, V, 3) float32, metres."""
        rows = [self.coefficients(*each) for each in zip(states, ys, strict=True)]
        return self.decoder.decode_many(np.stack(rows), bases)

    def coefficients(self, state: LatentState, y: Floats) -> Floats:
        """(r + F,): how far the pins have gone, then the features of the shape; for `decoder`."""
        result = np.empty(self.basis_count, np.float32)
        features = result[self._moved :]
        np.add(self._decode(state.z), self._back(state.z), out=features)
        if self._offsets is not None:
            result[: self._moved] = self._offsets(y - self._y_mean)
        return bounded(result)

    def _acting(self, y: Floats) -> Floats:
        """s (v,)."""
        return bounded(self._boundary(y - self._y_mean).copy())

    def _encoded(self, positions: Floats, y: Floats) -> Floats:
        if self._offsets is not None:
            offsets = self.decoder.decode(bounded(self._offsets(y - self._y_mean)), self._moved)
            positions = positions - (offsets - self.decoder.mean)
        features = self._plain.project(positions)
        z = self._encode(features)
        z += self._into(features)
        return bounded(z)

    @property
    def _plain(self) -> LinearDecoder:
        """The decoder without its offsets, made when it is first asked for: Play never does."""
        if self._only_features is None:
            basis = self.decoder.basis[self._moved :].reshape(self.basis_count - self._moved, -1, 3)
            self._only_features = LinearDecoder(self.decoder.mean, basis)
        return self._only_features

    _only_features: LinearDecoder | None = None

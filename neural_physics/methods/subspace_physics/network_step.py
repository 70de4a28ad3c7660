"""One step of Holden 2019, equations 1 and 3: a guess, and the network that adds what it misses."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Indices
from ...models.decoding import LinearDecoder
from ...models.model_file import Model
from ..clipping import clipped, clipped_rows
from ..perceptron import Perceptron
from .initial_model import InitialModel, LastState
from .physical_model import PhysicalModel


class NetworkStep:
    """z_t from z_{t-1}, z_{t-2} and the interaction, clipped to the trained range (section 8.1).

    Tensors (u bases): z_low, z_high (u,), layers.K.weight (out, in), layers.K.bias (out,), and those of the
    initial model. Settings: those of `SubspacePhysics`.
    """

    def __init__(
        self, model: Model, decoder: LinearDecoder, v: int, *, physics: bool, name: str = ""
    ) -> None:
        """name: before the tensors' names. Raises Problem("model_damaged")."""
        u, settings = decoder.basis_count, model.info.settings
        self._z_low, self._z_high = model.limited_tensor("z_low", u), model.limited_tensor("z_high", u)
        self._initial: PhysicalModel | InitialModel | LastState
        if physics:
            self._initial = PhysicalModel(model, decoder, model.info.channels.size)
        elif settings.get("initial_model", True):
            self._initial = InitialModel(model, u, name)
        else:
            self._initial = LastState()
        self._residual = bool(settings.get("residual", True))
        self._interaction_velocity = bool(settings.get("interaction_velocity", False))
        self._inputs = 2 * u + self._initial.features + v * (2 if self._interaction_velocity else 1)
        activation = str(settings.get("activation", "relu"))
        self._network = Perceptron(model, activation, self._inputs, u, name=f"{name}layers")
        self._input = np.empty(self._inputs, np.float32)

    def __call__(
        self, z: Floats, z_before: Floats, y: Floats, *, w: Floats, w_before: Floats
    ) -> tuple[Floats, int]:
        """z_t (u,), and how many of its numbers were clipped; y (e,), w (v,) of the step's end."""
        ahead = self._ahead(z, z_before, y, w=w, w_before=w_before, x=self._input)
        return clipped(ahead, self._z_low, self._z_high)

    def rows(
        self, z: Floats, z_before: Floats, y: Floats, *, w: Floats, w_before: Floats
    ) -> tuple[Floats, Indices]:
        """The same of n states at once, bit for bit: all (n, ·); z_t (n, u), and the numbers clipped (n,)."""
        x = np.empty((len(z), self._inputs), np.float32)
        ahead = self._ahead(z, z_before, y, w=w, w_before=w_before, x=x)
        return clipped_rows(ahead, self._z_low, self._z_high)

    def _ahead(
        self, z: Floats, z_before: Floats, y: Floats, *, w: Floats, w_before: Floats, x: Floats
    ) -> Floats:
        """z_t before it is clipped, of one state or of n; x: for the input of the network."""
        z_bar, push = self._initial(z, z_before, y)
        u, v = z_bar.shape[-1], w.shape[-1]
        states = 2 * u + push.shape[-1]
        x[..., :u], x[..., u : 2 * u], x[..., 2 * u : states] = z_bar, z, push
        x[..., states : states + v] = w
        if self._interaction_velocity:
            np.subtract(w, w_before, out=x[..., states + v :])
        ahead = self._network(x)
        if self._residual:
            ahead += z_bar
        return ahead

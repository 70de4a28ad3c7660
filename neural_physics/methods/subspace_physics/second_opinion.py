"""A second, smaller model that goes its own way: where the two are apart, neither is to be trusted.

It is no part of Holden 2019. Two networks that learned the same takes agree where these teach what happens,
and fall apart where they do not, or where a hem may go over a ball or under it.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...models.decoding import LinearDecoder
from ...models.model_file import Model
from ...models.vertex_error import LARGEST, vertex_error
from .network_step import NetworkStep

SECOND = "second."  # before the names of its tensors


class SecondOpinion:
    """network: its steps.

    Tensors: those of a `NetworkStep` with eq. 1, named second.*; second.error (2,): what is expected where
    the two agree, metres, and what is added for each metre that they are apart.
    """

    def __init__(self, model: Model, decoder: LinearDecoder, v: int) -> None:
        """Raises Problem("model_damaged")."""
        self.network = NetworkStep(model, decoder, v, physics=False, name=SECOND)
        self._decoder = decoder
        said = model.limited_tensor(f"{SECOND}error", 2, largest=LARGEST)
        self._agreed, self._apart = (float(each) for each in said)
        basis = decoder.basis
        self._squares = np.square(basis).sum(1) / np.float32(len(decoder.mean))
        usual = vertex_error(model)
        usual = np.ones(len(decoder.mean), np.float32) if usual is None else usual
        self._shares = usual / np.sqrt(max(float(np.square(usual).mean()), 1e-30))

    def expected_error(self, z: Floats, second: Floats) -> float:
        """Metres, over all vertices, from both z (u,); the bases are orthogonal, as PCA's are."""
        apart = float(np.square(z - second) @ self._squares) ** 0.5
        return self._agreed + self._apart * min(
            LARGEST, apart
        )  # in this order what is no number is the first

    def expected_errors(self, z: Floats, second: Floats) -> Floats:
        """(V,) float32, metres: where vertices are apart, and where they are usually off."""
        one, other = self._decoder.decode_many(np.stack([z, second]))
        apart = np.fmin(np.linalg.norm(one - other, axis=1), np.float32(LARGEST))
        return (self._agreed * self._shares + self._apart * apart).astype(np.float32)

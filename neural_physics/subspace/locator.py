"""Where a collider would be if the body were at rest: what the external correction is told of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..energies.deformation import cofactor, determinant
from .handles import Handles

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

NEAR = 0.05  # of the body's size: how far beyond the nearest vertex others have a say
FLATTEST = 0.1  # the least volume, as a share of that at rest, that is taken for one


class Locator:
    """A(q)^-1 z, with A the blend's own map around the vertices that are nearest to z.

    Exact, and without any choice of vertices, where the blend is affine.
    """

    def __init__(self, handles: Handles, vertices: Indices) -> None:
        """vertices: those of the surface that colliders touch."""
        self._handles = handles.at(vertices)
        self._rest = self._handles.positions(handles.rest)
        self._scale = NEAR * float(np.linalg.norm(np.ptp(self._rest, axis=0)))

    def __call__(self, place: Array, q: Array, turn: Array | None = None) -> tuple[Array, Array]:
        """(d,) m, of a place (d,) with the handles at Q (h, d), and its derivatives by the free ones.

        turn (d, d): of the collider's axes. Then all but the last of these follow, as they would be, one
        after the other: (d d,). The derivatives, (d, n, d) or (d d, n, d), leave out that the share of each
        vertex changes with Q, and those of the place that F does.
        """
        handles = self._handles
        away = place - handles.positions(q)
        distances = np.linalg.norm(away, axis=1)
        shares = np.exp((distances.min() - distances) / self._scale)
        shares /= shares.sum()
        f = handles.deformation(q)
        inverse = cofactor(f).swapaxes(1, 2) / np.maximum(determinant(f), FLATTEST)[:, None, None]
        found: Array = shares @ (self._rest + (inverse @ away[:, :, None])[:, :, 0])
        weights = shares[:, None] * handles.weights[:, : handles.free]
        slopes = -np.einsum("vab,vn->anb", inverse, weights)
        if turn is None:
            return found, slopes
        axes = inverse @ turn[:, :-1]
        # d(F^-1) = -F^-1 dF F^-1
        leaning = np.einsum("v,vck,vcn->vkn", shares, axes, handles.gradients[:, :, : handles.free])
        turning = -np.einsum("vab,vkn->kanb", inverse, leaning)
        turned = np.einsum("v,vak->ka", shares, axes)
        return np.append(found, turned), np.concatenate([slopes, turning.reshape(-1, *slopes.shape[1:])])

"""Where a collider would be if the body were at rest: the input of the external correction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices
from ...energies.colliders.collider import Collider
from ...energies.colliders.polygon import Polygon
from ...energies.solids.deformation import cofactor, determinant
from .handles import Handles

NEAR = 0.05  # of the body's size: how far beyond the nearest vertex others count
FLATTEST = 0.1  # the least volume, as a share of that at rest, that is taken for one


@dataclass(frozen=True)
class Seen:
    """What is looked for of a collider: places (k, d), m, and axes (d, d - 1), None where none matter."""

    places: Doubles
    axes: Doubles | None = None


def seen_of(shape: Collider, centre: Doubles, turn: Doubles, *, oriented: bool) -> Seen:
    """What is seen of a collider at centre (d,), turned by (d, d): its middle, and all but the last axis
    where it turns.

    For a polygon, which may be as wide as the body, its marks: what is under one end of it is not what is
    under the other, and how it is turned is seen by them.
    """
    if isinstance(shape, Polygon):
        return Seen(centre + shape.marks @ turn.T)
    return Seen(centre[None], turn[:, :-1] if oriented else None)


def feature_count(shape: Collider, *, oriented: bool) -> int:
    """How many numbers the locator gives for such a collider."""
    d = shape.dimension
    seen = seen_of(shape, np.zeros(d), np.eye(d), oriented=oriented)
    return seen.places.size + (0 if seen.axes is None else seen.axes.size)


class Locator:
    """A(q)^-1 z, with A the blend's own map around the vertices that are nearest to z.

    Eq. 7 of Romero 2021, whose A is rigid.
    Exact, and without any choice of vertices, where the blend is affine.
    """

    def __init__(self, handles: Handles, vertices: Indices) -> None:
        """vertices: those of the surface that colliders touch."""
        self._handles = handles.at(vertices)
        self.rest = self._handles.positions(handles.rest)
        self.scale = NEAR * float(np.linalg.norm(np.ptp(self.rest, axis=0)))

    def __call__(self, seen: Seen, q: Doubles) -> tuple[Doubles, Doubles]:
        """(i,) m, of what is seen with the handles at Q (h, d), and its derivatives (i, n, d) by free ones.

        Where the places would be, one after the other, and then the axes, as they would be from the first.
        """
        handles = self._handles
        away = seen.places[:, None] - handles.positions(q)
        distances = np.linalg.norm(away, axis=2)
        shares = np.exp((distances.min(1, keepdims=True) - distances) / self.scale)
        shares /= shares.sum(1, keepdims=True)
        f = handles.deformation(q)
        inverse = cofactor(f).swapaxes(1, 2) / np.maximum(determinant(f), FLATTEST)[:, None, None]
        at = self.rest + (inverse @ away[:, :, :, None])[..., 0]
        found = np.einsum("kv,kva->ka", shares, at)
        weights, gradients = handles.weights[:, : handles.free], handles.gradients[:, :, : handles.free]
        # The nearer a vertex comes, the larger is its share.
        nearing = away / (self.scale * np.maximum(distances, np.finfo(float).tiny))[:, :, None]

        def changing(share: Doubles, off: Doubles, leaning: Doubles, nearing: Doubles) -> Doubles:
            """(i, n, d), of the mean of what is off it by (v, i) at vertices, and goes along with -F^-1."""
            less = np.einsum("v,vab,vn->anb", share, inverse, leaning)
            more = np.einsum("v,va,vb,vn->anb", share, off, nearing, weights, optimize=True)
            return np.asarray(more - less)

        slopes = list[Doubles]()
        for share, place, mean, towards in zip(shares, at, found, nearing, strict=True):
            # d(F^-1) = -F^-1 dF F^-1
            leaning = weights + np.einsum("vc,vcn->vn", place - self.rest, gradients)
            slopes.append(changing(share, place - mean, leaning, towards))
        if seen.axes is None:
            return found.ravel(), np.concatenate(slopes)
        turned = list[Doubles]()
        for axis in seen.axes.T:
            along = inverse @ axis
            turned.append(shares[0] @ along)
            leaning = np.einsum("vc,vcn->vn", along, gradients)
            slopes.append(changing(shares[0], along - turned[-1], leaning, nearing[0]))
        return np.append(found, turned), np.concatenate(slopes)

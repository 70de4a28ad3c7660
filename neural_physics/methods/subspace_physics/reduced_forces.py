"""Forces in the bases, from a few hundred springs and vertices of the mesh.

All are times dt^2, and of a mesh whose vertices each have unit mass. What is said of one state, with arrays
(u,) and (e,), goes for n states at once, with (n, u) and (n, e): each row bit for bit as it is alone.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Indices
from ...models.decoding import LinearDecoder
from ...models.model_file import Model, damaged
from ...models.single_thread_products import Product, weighted_sum

ONE, LEAST = np.float32(1.0), np.float32(1e-12)
# A file may be anybody's, and names vertices as often as it likes: some times as many as trainings make.
MOST_SPRINGS, MOST_POINTS, MOST_BALLS = 2048, 2048, 256


class ReducedSprings:
    """f(q): springs between pairs of vertices, softer where they are shorter than at rest.

    Tensors (E springs): physics.springs (E, 2) int32, vertices; physics.lengths (E,), metres, at rest;
    physics.stretch, physics.compression (E,): stiffness of longer and of shorter ones.
    """

    def __init__(self, model: Model, decoder: LinearDecoder) -> None:
        """Raises Problem("model_damaged")."""
        u, vertices = decoder.basis_count, len(decoder.mean)
        ends = _no_more_than(MOST_SPRINGS, model, "physics.springs", -1, 2, below=vertices)
        self._lengths = model.tensor("physics.lengths", len(ends))
        self._stretch = model.tensor("physics.stretch", len(ends))
        self._compression = model.tensor("physics.compression", len(ends))
        basis, mean = decoder.basis.reshape(u, vertices, 3), decoder.mean
        along = by_axis(basis[:, ends[:, 0]] - basis[:, ends[:, 1]])
        self._along, self._back = Product(along), Product(along.T)
        self._mean = np.ascontiguousarray((mean[ends[:, 0]] - mean[ends[:, 1]]).T)

    def __call__(self, q: Floats) -> Floats:
        """How far the springs are from rest at q (u,), as a force that the motion resists: (u,), reused."""
        along = self._along(q).reshape(*q.shape[:-1], *self._mean.shape)
        along += self._mean
        squares = _squared_lengths(along)
        np.maximum(squares, LEAST, out=squares)
        ratio = np.divide(self._lengths, np.sqrt(squares, out=squares), out=squares)
        force = np.where(ratio < ONE, self._stretch, self._compression)
        force *= np.subtract(ONE, ratio, out=ratio)
        along *= force[..., None, :]
        return self._back(along.reshape(*q.shape[:-1], -1))


class ReducedContact:
    """p(q): balls push the vertices that are inside them to their surface.

    Tensors (P vertices, C balls): physics.points (P,) int32, vertices; physics.push (1,): stiffness;
    physics.centres (C,) int32: where each centre begins in y; physics.radii (C,), metres.
    """

    def __init__(self, model: Model, decoder: LinearDecoder, values: int) -> None:
        """values: length of y. Raises Problem("model_damaged")."""
        u, vertices = decoder.basis_count, len(decoder.mean)
        points = _no_more_than(MOST_POINTS, model, "physics.points", -1, below=vertices)
        centres = _no_more_than(MOST_BALLS, model, "physics.centres", -1, below=values - 2)
        self._centres = [int(at) for at in centres]
        self._radii = model.tensor("physics.radii", len(self._centres))
        basis = decoder.basis.reshape(u, vertices, 3)[:, points]
        self._places = Product(by_axis(basis))
        self._of_points = np.ascontiguousarray(basis.transpose(1, 2, 0)) * model.tensor("physics.push", 1)
        self._mean = np.ascontiguousarray(decoder.mean[points].T)

    def __call__(self, q: Floats, y: Floats) -> Floats:
        """(u,)."""
        places = self._places(q).reshape(*q.shape[:-1], *self._mean.shape)
        places += self._mean
        total = np.zeros((*q.shape[:-1], self._of_points.shape[-1]), np.float32)
        for first, radius in zip(self._centres, self._radii, strict=True):
            away = places - y[..., first : first + 3, None]
            squares = _squared_lengths(away)
            inside = squares < radius * radius
            # Which points are inside, and so how much there is to do, differs from state to state.
            for state in [()] if q.ndim == 1 else np.flatnonzero(inside.any(1)):
                within = np.flatnonzero(inside[state])
                if len(within):
                    total[state] += self._push(away[state], squares[state], within, radius)
        return total

    def _push(self, away: Floats, squares: Floats, inside: Indices, radius: Floats) -> Floats:
        """(u,): the push of one ball; away (3, P): from its centre."""
        depth = radius / np.sqrt(np.maximum(squares[inside], LEAST)) - ONE
        push = (away[:, inside] * depth).T.reshape(-1)
        return weighted_sum(push, self._of_points[inside].reshape(len(push), -1))


def _no_more_than(most: int, model: Model, name: str, *shape: int, below: int) -> Indices:
    """Indices of a tensor. Raises Problem("model_damaged")."""
    found = model.indices(name, *shape, below=below)
    if len(found) > most:
        raise damaged(model.path, f"{name} has {len(found):,} of them")
    return found


def _squared_lengths(x: Floats) -> Floats:
    """(..., n) of x (..., 3, n), added in the same order whatever there is before."""
    squares = np.square(x)
    total = squares[..., 0, :] + squares[..., 1, :]
    total += squares[..., 2, :]
    return total


def by_axis(x: Floats) -> Floats:
    """(u, n, 3) as (u, 3 n): all first coordinates, then all second, then all third ones."""
    return np.ascontiguousarray(x.transpose(0, 2, 1).reshape(len(x), -1))

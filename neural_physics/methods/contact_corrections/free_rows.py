"""How the free rows of Q may go: points by themselves, the corners of a frame as one (Romero 2021, 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Doubles, Indices
from .handles import Handles, rigid_fit


@dataclass(frozen=True)
class FreeRows:
    """rest (n, d) m: the free rows at rest, those of `frames` frames last, d + 1 corners each.

    A frame turns about its first corner, by which it can be held. Its corners would else be drawn apart in
    a step, against the stiffness of what is in it, and no step of Newton's would lead back.
    """

    rest: Doubles
    frames: int

    @classmethod
    def of(cls, handles: Handles) -> FreeRows:
        """The free rows of handles."""
        return cls(handles.rest[: handles.free], handles.loose)

    def rigid(self, q: Doubles) -> Doubles:
        """q (n, d) with each frame only turned and shifted, as near as can be."""
        if not self.frames:
            return q
        q = q.copy()
        for rows in self._corners():
            rotation, place = rigid_fit(self.rest[rows], q[rows])
            q[rows] = (self.rest[rows] - self.rest[rows].mean(0)) @ rotation.T + place
        return q

    def holding(self, q: Doubles, held: Indices, places: Doubles) -> Doubles:
        """q (n, d) with rows held (g,) in their places (g, d); frames go along with their first corners."""
        if not len(held):
            return q
        moved = q.copy()
        moved[held] = places
        for rows in self._corners():
            first = rows.start
            moved[first + 1 : rows.stop] += moved[first] - q[first]
        return moved

    def admissible_directions(self, q: Doubles, held: Indices) -> Doubles | Indices | slice:
        """Along what the free rows go: a matrix (d n, m), or, without frames, which of their coordinates."""
        count, d = q.shape
        if not self.frames:
            if not len(held):
                return slice(None)
            free = np.ones((count, d), bool)
            free[held] = False
            return np.flatnonzero(free)
        every = np.eye(count * d).reshape(count * d, count, d)
        points = np.setdiff1d(np.arange(count - len(self._corners()) * (d + 1)), held)
        found = [every[d * row + axis] for row in points for axis in range(d)]
        for rows in self._corners():
            if rows.start not in held:
                found += [self._spread(rows, np.eye(d)[axis]) for axis in range(d)]
            arms = q[rows] - q[rows.start]
            found += [self._spread(rows, arms @ turn.T) for turn in _turns(d)]
        return np.stack(found, -1).reshape(count * d, -1) if found else np.zeros((count * d, 0))

    def moved(self, q: Doubles, held: Indices, move: Doubles) -> Doubles:
        """q (n, d), gone by (m,) along its admissible directions; frames turn, and are not sheared."""
        directions = self.admissible_directions(q, held)
        flat = q.ravel().copy()
        if not isinstance(directions, np.ndarray) or directions.ndim == 1:
            flat[directions] += move
            return flat.reshape(q.shape)
        after = (flat + directions @ move).reshape(q.shape)
        last, turns = len(move), _turns(q.shape[1])
        for rows in reversed(self._corners()):
            turn = np.einsum("k,kij->ij", move[last - len(turns) : last], turns)
            last -= len(turns) + (0 if rows.start in held else q.shape[1])
            after[rows] = after[rows.start] + (q[rows] - q[rows.start]) @ _rotation(turn).T
        return after

    def _corners(self) -> list[slice]:
        count, d = self.rest.shape
        first = count - self.frames * (d + 1)
        return [slice(k, k + d + 1) for k in range(first, count, d + 1)]

    def _spread(self, rows: slice, values: Doubles) -> Doubles:
        way = np.zeros(self.rest.shape)
        way[rows] = values
        return way


def _turns(d: int) -> Doubles:
    """(k, d, d): the derivatives of a rotation by its angles: about the plane's normal, or the three axes."""
    if d == 2:
        return np.array([[[0.0, -1.0], [1.0, 0.0]]])
    return np.array([np.cross(axis, np.eye(3)).T for axis in np.eye(3)])


def _rotation(turn: Doubles) -> Doubles:
    """The rotation whose logarithm is an antisymmetric (d, d)."""
    angle = float(np.sqrt(0.5 * (turn * turn).sum()))
    small = angle < 1e-6
    by_sine = 1.0 if small else np.sin(angle) / angle
    by_cosine = 0.5 if small else (1.0 - np.cos(angle)) / angle**2
    found: Doubles = np.eye(len(turn)) + by_sine * turn + by_cosine * (turn @ turn)
    return found

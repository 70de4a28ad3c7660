"""Actions in world space, what is played of them, and how far that is from the simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.quasistatic_springs.scenes import STANDING
from learning.training.spans import Span
from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.poses import Pose
from neural_physics.methods.quasistatic_springs.springs import Springs
from neural_physics.methods.quasistatic_springs.targets import segment

Floats = NDArray[np.float32]
Reals = NDArray[np.float64]

GUESSES = ((2.0, 0.1), (5.0, 0.3), (12.0, 0.7))  # Hz, of critical damping


@dataclass(frozen=True)
class Action:
    """The frames of a take from where the character stands on.

    poses: of each. true (N, V, 3) float32, metres, world space: where the simulation has the vertices.
    """

    poses: list[Pose]
    true: Floats

    @classmethod
    def of(cls, dataset: Dataset, take: str) -> Action:
        """Read a take of a dataset by name, from the frame where the character stands on."""
        found = dataset.take(take)
        pairs = list(RigTakes.of(dataset).frames(Span(found, STANDING, len(found.positions))))
        return cls([pose for pose, _ in pairs], np.stack([x for _, x in pairs]))

    def held(self, target: Callable[[Pose], Floats]) -> Floats:
        """(N, V, 3): vertices that are always where they rest in the pose."""
        return np.stack([target(pose) for pose in self.poses])


def swung(targets: Floats, springs: Springs) -> Floats:
    """(N, V, 3) as Play has it where animation is keyed: riding along with targets (N, V, 3) at first."""
    return np.stack(list(_swinging(targets, springs)))


def _swinging(targets: Floats, springs: Springs) -> Iterator[Floats]:
    x, v, velocity = targets[0], None, None
    yield x
    for start, end, after in zip_longest(targets[:-1], targets[1:], targets[2:]):
        path = segment(start, end, after, velocity, dt=springs.dt)
        x, v = springs.step(x, path.start_velocity if v is None else v, path)
        velocity = path.end_velocity
        yield x


def one_for_all(targets: Floats, true: Floats, dt: float) -> tuple[float, float]:
    """k_s, 1/s^2, and k_d, 1/s: for all vertices the same, they bring targets nearest to true, (N, V, 3)."""

    def error(log_spring: Reals) -> float:
        return rms(swung(targets, evenly(*_spring(log_spring), true.shape[1], dt)), true)

    starts = [np.log([2.0 * np.pi * hertz, damping]) for hertz, damping in GUESSES]
    first = min(starts, key=error)
    found = minimize(error, first, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-7})
    return _spring(found.x)


def _spring(log_spring: Reals) -> tuple[float, float]:
    """k_s and k_d, from the logarithms of an angular frequency, 1/s, and of a share of critical damping."""
    omega, share = np.exp(np.clip(log_spring, -5.0, 5.0))
    return float(omega**2), float(2.0 * omega * share)


def evenly(k_s: float, k_d: float, vertices: int, dt: float) -> Springs:
    """The same spring for all."""
    return Springs(np.full(vertices, k_s), np.full(vertices, k_d), dt)


def rms(shapes: Floats, true: Floats) -> float:
    """Root mean square distance over all frames and vertices of two motions (N, V, 3), metres."""
    return float(np.sqrt(np.square(shapes - true, dtype=np.float64).sum(-1).mean()))

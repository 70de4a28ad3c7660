"""Models of any size to decode, and their twins on the processor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neural_physics.capsules.projection import Capsules, push_out
from neural_physics.models.decoding import LinearDecoder
from neural_physics.models.normals import regress_normals

Floats = NDArray[np.float32]


@dataclass
class RandomModel:
    """A shape about 2 m wide whose vertices move by some 30 cm; normals turn by some 20 degrees."""

    mean: Floats
    basis: Floats
    normal_mean: Floats
    q: Floats

    @classmethod
    def of_size(cls, vertices: int, bases: int, seed: int = 0) -> RandomModel:
        rng = np.random.default_rng(seed)
        mean = rng.uniform(-1, 1, (vertices, 3)).astype(np.float32)
        normal_mean = rng.normal(size=(vertices, 3)).astype(np.float32)
        normal_mean /= np.linalg.norm(normal_mean, axis=1, keepdims=True)
        basis, q = (rng.standard_normal((bases, vertices, 3), np.float32) for _ in range(2))
        basis *= np.float32(0.2 / np.sqrt(bases))
        q *= np.float32(0.2 / np.sqrt(bases))
        return cls(mean, basis, normal_mean, q)

    @property
    def normals(self) -> tuple[Floats, Floats]:
        return self.normal_mean, self.q

    @property
    def size(self) -> float:
        """The diagonal of the mean shape's box, or 1 m for a single vertex."""
        return float(np.linalg.norm(np.ptp(self.mean, axis=0))) or 1.0

    def positions(self, z: Floats, bases: int | None = None) -> Floats:
        """(n, V, 3) of z (n, u)."""
        return LinearDecoder(self.mean, self.basis).decode_many(z, bases).copy()

    def directions(self, z: Floats) -> Floats:
        """(n, V, 3), unit."""
        return np.stack([regress_normals(row, self.normal_mean, self.q) for row in z])

    def pushed(self, z: Floats, capsules: Capsules, depth_limit: float) -> Floats:
        """(n, V, 3) after the capsules."""
        return np.stack([push_out(shape, capsules, depth_limit).positions for shape in self.positions(z)])


def coefficients(instances: int, bases: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).standard_normal((instances, bases), np.float32)


def capsules_at(seed: int, count: int) -> Capsules:
    """Apart from each other, so that each vertex has one shortest way out."""
    rng = np.random.default_rng(seed)
    starts = rng.uniform(-0.2, 0.2, (count, 3)) + np.linspace(-1.2, 1.2, count)[:, None] * [1.0, 0.0, 0.0]
    ends = starts + rng.uniform(-0.15, 0.15, (count, 3)) + [0.0, 0.0, 0.4]
    return Capsules(starts, ends, *rng.uniform(0.05, 0.1, (2, count)))


def angles(a: Floats, b: Floats) -> NDArray[np.float64]:
    """Radians between unit vectors."""
    return 2.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(a.astype(float) - b, axis=-1), 0.0, 1.0))

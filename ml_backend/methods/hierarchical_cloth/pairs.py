"""Pairs of what a level's network sees and should say, from shapes of fine cloth (Oh 2018, section 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neural_physics.arrays import Floats
from neural_physics.methods.hierarchical_cloth.triangle_forms import FORMS
from neural_physics.subdivision.levels import Hierarchy


@dataclass(frozen=True)
class Shapes:
    """Shapes of one cloth. rest (V, 3), frames (T, V, 3): metres, in the order of the artist's vertices."""

    hierarchy: Hierarchy
    rest: NDArray[np.floating]
    frames: NDArray[np.floating]


@dataclass(frozen=True)
class Pairs:
    """features (k, inputs), targets (k, 9) float32; sizes (k,): metres per unit of the targets."""

    features: Floats
    targets: Floats
    sizes: Floats

    def __len__(self) -> int:
        return len(self.features)

    def some(self, count: int, rng: np.random.Generator) -> Pairs:
        """`count` of the pairs at random, or all if there are no more."""
        if count >= len(self):
            return self
        at = np.sort(rng.permutation(len(self))[:count])
        return Pairs(self.features[at], self.targets[at], self.sizes[at])


def pairs_of(shapes: Iterable[Shapes], level: int, form: str, most: int, *, seed: int) -> Pairs:
    """Pairs for the network of a level (from 1), of triangles whose sides are all in the true shapes.

    Of every shape as many are drawn as leave `most` in all.
    """
    every = list(shapes)
    rng = np.random.default_rng([seed, level])
    total = sum(len(s.frames) for s in every)
    each = max(1, -(-most // max(total, 1)))
    parts = []
    for cloth in every:
        coarse = cloth.hierarchy.levels[level - 1]
        n, finer = coarse.vertex_count, cloth.hierarchy.levels[level].vertex_count
        rest = np.ascontiguousarray(cloth.hierarchy.sorted(cloth.rest).T, np.float32)
        made = FORMS[form](coarse, rest[:, :finer])
        sizes = made.sizes
        for frame in cloth.frames:
            x = np.ascontiguousarray(cloth.hierarchy.sorted(frame).T, np.float32)
            features = made.features(x[:, :n]).T
            targets = made.targets(x[:, n:finer]).T
            at = rng.permutation(len(features))[:each]
            parts.append((features[at], targets[at], sizes[at]))
    features, targets, unit = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Pairs(features, targets, unit)

"""The rollouts that a training is validated by: where each begins and ends in the validation's frames."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from learning.training.spans import Span
from neural_physics.arrays import Indices, Mask
from neural_physics.evaluation.rollouts import Window

ROLLOUT = 600  # frames of a validation rollout, at most
TILE_EVERY = 150  # frames from the start of one to that of the next


def tiled(runs: Iterable[slice]) -> tuple[Indices, Mask]:
    """Frames (T, n) of n rollouts side by side, and which of them (T, n) count.

    They overlap: more starts make the measure less a matter of chance. Shorter ones repeat their last frame,
    which does not count.
    """
    tiles = [tile for run in runs for tile in _tiles(run)]
    longest = max(tile.stop - tile.start for tile in tiles)
    frames = np.stack([np.minimum(np.arange(t.start, t.start + longest), t.stop - 1) for t in tiles], 1)
    return frames, np.stack([np.arange(longest) < t.stop - t.start for t in tiles], 1)


def windows(spans: Iterable[Span]) -> list[Window]:
    """The same rollouts, as frames of the takes that these spans are of."""
    return [
        Window(span.take, span.start + tile.start, span.start + tile.stop)
        for span in spans
        for tile in _tiles(slice(0, len(span)))
    ]


def _tiles(run: slice) -> list[slice]:
    last = max(run.start, run.stop - ROLLOUT)
    return [slice(start, min(start + ROLLOUT, run.stop)) for start in range(run.start, last + 1, TILE_EVERY)]

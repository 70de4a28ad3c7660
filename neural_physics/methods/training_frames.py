"""What every method's training needs of its takes: enough frames, in runs that are long enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

WINDOW = 32  # frames that training looks at together, the paper's
FEWEST_FRAMES = 2 * WINDOW
SHORTEST = 3  # frames: a state and the two before it
VALIDATION_SHARE = 0.1  # of every run's end, where no take is for validation


def held_out(run: int) -> int:
    """How many frames at the end of a run are for validation, where no take is."""
    return round(VALIDATION_SHARE * run)


def learned_frames(runs: ArrayLike, *, validated: bool) -> int:
    """How many frames are learned from, of runs of such lengths.

    validated: whether a take is for validation.
    """
    lengths = np.asarray(runs, np.int64)
    heads = lengths if validated else lengths - np.rint(VALIDATION_SHARE * lengths).astype(np.int64)
    return int(heads[heads >= WINDOW].sum())

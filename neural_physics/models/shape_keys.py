"""A motion as few shapes that are blended, as game engines and glTF have it (morph targets)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Doubles, Floats

MOST_FRAMES = 5000  # the products of all with all are gone through
WITHIN = 0.999  # of the error that is asked for: the rest is for rounding


@dataclass(frozen=True)
class Blend:
    """x_t = rest + sum_k values[t, k] offsets[k]: rest (V, 3) and offsets (N, V, 3) float32, metres.

    values (T, N) float32 go from 0 to 1 each, beyond which engines and importers cut them off.
    error: the farthest that any vertex is off in any frame, metres, as float32 numbers have it.
    """

    rest: Floats
    offsets: Floats
    values: Floats
    error: float


def fewest_shapes(shapes: Floats, error: float, most: int) -> Blend:
    """The blend of fewest shapes that is nowhere farther off than `error`, or of `most` of them.

    shapes (T, V, 3) metres. Of each number of shapes it is the one with the least squares of all distances:
    the first principal components of the motion itself (of a model that decodes linearly they are in the
    span of its bases, U of Holden 2019, section 5.1). Raises ValueError for more frames than `MOST_FRAMES`.
    """
    frames, vertices = shapes.shape[:2]
    if frames > MOST_FRAMES:
        raise ValueError(f"{frames:,} frames are more than {MOST_FRAMES:,}")
    rest = shapes.mean(axis=0, dtype=np.float64)
    left = (shapes - rest).reshape(frames, -1)
    _, vectors = np.linalg.eigh(left @ left.T)
    offsets, values = np.empty((0, left.shape[1])), np.empty((frames, 0))
    for number in range(min(most, frames)):
        if _farthest(left) <= WITHIN * error:
            break
        # Of what is left: what rounding has left out of the shapes before goes into those after.
        along = vectors[:, -1 - number]
        offset = along @ left
        left -= np.outer(along, offset)
        offsets, values = np.vstack([offsets, offset]), np.column_stack([values, along])
    low, spans = values.min(axis=0, initial=np.inf), np.ptp(values, axis=0)
    found = Blend(
        (rest + (low @ offsets).reshape(vertices, 3)).astype(np.float32),
        (spans[:, None] * offsets).reshape(-1, vertices, 3).astype(np.float32),
        ((values - low) / spans).astype(np.float32),
        0.0,
    )
    return replace(found, error=_farthest(blended(found) - shapes))


def blended(blend: Blend) -> Floats:
    """(T, V, 3): the motion that it says."""
    return blend.rest + np.tensordot(blend.values, blend.offsets, 1)


def _farthest(off: Doubles) -> float:
    """Of distances (T, 3 V) or (T, V, 3)."""
    return float(np.sqrt((off.reshape(len(off), -1, 3) ** 2).sum(axis=2).max(initial=0.0)))

"""The interaction's own subspace: w = V (y - y_mu) (Holden 2019, section 5.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neural_physics.arrays import Doubles, Floats
from neural_physics.interaction.channels import ChannelLayout

STILL = 1e-5  # metres, and the like of directions: what only rounding moves
LEAST = 1e-12  # in any unit: what is divided by less is no float32 any more
ROUNDING = 1e-6  # of the largest value; a few steps of float32
NEGLIGIBLE = 1e-5  # share of the variance below which a direction only repeats the others


@dataclass(frozen=True)
class InteractionBasis:
    """mean (e,) and basis (v, e), float32; w has zero mean and unit standard deviation."""

    mean: Floats
    basis: Floats

    def project(self, y: Floats) -> Floats:
        """w (T, v) float32 of y (T, e)."""
        return (y - self.mean) @ self.basis.T


def still_spreads(layout: ChannelLayout, fps: float) -> Doubles:
    """(e,): the standard deviation up to which a value of y has not moved, in its own unit.

    Differences of frames take on the rounding of the positions they are of.
    """
    by_unit = {"m": STILL, "m/s": STILL * fps, "rad/s": STILL * fps, "m/s^2": STILL * fps**2}
    by_unit["rad/s^2"] = STILL * fps**2
    return np.concatenate([np.full(c.size, by_unit.get(c.unit, 0.0)) for c in layout.channels])


def fit_interaction_basis(y: Floats, still: Doubles) -> InteractionBasis:
    """PCA of y (T, e), each value first scaled to its own spread, since their units differ.

    V and y_mu (Holden 2019, section 5.1).

    Values that do not move more than `still` (e,) are left out, and directions with next to no
    variance (joints that never move apart); one direction is kept.
    """
    mean = y.mean(0, dtype=np.float64)
    spread = y.std(0, dtype=np.float64)
    moves = spread > np.maximum(np.maximum(still, LEAST), ROUNDING * np.abs(y).max(0))
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=moves)
    centred = (y - mean) * scale
    variances, directions = _principal(centred)
    order = np.argsort(variances)[::-1]
    count = max(1, int((variances > NEGLIGIBLE * variances.sum()).sum()))
    kept = order[:count]
    whitening = directions[:, kept] / np.sqrt(np.maximum(variances[kept], 1e-12))
    basis = (scale[:, None] * whitening).T
    return InteractionBasis(mean.astype(np.float32), basis.astype(np.float32))


def _principal(centred: Doubles) -> tuple[Doubles, Doubles]:
    """Variances (k,), rising, and directions (e, k), of rows (T, e) without their mean.

    Of fewer frames than numbers by what frames have in common, T x T: memory and time go with the less.
    """
    frames, numbers = centred.shape
    if numbers <= frames:
        found = np.linalg.eigh(centred.T @ centred / frames)
        return found.eigenvalues, found.eigenvectors
    variances, of_frames = np.linalg.eigh(centred @ centred.T / frames)
    lengths = np.sqrt(np.maximum(frames * variances, LEAST))
    return variances, centred.T @ of_frames / lengths

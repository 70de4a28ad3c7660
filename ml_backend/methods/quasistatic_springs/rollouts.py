"""How far springs' motions are from given ones, and how that changes with the springs (Jin 2022, section 6).

All in steps: kappa = k_s dt^2 and delta = k_d dt, which so are of order one, for any frame rate. Springs are
independent of each other, so that a loss is one number per vertex, and all are worked on at once.

Where a motion starts is not known: positions are, velocities are not, and a take may begin in the middle of
a swing. Offset and velocity at the start enter the motion linearly, so for any spring the best ones are the
solution of a 2x2 system, and only stiffness and damping are searched for (variable projection, Golub and
Pereyra 1973). Equation 14 with a start read off the first frames has its minimum elsewhere: one-sided
differences are some 20 % off for a swing of 8 frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neural_physics.arrays import Doubles
from neural_physics.methods.quasistatic_springs.steps import step_factors, step_factors_and_gradients

START = 1e-6  # per frame: how strongly starts are drawn to the target, where nothing else says what they are
TURNS = 2  # of finding the worst frames
KICKED, PUSHED = 3, 4  # beside x, y and z: the motions that start with an offset, or a velocity, of 1


class Track(NamedTuple):
    """One sequence of N frames of B vertices, vertices last since they are what is worked on at once.

    offsets (N, 3, B) metres: of the given motion from its targets. bends (N - 1, 2, 3, B): u_0 and u_1 of
    the targets (see `steps` of the run time). used (N, B): 1, or 0 for what is left out, as `trimmed`.
    """

    offsets: Doubles
    bends: Doubles
    used: Doubles


class Misfit(NamedTuple):
    """loss (B,), m^2, and half its derivatives by theta = (ln omega, ln delta), omega = sqrt(kappa).

    gradient (2, B); normal (2, 2, B): the Gauss-Newton matrix, with the starts eliminated.
    """

    loss: Doubles
    gradient: Doubles
    normal: Doubles


def track(targets: NDArray[np.floating], positions: NDArray[np.floating]) -> Track:
    """A Track of targets and given positions, both (N, B, 3), metres; of at least 3 frames, all of them used.

    Velocities of the targets are central differences, one-sided at both ends, as equation 3 has them.
    """
    wanted = np.ascontiguousarray(np.moveaxis(targets, 1, 2), np.float64)
    offsets = np.moveaxis(positions, 1, 2) - wanted
    velocities = np.gradient(wanted, axis=0)
    line = np.diff(wanted, axis=0)
    bends = np.stack([line - velocities[:-1], velocities[1:] - line], 1)
    return Track(np.ascontiguousarray(offsets), bends, np.ones((len(offsets), offsets.shape[2])))


def pieces(sequence: Track, frames: int) -> list[Track]:
    """A Track in parts of about so many frames, each of which then has a start of its own."""
    count = len(sequence.used)
    ends = np.linspace(0, count, max(1, round(count / frames)) + 1).astype(int)
    return [
        Track(sequence.offsets[a:b], sequence.bends[a : b - 1], sequence.used[a:b]) for a, b in pairwise(ends)
    ]


def misfit(tracks: Sequence[Track], kappa: Doubles, delta: Doubles, shrink: float) -> Misfit:
    """Equation 14 over the frames that are used, and its derivatives (equations 15 to 20).

    shrink: the weight of the springs' own offsets from the targets, squared, beside those from the motion.
    """
    factors, *gradients = step_factors_and_gradients(kappa, delta, 1.0)
    count = len(kappa)
    loss, gradient, normal = np.zeros(count), np.zeros((2, count)), np.zeros((2, 2, count))
    scales = np.stack([2.0 * kappa, delta])[:, None]
    for sequence in tracks:
        moved, changes = _rolled_with_changes(factors, np.stack(gradients), sequence.bends)
        fit = _fitted(sequence, moved, shrink)
        loss += fit.loss
        # With the best start held fixed, since the loss does not change with that to first order.
        slopes = np.empty((len(moved), 2, 3, count))
        for k in range(2):
            slopes[:, k] = _started(changes[:, k], fit.starts) * scales[k]
        weighted = slopes * fit.weights[:, None, None]
        gradient += np.einsum("nkab,nab->kb", weighted, fit.residuals)
        cross = np.einsum("nib,nkab->ikab", moved[:, KICKED:], weighted)
        best = np.einsum("ijb,jkab->ikab", fit.inverse, cross)
        normal += np.einsum("nkab,nlab->klb", weighted, slopes) - np.einsum("ikab,ilab->klb", cross, best)
    return Misfit(loss, gradient, normal)


def trimmed(
    tracks: Sequence[Track], kappa: Doubles, delta: Doubles, shrink: float, *, kept: int
) -> tuple[list[Track], Doubles]:
    """The tracks, each vertex's `kept` nearest frames used and no others (Figure 7), and the loss (B,) then.

    Twice, since a start fitted without the worst frames says better which are the worst.
    """
    factors = step_factors(kappa, delta, 1.0)
    moved = [_rolled(factors, sequence.bends) for sequence in tracks]
    tracks = list(tracks)
    for _ in range(TURNS):
        distances = np.concatenate(
            [_distances(sequence, path, shrink) for sequence, path in zip(tracks, moved, strict=True)]
        )
        used = np.ones_like(distances)
        # By rank, for no more than `kept` also where many are equally far.
        worst = np.argpartition(distances, kept - 1, axis=0)[kept:]
        np.put_along_axis(used, worst, 0.0, axis=0)
        ends = np.cumsum([len(sequence.used) for sequence in tracks])[:-1]
        tracks = [
            sequence._replace(used=part) for sequence, part in zip(tracks, np.split(used, ends), strict=True)
        ]
    pairs = zip(tracks, moved, strict=True)
    loss: Doubles = np.sum([_fitted(sequence, path, shrink).loss for sequence, path in pairs], axis=0)
    return tracks, loss


def relative_errors(tracks: Sequence[Track], kappa: Doubles, delta: Doubles, shrink: float) -> Doubles:
    """(B,): over used frames, the RMS distance from the motion over the motion's from its targets."""
    factors = step_factors(kappa, delta, 1.0)
    missed, far = np.zeros((2, len(kappa)))
    for sequence in tracks:
        distances = _distances(sequence, _rolled(factors, sequence.bends), shrink)
        missed += (distances * sequence.used).sum(0)
        far += np.einsum("nab,nab,nb->b", sequence.offsets, sequence.offsets, sequence.used)
    return np.sqrt(np.divide(missed, far, out=np.ones_like(far), where=far > 0.0))


class _Fit(NamedTuple):
    """starts (2, 3, B), inverse (2, 2, B) of their normal; residuals (N, 3, B), weights (N, B); loss (B,)."""

    starts: Doubles
    residuals: Doubles
    weights: Doubles
    inverse: Doubles
    loss: Doubles


def _fitted(sequence: Track, moved: Doubles, shrink: float) -> _Fit:
    """The best starts for motions (N, 5, B), and what is left.

    Weights w and 0 at two places, the given offset and 0, are one weight between them, and a constant.
    """
    weights = sequence.used + shrink
    between = sequence.offsets * (sequence.used / np.maximum(weights, START))[:, None]
    basis, weighted = moved[:, KICKED:], moved[:, KICKED:] * weights[:, None]
    normal = np.einsum("nib,njb->ijb", weighted, basis)
    ridge = START * len(weights)
    normal[0, 0] += ridge
    normal[1, 1] += ridge
    inverse = _inverse(normal)
    missing = between - moved[:, :KICKED]
    starts = np.einsum("ijb,jab->iab", inverse, np.einsum("njb,nab->jab", weighted, missing))
    residuals = np.einsum("nib,iab->nab", basis, starts) - missing
    loss = np.einsum("nab,nab,nb->b", residuals, residuals, weights) + ridge * (starts**2).sum((0, 1))
    return _Fit(starts, residuals, weights, inverse, loss)


def _distances(sequence: Track, moved: Doubles, shrink: float) -> Doubles:
    """(N, B) m^2."""
    starts = _fitted(sequence, moved, shrink).starts
    squares: Doubles = np.square(_started(moved, starts) - sequence.offsets).sum(1)
    return squares


def _started(moved: Doubles, starts: Doubles) -> Doubles:
    """(N, 3, B): motions (N, 5, B) that begin at starts (2, 3, B)."""
    path: Doubles = np.einsum("nib,iab->nab", moved[:, KICKED:], starts)
    path += moved[:, :KICKED]
    return path


def _inverse(m: Doubles) -> Doubles:
    """(2, 2, B) of symmetric, positive (2, 2, B)."""
    return np.array([[m[1, 1], -m[0, 1]], [-m[1, 0], m[0, 0]]]) / (m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0])


def _rolled(factors: Doubles, bends: Doubles) -> Doubles:
    """(N, 5, B): offsets along x, y and z from a start on the target, KICKED and PUSHED."""
    free, forced = factors[:, :2], np.einsum("ckb,nkab->ncab", factors[:, 2:], bends)
    state = _first(factors.shape[2])
    moved = np.empty((len(bends) + 1, *state.shape[1:]))
    moved[0] = state[0]
    for n, push in enumerate(forced, 1):
        state = np.einsum("ckb,kab->cab", free, state)
        state[:, :KICKED] += push
        moved[n] = state[0]
    return moved


def _rolled_with_changes(factors: Doubles, gradients: Doubles, bends: Doubles) -> tuple[Doubles, Doubles]:
    """What `_rolled` gives, and (N, 2, 5, B): its derivatives by kappa and delta, through all the steps
    before.

    The recursion after eq. 18 of Jin 2022.
    """
    both = np.concatenate([factors[None], gradients])
    free, forced = both[:, :, :2], np.einsum("gckb,nkab->ngcab", both[:, :, 2:], bends)
    state = _first(factors.shape[2])
    change = np.zeros((2, *state.shape))
    moved, changes = (
        np.empty((len(bends) + 1, *shape)) for shape in (state.shape[1:], (2, *state.shape[1:]))
    )
    moved[0], changes[0] = state[0], 0.0
    for n, push in enumerate(forced, 1):
        change = np.einsum("ckb,gkab->gcab", free[0], change)
        change += np.einsum("gckb,kab->gcab", free[1:], state)
        state = np.einsum("ckb,kab->cab", free[0], state)
        change[:, :, :KICKED] += push[1:]
        state[:, :KICKED] += push[0]
        moved[n], changes[n] = state[0], change[:, 0]
    return moved, changes


def _first(count: int) -> Doubles:
    """(2, 5, B): offsets and velocities."""
    state = np.zeros((2, 5, count))
    state[0, KICKED] = state[1, PUSHED] = 1.0
    return state

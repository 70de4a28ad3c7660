"""Stiffness and damping of zero-restlength springs, from motions beside their targets (Jin 2022, section 6).

Each vertex on its own, all at once: a first guess (`search`), then descent along the analytic gradient
with a step and a damping of its own, then the worst frames are left out and the rest fitted again (Figure 7),
until the same frames are the worst. The first guess does without them, too: with a few frames of a solver
that failed, the best spring of all frames may be somewhere else.

The first guess, and first descents, are of a motion cut into short pieces, each with a start of its own: the
longer a motion, the nearer to the right frequency a swing must be to stay in step with it. Of 512 springs
with swings of 2.4 to 60 frames, damped by 0.02 of critical, on 100 frames of which every tenth was spoiled by
centimetres, 7 ended at a wrong swing without the cuts, and none with them. What cannot be detected is a
spoiled frame among the first two or three from the start of a swing that dies within as many: there, springs
were found whose damping is some 10 % off.

Descent is Levenberg and Marquardt's: along the gradient, in the metric that the same derivatives of the
motion give. From the same first guesses it came within 0.1 % of the true springs in 5 steps in the median, in
13 for nine tenths of them; plain gradient descent, as in the paper, with a step size for each spring that
grows and shrinks, took 30 steps for the better half, and had not got there in 600 for a third.

Regularisation: the paper has one and does not say which, but that with it springs move less (Figure 3). Here
`shrink` weighs the square of the springs' own offsets from the targets; and a far weaker pull (PULL) on
stiffness and damping towards a stiff spring decides where a vertex has hardly moved and any would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ml_backend.methods.quasistatic_springs.rollouts import (
    Misfit,
    Track,
    misfit,
    pieces,
    relative_errors,
    track,
    trimmed,
)
from ml_backend.methods.quasistatic_springs.search import evolve, springs_of, within_bounds
from neural_physics.arrays import Doubles, Floats, Mask
from neural_physics.jobs.events import Emit, Progress, StopRequest

BLOCK = 512  # vertices worked on at once: their motions fit in the processor's cache
FEWEST_FRAMES = 8  # two numbers and a start are found from what is kept of them
DESCENT = 40  # steps at most
SETTLED = 1e-7  # of ln omega and ln delta: a smaller step is the last
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-2, 1e-8, 1e8  # of Levenberg's and Marquardt's step
PIECES = 24, 96  # frames, of the search and the first descents
ROUNDS = 4  # of leaving out the worst frames, at most
PULL = 1e-7  # on (ln omega - ln 1)^2 and (ln delta - ln 2)^2, times the square of how far the motion goes
SMALLEST = 1e-6  # metres: motions are at least as far from the targets, as far as PULL is concerned
STIFF = np.log([1.0, 2.0])  # omega and delta, in steps: critically damped, back on the target in a few frames


@dataclass(frozen=True)
class Motion:
    """targets, what poses alone give, and positions, what is to be met: both (N, V, 3) float32, metres."""

    targets: Floats
    positions: Floats


@dataclass(frozen=True)
class SpringSettings:
    """left_out: the share of frames, up to a half, that each vertex does without (the paper: 0.1).

    shrink: the weight of the springs' own offsets, squared, beside those from the motion. generations, seed:
    of the search.
    """

    left_out: float = 0.1
    shrink: float = 1e-3
    generations: int = 3
    seed: int = 0


@dataclass(frozen=True)
class FittedSprings:
    """stiffness k_s (V,) 1/s^2 and damping k_d (V,) 1/s, float64.

    used: for each motion, (N, V): the frames that were not left out. errors (V,): over those, the RMS
    distance from the motion over the motion's RMS distance from its targets; 1 where springs do nothing.
    """

    stiffness: Doubles
    damping: Doubles
    used: list[Mask]
    errors: Doubles


def fit_springs(
    motions: Sequence[Motion], dt: float, settings: SpringSettings, emit: Emit, *, stop: StopRequest
) -> FittedSprings:
    """The springs that bring the targets nearest to the motions, for frames dt seconds apart.

    At least 8 frames each. The same motions and settings give the same springs. Raises ValueError for motions
    that are shorter, do not go together or are not finite; Problem("stopped").
    """
    _check(motions, dt, settings)
    vertices = motions[0].targets.shape[1]
    progress = Progress(emit, "Fitting the springs", vertices)
    theta, errors = np.empty((2, vertices)), np.empty(vertices)
    used = [np.empty(motion.targets.shape[:2], bool) for motion in motions]
    for first in range(0, vertices, BLOCK):
        some = slice(first, first + BLOCK)
        tracks = [track(motion.targets[:, some], motion.positions[:, some]) for motion in motions]
        theta[:, some], tracks = _fit_block(tracks, settings, stop)
        errors[some] = relative_errors(tracks, *springs_of(theta[:, some]), settings.shrink)
        for whole, sequence in zip(used, tracks, strict=True):
            whole[:, some] = sequence.used > 0.0
        progress.at(min(first + BLOCK, vertices))
    kappa, delta = springs_of(theta)
    return FittedSprings(kappa / dt**2, delta / dt, used, errors)


def _check(motions: Sequence[Motion], dt: float, settings: SpringSettings) -> None:
    if not motions:
        raise ValueError("springs are fitted to at least one motion")
    for motion in motions:
        frames, vertices = motion.targets.shape[:2]
        if motion.targets.shape != motion.positions.shape or vertices != motions[0].targets.shape[1]:
            raise ValueError("motions and targets need the same frames and the same vertices")
        if frames < FEWEST_FRAMES:
            raise ValueError(f"a motion needs {FEWEST_FRAMES} frames")
        if not (np.isfinite(motion.targets).all() and np.isfinite(motion.positions).all()):
            raise ValueError("something in a motion or its targets is not a number")
    if not (0.0 < dt < np.inf and 0.0 <= settings.left_out <= 0.5 and settings.shrink >= 0.0):
        raise ValueError("dt must be above 0, left_out 0 to 0.5 and shrink not negative")


def _fit_block(
    tracks: list[Track], settings: SpringSettings, stop: StopRequest
) -> tuple[Doubles, list[Track]]:
    """theta (2, B), and the tracks without the frames that were left out."""
    frames = sum(len(sequence.used) for sequence in tracks)
    kept, shrink = frames - int(settings.left_out * frames), settings.shrink
    far = np.sum([np.square(sequence.offsets).sum((0, 1)) for sequence in tracks], axis=0)
    pull = PULL * (far + frames * SMALLEST**2)
    parts = _cut(tracks, PIECES[0])

    def loss(theta: Doubles) -> Doubles:
        stop.check()
        return trimmed(parts, *springs_of(theta), shrink, kept=kept)[1] + pull * _strain(theta)

    theta = evolve(loss, len(pull), settings.generations, settings.seed)
    for length in PIECES:
        parts = trimmed(_cut(tracks, length), *springs_of(theta), shrink, kept=kept)[0]
        theta = _descend(parts, theta, shrink, pull, stop=stop)
    tracks = trimmed(tracks, *springs_of(theta), shrink, kept=kept)[0]
    for _ in range(ROUNDS):
        theta = _descend(tracks, theta, shrink, pull, stop=stop)
        before, (tracks, _) = tracks, trimmed(tracks, *springs_of(theta), shrink, kept=kept)
        if all(np.array_equal(old.used, new.used) for old, new in zip(before, tracks, strict=True)):
            break
    return theta, tracks


def _cut(tracks: Sequence[Track], frames: int) -> list[Track]:
    return [part for sequence in tracks for part in pieces(sequence, frames)]


def _descend(
    tracks: Sequence[Track], theta: Doubles, shrink: float, pull: Doubles, *, stop: StopRequest
) -> Doubles:
    """The nearest minimum, theta (2, B); each vertex has its own step, and none after it has arrived.

    Descent of section 6 (Jin 2022), by Levenberg and Marquardt.
    """
    found = theta.copy()
    live = np.arange(theta.shape[1])
    theta = within_bounds(theta)
    damping = np.full(len(live), FIRST_DAMPING)
    here = _objective(tracks, theta, shrink, pull)
    for _ in range(DESCENT):
        stop.check()
        trial = within_bounds(theta + _downhill(here, damping))
        there = _objective(tracks, trial, shrink, pull)
        better = there.loss < here.loss
        step = np.abs(trial - theta).max(0)
        theta = np.where(better, trial, theta)
        here = Misfit(*(np.where(better, new, old) for new, old in zip(there, here, strict=True)))
        damping = np.where(better, np.maximum(damping / 5.0, LEAST_DAMPING), damping * 5.0)
        found[:, live] = theta
        going = (step > SETTLED) & (damping < MOST_DAMPING)
        if not going.any():
            break
        if not going.all():
            live, theta, pull, damping = live[going], theta[:, going], pull[going], damping[going]
            here = Misfit(*(values[..., going] for values in here))
            tracks = [Track(*(values[..., going] for values in sequence)) for sequence in tracks]
    return found


def _objective(tracks: Sequence[Track], theta: Doubles, shrink: float, pull: Doubles) -> Misfit:
    """The misfit and the pull, by theta."""
    loss, gradient, normal = misfit(tracks, *springs_of(theta), shrink)
    normal[(0, 1), (0, 1)] += pull
    away = theta - STIFF[:, None]
    return Misfit(loss + pull * _strain(theta), gradient + pull * away, normal)


def _strain(theta: Doubles) -> Doubles:
    """(B,): how far springs are from the stiff one, squared."""
    strain: Doubles = np.square(theta - STIFF[:, None]).sum(0)
    return strain


def _downhill(here: Misfit, damping: Doubles) -> Doubles:
    """(2, B): Levenberg's and Marquardt's step."""
    (a, b), (_, d) = here.normal
    a, d = a * (1.0 + damping), d * (1.0 + damping)
    g, h = here.gradient
    return np.array([b * h - d * g, b * g - a * h]) / (a * d - b * b)

"""First guesses of stiffness and damping: a few generations of differential evolution (Jin 2022, section 6).

A swing that is out of step with the given one is a local minimum of equation 14, so that descent needs to
begin within half a period of the right one at the end of the sequence. Storn and Price's differential
evolution (1997, rand/1/bin) is a genetic algorithm for real numbers. Here every vertex has a population of
its own, and all evolve at once: SciPy's would take one vertex, or one cluster of them, after the other, with
a call per candidate, and clusters would have to be known before the springs are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

# In steps: frequencies omega = sqrt(kappa) from a swing of 600 frames to what is rigid at any frame rate.
SLOWEST, FASTEST = np.log([1e-2, 1e-3]), np.log([30.0, 300.0])  # of omega and delta
NYQUIST = 3.0  # rad per step: a faster swing looks like a slower one at the frames and is not searched
SIDE = 5  # of the grid that the population begins as: even cover serves better than chance
WEIGHTS = 0.4, 0.9  # of the difference between two members, drawn anew for every vertex
CROSSING = 0.9  # the chance of each number to come from the mutant


def springs_of(theta: Reals) -> tuple[Reals, Reals]:
    """kappa and delta, each (B,), of theta (2, B): ln omega and ln delta."""
    return np.exp(2.0 * theta[0]), np.exp(theta[1])


def within_bounds(theta: Reals) -> Reals:
    """The nearest theta (2, B) that can be told from the frames of a sequence; more damping where too fast."""
    inside = np.clip(theta, SLOWEST[:, None], FASTEST[:, None])
    kappa, delta = springs_of(inside)
    inside[1] = np.log(np.maximum(delta, 2.0 * np.sqrt(np.maximum(kappa - NYQUIST**2, 0.0))))
    return inside


def evolve(loss: Callable[[Reals], Reals], count: int, generations: int, seed: int) -> Reals:
    """The best theta (2, count) found; loss: (count,) of theta (2, count), lower is better."""
    rng = np.random.default_rng(seed)
    steps = (np.arange(SIDE) + 0.5) / SIDE
    grid = np.stack(np.meshgrid(*(SLOWEST[:, None] + (FASTEST - SLOWEST)[:, None] * steps)), 0).reshape(2, -1)
    jitter = rng.uniform(-0.25, 0.25, (grid.shape[1], 2, count)) * ((FASTEST - SLOWEST) / SIDE)[:, None]
    members = np.array(
        [within_bounds(point[:, None] + shift) for point, shift in zip(grid.T, jitter, strict=True)]
    )
    losses = np.array([loss(member) for member in members])
    for _ in range(generations):
        for m in range(len(members)):
            a, b, c = rng.choice(np.delete(np.arange(len(members)), m), 3, replace=False)
            weight = rng.uniform(*WEIGHTS, count)
            mutant = members[a] + weight * (members[b] - members[c])
            crossed = rng.random((2, count)) < CROSSING
            crossed[rng.integers(2, size=count), np.arange(count)] = True
            trial = within_bounds(np.where(crossed, mutant, members[m]))
            trial_loss = loss(trial)
            better = trial_loss <= losses[m]
            members[m][:, better] = trial[:, better]
            losses[m, better] = trial_loss[better]
    return members[losses.argmin(0), :, np.arange(count)].T

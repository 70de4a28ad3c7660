"""First guesses of stiffness and damping: a few generations of differential evolution (Jin 2022, section 6).

A swing that is out of step with the given one is a local minimum of equation 14, so that descent needs to
begin at one that is within half a period of it after all the frames. Storn and Price's differential
evolution (1997, rand/1/bin) is a genetic algorithm for real numbers. Here every vertex has a population of
its own, and all evolve at once: SciPy's would take one vertex, or one cluster of them, after the other, with
a call per candidate, and clusters would have to be known before the springs are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neural_physics.arrays import Doubles

# In steps: frequencies omega = sqrt(kappa) from a swing of 600 frames to what is rigid at any frame rate.
SLOWEST, FASTEST = np.log([1e-2, 1e-3]), np.log([30.0, 300.0])  # of omega and delta
NYQUIST = 3.0  # rad per step: a faster swing looks like a slower one at the frames and is not searched
# Where populations begin, in steps. Through pieces of 24 frames, swings differ visibly at 0.25 rad
# per step; faster and slower return differ in their rate alone.
SWINGS = np.concatenate([[0.05, 0.12], np.arange(0.25, 3.1, 0.25)]), (0.1,)  # omega, delta
BOUNCES = np.array([0.1, 0.3, 0.6, 1.0, 1.5, 2.2, 3.0]), (0.8,)
RETURNS = np.array([0.03, 0.15, 0.6, 2.0]), (4.0, 20.0, 100.0)  # kappa / delta, delta
WEIGHTS = 0.4, 0.9  # of the difference between two members, drawn for every vertex
JITTER = 0.05  # of ln omega and ln delta: no two vertices' populations are the same
CROSSING = 0.9  # the chance of each number to come from the mutant


def springs_of(theta: Doubles) -> tuple[Doubles, Doubles]:
    """kappa and delta, each (B,), of theta (2, B): ln omega and ln delta."""
    return np.exp(2.0 * theta[0]), np.exp(theta[1])


def within_bounds(theta: Doubles) -> Doubles:
    """The nearest theta (2, B) that frames can distinguish; where it swings too fast, more damped."""
    inside = np.clip(theta, SLOWEST[:, None], FASTEST[:, None])
    kappa, delta = springs_of(inside)
    inside[1] = np.log(np.maximum(delta, 2.0 * np.sqrt(np.maximum(kappa - NYQUIST**2, 0.0))))
    return inside


def evolve(loss: Callable[[Doubles], Doubles], count: int, generations: int, seed: int) -> Doubles:
    """The best theta (2, count) found (Jin 2022, section 6).

    loss: (count,) of theta (2, count), lower is better.
    """
    rng = np.random.default_rng(seed)
    guesses = _guesses()
    jitter = rng.uniform(-JITTER, JITTER, (*guesses.shape, count))
    members = np.array([within_bounds(guess) for guess in guesses[:, :, None] + jitter])
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


def _guesses() -> Doubles:
    """(n, 2): theta."""
    swings = [(omega, delta) for omegas, deltas in (SWINGS, BOUNCES) for omega in omegas for delta in deltas]
    returns = [(np.sqrt(rate * delta), delta) for rate in RETURNS[0] for delta in RETURNS[1]]
    return np.log(swings + returns)

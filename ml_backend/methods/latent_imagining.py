"""More motion of a body than was baked: its own potential goes on from frames of the takes, as others act.

A few takes show few of the shapes that strands can swing through, and autoencoders know no others.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ml_backend.methods.latent_data import Frames, LatentData
from ml_backend.methods.latent_minimum import minimise
from ml_backend.methods.latent_physics import FrameTensors, LatentPhysics, StepEnergies
from neural_physics.reporting import Emit, Progress, StopRequest

SIDE_BY_SIDE = 32
SUFFICIENT = 1e-3  # of the energy in what a step changes of the motion: what of it may be left
EVALUATIONS = 30  # of the potential for each frame, at most

Array = NDArray[np.float64]


def imagined(
    data: LatentData,
    physics: LatentPhysics,
    stiffness: Array,
    count: int,
    seed: int,
    emit: Emit,
    stop: StopRequest,
) -> Array:
    """(2, n, K), m: coefficients c of about so many frames, and of the frame before each; see `LatentData`.

    From states of the training frames, with what acts in other ones: the pins must be where y says, and all
    places alike. stiffness (K, K): see `LatentPhysics.stiffness`. Raises Problem("stopped").
    """
    assert data.motion.exact and not data.absolute
    frames, steps, rng = data.training, data.training.steps(), np.random.default_rng(seed)
    tensors, metric = physics.frames(frames), stiffness + physics.inertia()
    inverse, tolerance = torch.from_numpy(np.linalg.inv(metric)), SUFFICIENT * _jolts(frames, metric)
    begun, at = rng.choice(steps, SIDE_BY_SIDE), rng.choice(steps, SIDE_BY_SIDE)
    c = torch.from_numpy(frames.c)
    now, before = c[begun - 1], c[begun - 2]
    rounds = -(-count // SIDE_BY_SIDE)
    progress = Progress(emit, "Imagining more motion", rounds)
    found: list[Array] = []
    for number in range(rounds):
        stop.check()
        after = _step(physics, tensors, torch.from_numpy(at), (now, before), inverse, tolerance)
        now, before = after, now
        found.append(torch.stack([now, before]).numpy())
        over = np.isin(at + 1, frames.ends)
        at = np.where(over, rng.choice(steps, SIDE_BY_SIDE), at + 1)
        progress.at(number + 1)
    return np.concatenate(found, 1) if found else np.empty((2, 0, frames.c.shape[1]))


def _step(
    physics: LatentPhysics,
    frames: FrameTensors,
    at: Tensor,
    states: tuple[Tensor, Tensor],
    inverse: Tensor,
    tolerance: float,
) -> Tensor:
    """c_t (n, K) where the potential of the step to frames (n,) is least, from c_{t-1} and c_{t-2}."""
    now, before = states
    energies = StepEnergies(physics, now, before, frames, at)
    return minimise(energies, 2.0 * now - before, inverse, tolerance, EVALUATIONS)[0]


def _jolts(frames: Frames, metric: Array) -> float:
    """J: of what a step changes of the motion, on average."""
    at = frames.steps()
    jolts = frames.c[at] - 2.0 * frames.c[at - 1] + frames.c[at - 2]
    return float(np.einsum("tk,kl,tl->t", jolts, metric, jolts).mean())

"""More motion of a body than was baked: simulated by its own potential from frames of the takes on, with what
acts in other frames.

A few takes show few of the shapes that a body can swing through, and autoencoders know no others. What acts
is also played faster, since artists may move things faster than in the bake.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ml_backend.methods.latent_dynamics.acting_frames import Acting
from ml_backend.methods.latent_dynamics.data import Frames, LatentData
from ml_backend.methods.latent_dynamics.minimum import minimise
from ml_backend.methods.latent_dynamics.physics import FrameTensors, LatentPhysics
from ml_backend.methods.latent_dynamics.step_energies import StepEnergies
from ml_backend.methods.latent_dynamics.stiffness import Stiffness
from neural_physics.arrays import Doubles
from neural_physics.jobs.events import Emit, Progress, StopRequest

SIDE_BY_SIDE, HELD_OUT = 32, 4
SUFFICIENT = 3e-4  # of the inertia in what a step changes of the motion: what energy may be left
EVALUATIONS = 60  # of the potential for each frame, at most


IMAGINING = "Generating additional motion"  # the stage


def with_imagined(
    data: LatentData,
    physics: LatentPhysics,
    stiffness: Stiffness,
    count: int,
    *,
    seed: int,
    emit: Emit,
    stop: StopRequest,
) -> LatentData:
    """The data with about so many imagined frames, and some more that are held out for validation.

    From states of the training frames, with what acts in other ones: the pins must be where y says, and all
    places alike. Raises Problem("stopped").
    """
    assert data.motion.exact and not data.absolute
    acting, rng = data.acting, np.random.default_rng(seed)
    tensors, inertia = physics.frames(acting), physics.inertia()
    inverses = torch.linalg.inv(stiffness.with_inertia(inertia)).to(physics.device)
    tolerance = SUFFICIENT * data.training.jolts(inertia)
    lanes, steps = SIDE_BY_SIDE + HELD_OUT, acting.steps()
    begun, at = rng.choice(data.training.steps(), lanes), rng.choice(steps, lanes)
    c = torch.from_numpy(data.training.c).to(physics.device)
    now, before = c[begun - 1], c[begun - 2]
    rounds = -(-count // SIDE_BY_SIDE)
    progress = Progress(emit, IMAGINING, rounds)
    found: list[Doubles] = []
    held_out = _HeldOut()
    for number in range(rounds):
        stop.check()
        inverse = inverses[stiffness.nearest(now)]
        frames = torch.from_numpy(at).to(physics.device)
        after = _step(physics, tensors, frames, (now, before), inverse=inverse, tolerance=tolerance)
        held_out.add(at, torch.stack([before, now, after]).cpu().numpy())
        now, before = after, now
        found.append(torch.stack([now, before])[:, HELD_OUT:].cpu().numpy())
        # Where a piece of motion is over another begins, from a true state again: what is left to itself
        # comes to rest, and of that there is little to learn.
        over = np.isin(at + 1, acting.ends)
        at = np.where(over, rng.choice(steps, lanes), at + 1)
        begun = rng.choice(data.training.steps(), lanes)
        ended = torch.from_numpy(over)[:, None].to(physics.device)
        now, before = torch.where(ended, c[begun - 1], now), torch.where(ended, c[begun - 2], before)
        progress.at(number + 1)
    if not found:
        return data
    validation = data.validation.followed_by(held_out.frames(acting))
    return replace(data, imagined=np.concatenate(found, 1), validation=validation)


class _HeldOut:
    """What is imagined in the first HELD_OUT of what runs side by side: a run for each piece of motion."""

    def __init__(self) -> None:
        self._at: list[list[int]] = [[] for _ in range(HELD_OUT)]
        self._c: list[list[Doubles]] = [[] for _ in range(HELD_OUT)]
        self._lengths: list[list[int]] = [[] for _ in range(HELD_OUT)]

    def add(self, at: NDArray[np.int64], c: Doubles) -> None:
        """c (3, n, K): of frames at (n,) last, and of the two before them."""
        for k in range(HELD_OUT):
            frames, shapes, lengths = self._at[k], self._c[k], self._lengths[k]
            new = not frames or frames[-1] != at[k] - 1
            if new:
                lengths.append(0)
            first = 0 if new else 2
            frames += range(at[k] - 2 + first, at[k] + 1)
            shapes += list(c[first:, k])
            lengths[-1] += 3 - first

    def frames(self, acting: Acting) -> Frames:
        """All of it."""
        at = np.concatenate([np.array(each) for each in self._at])
        c = np.concatenate([np.stack(each) for each in self._c])
        lengths = np.concatenate([np.array(each) for each in self._lengths])
        names = [field.name for field in fields(acting) if field.name != "ends"]
        acted = {name: getattr(acting, name)[at] for name in names}
        return Frames(**acted, ends=np.cumsum(lengths), c=c, beyond=np.zeros(len(c)))


def _step(
    physics: LatentPhysics,
    frames: FrameTensors,
    at: Tensor,
    states: tuple[Tensor, Tensor],
    *,
    inverse: Tensor,
    tolerance: float,
) -> Tensor:
    """c_t (n, K) where the potential of the step to frames (n,) is least, from c_{t-1} and c_{t-2}."""
    now, before = states
    energies = StepEnergies(physics, now, before, frames, at=at)
    return minimise(energies, 2.0 * now - before, inverse, tolerance, evaluations=EVALUATIONS)[0]

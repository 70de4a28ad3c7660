"""One training run of subspace neural physics: Algorithm 1, and its validation rollouts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from learning.methods.subspace_physics.going_back import GoingBack
from learning.methods.subspace_physics.network import Roller, SubspaceNetwork
from learning.methods.subspace_physics.presets import SubspacePreset
from learning.training.amsgrad import AmsGrad
from learning.training.muon import Muon
from learning.training.subspace_data import SubspaceData
from learning.training.subspace_validation import SubspaceValidation
from learning.training.tensor_files import Tensors
from learning.training.validation_error import ValidationError
from learning.training.validation_rollouts import ROLLOUT
from neural_physics.arrays import Floats

LARGEST_GRADIENT = 1.0
WARM_UP = 50  # steps until the full learning rate
FAR = 0.1  # from where on the loss "distances" is of distances; 1: as far as the mean shape
MATRIX_RATE = 5.0  # of Muon's matrices, in learning rates
CARRY_FROM, CARRY_TO = 0.2, 0.5  # shares of the training between which `Preset.carry` is reached


class SubspaceLearner:
    """Algorithm 1 of the paper on windows of the training data."""

    def __init__(
        self,
        data: SubspaceData,
        preset: SubspacePreset,
        fps: float,
        seed: int,
        *,
        network: SubspaceNetwork,
        roller: Roller,
    ) -> None:
        """roller: what rolls the network out, itself if nothing faster does."""
        self._preset, self._fps, self._seed, self._sequences = preset, fps, seed, data.training
        self.network, self.roller = network, roller
        self.theta = network.initial.copy()
        self._average = self.theta.copy()
        self._optimiser = _optimiser(network, preset)
        weights = data.deviations**2
        self._metres = weights / weights.sum()
        self._starts: dict[int, NDArray[np.int64]] = {}
        self._carried = Carried.none(preset.batch, data.training.z.shape[1])
        self._validation = SubspaceValidation(data)
        self._going_back = GoingBack(self._now())

    def step(self, number: int, share: float) -> float:
        """One step of the optimiser on a batch of windows (Holden 2019, Algorithm 1); its loss."""
        preset, sequences = self._preset, self._sequences
        frames, z0, z1 = self._begin(share, self._window(share), np.random.default_rng([self._seed, number]))
        rolled, pullback = self.roller.with_pullback(self.theta, z0, z1, sequences.w[frames])
        z, from_truth = sequences.z[frames], self._carried.age == 0
        self._carried = self._carried.after(frames[-2], np.concatenate([z1[None], rolled]))
        lost = np.square(rolled[-1] - z[-1]) @ self._metres > preset.carry_within**2
        self._carried = self._carried.let_go(lost)
        loss, slope = self.loss(rolled, z, z1, self._counts(len(rolled), from_truth))
        gradient = pullback(slope)
        length = float(np.sqrt(np.square(gradient).sum(dtype=np.float64)))
        if length > LARGEST_GRADIENT:
            gradient *= np.float32(LARGEST_GRADIENT / length)
        self._optimiser.step(self.theta, gradient, self._learning_rate(number, share))
        decay = 0.0 if preset.average == 0 else min(1.0 - 1.0 / preset.average, number / (number + 10))
        self._average += np.float32(1.0 - decay) * (self.theta - self._average)
        back = self._going_back.after(loss, self._now)
        if back is None:
            return loss
        self._go_on_from(back)
        return self._going_back.usual

    def validate(self) -> ValidationError:
        """See `Learner`."""
        return self._validation.error(partial(self.roller.rollout, self._average))

    def weights(self) -> Tensors:
        """See `Learner`."""
        return self.network.tensors(self._average)

    def state(self) -> Tensors:
        """See `Learner`."""
        return self._now() | self._going_back.state()

    def restore(self, state: Tensors) -> None:
        """See `Learner`."""
        self._go_on_from(state)
        self._going_back.restore(state)

    def loss(self, rolled: Floats, z: Floats, z1: Floats, counts: Floats) -> tuple[float, Floats]:
        """The loss of z_2 .. z_{s-1} (s - 2, n, u), rolled out from z_1 (n, u), where z (s, n, u) is true;
        and its slope (s - 2, n, u). counts (s - 2, n): each frame's, but in the paper's loss.

        The preset's loss "paper" is L_pos + L_vel (Holden 2019, Algorithm 1). "distances" is d^2 of a frame
        that is d off where that is little, and 2 c d where it is much (pseudo-Huber, c = FAR): a few windows
        that hang on the wrong side of a ball do not outweigh all others, as they do in squares.
        """
        off = rolled - z[2:]
        if self._preset.loss != "paper":
            weighted = off * self._metres
            squares = np.einsum("tnu,tnu->tn", weighted, off)
            slopes = counts * off.dtype.type(2.0 / counts.size)
            if self._preset.loss == "metres":
                return float((counts * squares).mean(dtype=np.float64)), weighted * slopes[..., None]
            far = off.dtype.type(FAR)
            rounded = np.sqrt(squares + far * far)
            loss = 2.0 * FAR * float((counts * (rounded - far)).mean(dtype=np.float64))
            return loss, weighted * (slopes * far / rounded)[..., None]
        change = np.diff(rolled, axis=0, prepend=z1[None]) - np.diff(z[1:], axis=0)
        signs = np.sign(change) * np.float32(self._fps)
        slope = np.sign(off) + signs
        slope[:-1] -= signs[1:]
        return float(np.abs(off).mean() + np.abs(change).mean() * self._fps), slope / np.float32(off.size)

    def _now(self) -> Tensors:
        """What the next step depends on, but for what it may go back to."""
        carried = {f"carried.{name}": array for name, array in vars(self._carried).items()}
        own = {"theta": self.theta, "average": self._average}
        return {name: each.copy() for name, each in (own | self._optimiser.state() | carried).items()}

    def _go_on_from(self, state: Tensors) -> None:
        self.theta[:], self._average[:] = state["theta"], state["average"]
        self._optimiser.restore(state)
        self._carried = Carried(**{name: state[f"carried.{name}"].copy() for name in vars(self._carried)})

    def _begin(
        self, share: float, window: int, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Frames (s, n) of this step's windows, and the two states each starts from (n, u).

        True ones with the noise r_0 and r_1 (Holden 2019, Algorithm 1), or what is carried on.
        """
        preset, held, (z, ends) = self._preset, self._carried, (self._sequences.z, self._sequences.ends)
        starts = self._window_starts(window)
        picked = starts[random.integers(len(starts), size=preset.batch)]
        noise = np.float32(preset.noise) * random.standard_normal((2, preset.batch, z.shape[1]), np.float32)
        drawn = random.random(preset.batch)
        risen = (share - CARRY_FROM) / (CARRY_TO - CARRY_FROM)
        run = np.minimum(np.searchsorted(ends, held.frame, side="right"), len(ends) - 1)
        fits = (held.frame + window <= ends[run]) & (held.age < ROLLOUT)
        goes_on = fits & (drawn < preset.carry * min(1.0, max(0.0, risen)))
        self._carried = held.restarted(~goes_on)
        first = np.where(goes_on, held.frame, picked)
        z0 = np.where(goes_on[:, None], held.before, z[first] + noise[0])
        z1 = np.where(goes_on[:, None], held.now, z[first + 1] + noise[1])
        return np.arange(window)[:, None] + first, z0, z1

    def _counts(self, frames: int, from_truth: NDArray[np.bool_]) -> Floats:
        """(frames, n): how much each frame of windows counts that start from true states, or do not (n,)."""
        more = self._preset.first_weight * np.exp(-np.arange(frames))
        return (1.0 + np.outer(more, from_truth)).astype(np.float32)

    def _window(self, share: float) -> int:
        """Frames per window: growing, since long windows of a poor model teach nothing."""
        preset = self._preset
        grown_by = min(1.0, share / preset.growth) if preset.growth else 1.0
        grown = round(preset.first_window * (preset.window / preset.first_window) ** grown_by)
        return min(grown, int(np.diff(self._sequences.ends, prepend=0).max()))

    def _window_starts(self, window: int) -> NDArray[np.int64]:
        if window not in self._starts:
            self._starts = {window: self._sequences.starts(window)}
        return self._starts[window]

    def _learning_rate(self, number: int, share: float) -> float:
        preset = self._preset
        rate = preset.learning_rate * self._going_back.rate
        if preset.decay is not None:
            epochs = number * preset.batch / len(self._sequences.z)
            return rate * preset.decay**epochs
        warm = min(1.0, (number + 1) / WARM_UP)
        return float(rate * warm * 0.5 * (1.0 + np.cos(np.pi * share)))


@dataclass(frozen=True)
class Carried:
    """Where the last step's windows ended in the model's own prediction, one row for each.

    frame (n,): of the first of the two states; before, now (n, u): the states; age (n,): frames since
    they were true, beyond every rollout's length while there are none.
    """

    frame: NDArray[np.int64]
    before: Floats
    now: Floats
    age: NDArray[np.int64]

    @classmethod
    def none(cls, count: int, bases: int) -> Carried:
        """Nothing to carry on yet."""
        frame, age = np.zeros(count, np.int64), np.full(count, ROLLOUT, np.int64)
        return cls(frame, np.zeros((count, bases), np.float32), np.zeros((count, bases), np.float32), age)

    def restarted(self, rows: NDArray[np.bool_]) -> Carried:
        """Where some rows start from true states."""
        return Carried(self.frame, self.before, self.now, np.where(rows, 0, self.age))

    def let_go(self, rows: NDArray[np.bool_]) -> Carried:
        """Where some rows are not to be carried on."""
        return Carried(self.frame, self.before, self.now, np.where(rows, ROLLOUT, self.age))

    def after(self, frame: NDArray[np.int64], states: Floats) -> Carried:
        """The last two of z_1 .. z_{s-1} (s - 1, n, u); frame (n,): of the first of them."""
        return Carried(frame, states[-2].copy(), states[-1].copy(), self.age + len(states) - 1)


def _optimiser(network: SubspaceNetwork, preset: SubspacePreset) -> AmsGrad | Muon:
    count = len(network.initial)
    if preset.optimiser == "amsgrad":
        return AmsGrad(count, preset.weight_decay)
    return Muon(count, network.matrices, preset.weight_decay, MATRIX_RATE)

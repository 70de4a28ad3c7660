"""Equation 7 of Oh 2018 against epochs, of one level's network: as in its Table 1 and Fig. 10."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learning.training.loop import Schedule, Training
from learning.training.tensor_files import Tensors
from learning.training.validation_error import ValidationError
from ml_backend.methods.hierarchical_cloth.learner import LevelLearner
from ml_backend.methods.hierarchical_cloth.pairs import Pairs
from ml_backend.methods.hierarchical_cloth.presets import LevelPreset
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.hierarchical_cloth.batched_perceptron import BatchedPerceptron, Layers

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """epochs (k,); seen, unseen (k,): equation 7 in metres, over the pairs learned from and over others."""

    epochs: Floats
    seen: Floats
    unseen: Floats

    def at(self, epochs: float) -> tuple[float, float]:
        """The errors, seen and unseen, at the measurement nearest to so many epochs."""
        k = int(np.abs(self.epochs - epochs).argmin())
        return float(self.seen[k]), float(self.unseen[k])


def learned(
    pairs: Pairs, unseen: Pairs, preset: LevelPreset, measurements: int, *, checkpoint: Path, identity: str
) -> tuple[Curve, Layers]:
    """The curve of a preset's network over all its epochs, measured so many times at equal distances, and the
    network as it was where `unseen` was least.

    What was killed goes on from its checkpoint, and what was finished is not done again; identity: of the
    pairs.
    """
    learner = _Learner(pairs, unseen, preset)
    schedule = Schedule(learner.steps, max(1, learner.steps // measurements), learner.steps)
    training = Training(learner, schedule, checkpoint, f"{identity} {preset}")
    training.run(lambda event: None, StopRequest())
    steps, seen, unseen_too = np.array(learner.measured).T
    return Curve(steps * preset.batch / len(pairs), seen, unseen_too), layers_in(training.best, 1)


def layers_in(tensors: Tensors, level: int) -> Layers:
    """Those of a level, of what `LevelLearner.weights` gave."""
    found: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []
    prefix = f"levels.{level}"
    while f"{prefix}.{len(found)}.weight" in tensors:
        k = len(found)
        found.append((tensors[f"{prefix}.{k}.weight"], tensors[f"{prefix}.{k}.bias"]))
    return Layers(found, tensors.get(f"{prefix}.linear"), tensors.get(f"{prefix}.limits"))


def equation_7(layers: Layers, pairs: Pairs) -> float:
    """Metres: the root of the mean, over triangles, of the squared distance of all three new vertices."""
    said = BatchedPerceptron(layers, len(pairs))(np.ascontiguousarray(pairs.features.T)).T
    return _root(said - pairs.targets, pairs)


def linear_subdivision_error(local: Pairs) -> float:
    """Equation 7 in metres if new vertices are put in the middle of the edges.

    local: pairs of the form "local", whose targets are what is missing there.
    """
    return _root(local.targets, local)


def _root(wrong: NDArray[np.float32], pairs: Pairs) -> float:
    metres = wrong.astype(np.float64) * pairs.sizes[:, None]
    return float(np.sqrt((metres**2).sum(1).mean()))


class _Learner:
    """A `LevelLearner` of one level, which measures equation 7 where others roll out."""

    def __init__(self, pairs: Pairs, unseen: Pairs, preset: LevelPreset) -> None:
        self._pairs, self._unseen = pairs, unseen
        self._learner = LevelLearner([pairs], [], preset, 0)
        self.steps = self._learner.steps
        self.measured: list[tuple[float, float, float]] = []  # step, seen, unseen
        self._step = 0

    def step(self, number: int, share: float) -> float:
        self._step = number + 1
        return self._learner.step(number, share)

    def validate(self) -> ValidationError:
        layers = self._learner.levels[0].layers()
        seen, unseen = (equation_7(layers, pairs) for pairs in (self._pairs, self._unseen))
        self.measured.append((float(self._step), seen, unseen))
        return ValidationError(unseen)

    def weights(self) -> Tensors:
        return self._learner.weights()

    def state(self) -> Tensors:
        return {**self._learner.state(), "measured": np.array(self.measured).reshape(-1, 3)}

    def restore(self, state: Tensors) -> None:
        self.measured = [(float(a), float(b), float(c)) for a, b, c in state["measured"]]
        self._learner.restore({name: array for name, array in state.items() if name != "measured"})

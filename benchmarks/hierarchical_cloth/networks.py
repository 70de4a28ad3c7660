"""The networks that errors are of: the paper's and ours, trained once from all pairs of the training scenes.

They are kept in build/bench/hierarchy/networks; what was killed goes on where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from benchmarks.hierarchical_cloth.curves import layers_in
from benchmarks.hierarchical_cloth.scenes import HIERARCHY, learned_from
from learning.training.loop import Schedule, Training
from ml_backend.methods.hierarchical_cloth.learner import LevelLearner
from ml_backend.methods.hierarchical_cloth.pairs import Shapes, pairs_of
from ml_backend.methods.hierarchical_cloth.presets import PRESETS
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.hierarchical_cloth.batched_perceptron import Layers
from neural_physics.methods.hierarchical_cloth.networks import LevelNetworks

STEPS = 100_000  # of the paper's: as many as those of Table 1 have
TRAINED = {"paper": replace(PRESETS["paper"], steps=STEPS), "balanced": PRESETS["balanced"]}


@dataclass(frozen=True)
class Networks:
    """form: what they see. layers: of level 1 and up. training: steps, the best, each level's pairs."""

    form: str
    layers: list[Layers]
    training: dict[str, Any]

    def of(self, shapes: Shapes) -> LevelNetworks:
        """They infer one cloth's levels."""
        rest = shapes.hierarchy.sorted(shapes.rest)
        return LevelNetworks(shapes.hierarchy, rest, [self.form] * len(self.layers), self.layers)


def networks() -> dict[str, Networks]:
    """The trained networks by preset."""
    training, validation = learned_from()
    found = {}
    for name, preset in TRAINED.items():
        pairs = [pairs_of(training, level, preset.form, preset.pairs, seed=0) for level in (1, 2)]
        learner = LevelLearner(pairs, validation, preset, 0)
        schedule = Schedule(preset.steps or learner.steps, preset.validate_every, preset.patience)
        run = Training(learner, schedule, HIERARCHY / "networks" / f"{name}.safetensors", str(preset))
        run.run(lambda event: None, StopRequest())
        course = run.course
        about = {
            "steps": course.step,
            "best_step": course.best_step,
            "error": course.best_error,
            "pairs": [len(of_level) for of_level in pairs],
        }
        found[name] = Networks(preset.form, [layers_in(run.best, level) for level in (1, 2)], about)
    return found

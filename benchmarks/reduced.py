"""A method at reduced size: an example's takes, a training of so many steps, and the figures of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.declaration import Figure

FIGURES = {
    "error": Figure("error, one seed"),
    "step_us": Figure("step and decoding", "µs", timed=True),
    "simulation_ms": Figure("a frame of its simulation", "ms", timed=True),
    "speed_up": Figure("times faster than that", better="higher"),
}


@dataclass(frozen=True)
class Reduced:
    """What is baked and trained.

    training, validation, test: takes, and frames of each. seed: of the motion. poses: held ones beside them.
    simulation: changes of the example's simulation settings. changes: of the preset's settings, among them
    the number of steps; no limit of time. dataset_of: another benchmark, whose dataset is used instead.
    """

    method: str
    example: str
    training: tuple[int, int]
    validation: tuple[int, int]
    test: tuple[int, int]
    bases: int
    changes: tuple[str, ...] = ()
    preset: str = "preview"
    seed: int = 1
    poses: int = 0
    simulation: Mapping[str, Any] = field(default_factory=dict)
    dataset_of: str = ""

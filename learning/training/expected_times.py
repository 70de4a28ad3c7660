"""Roughly how long the stages of a training take, so that one bar can show all of them.

Measured on two cores with meshes of 2,601 vertices; where a machine is faster, or a training ends early, the
bar only moves faster.
"""

from __future__ import annotations

from learning.training.normal_regression import MOST_FRAMES, NORMALS
from learning.training.spans import Span
from learning.training.subspace_data import BASES, READING
from learning.training.vertex_errors import MEASURING
from learning.training.vertex_errors import MOST_FRAMES as MOST_MEASURED

# Seconds per million vertices of as many frames as are read.
FINDING_RATE, READING_RATE, NORMALS_RATE, MEASURING_RATE = 0.3, 0.02, 0.8, 0.1
STEP = 0.012  # seconds
CONTACT_STEP = 0.025  # the same of a training that asks where balls push, for each time that it asks
LEAST = 0.1  # seconds: so that no stage is without a part of the bar
TRAINING = "Training"


def of_data(spans: list[Span]) -> dict[str, float]:
    """Seconds by stage: what comes before a training in a subspace of the spans' shapes."""
    millions = _millions(spans)
    return {BASES: LEAST + FINDING_RATE * millions, READING: LEAST + READING_RATE * millions}


def of_normals(spans: list[Span]) -> dict[str, float]:
    """Seconds by stage: what comes after it."""
    frames = sum(map(len, spans))
    used = min(1.0, MOST_FRAMES / max(1, frames))
    return {NORMALS: LEAST + NORMALS_RATE * used * _millions(spans)}


def of_measuring(validation: list[Span]) -> dict[str, float]:
    """Seconds by stage: what each vertex's error takes in the end."""
    used = min(1.0, MOST_MEASURED / max(1, sum(map(len, validation))))
    return {MEASURING: LEAST + MEASURING_RATE * used * _millions(validation)}


def of_training(steps: int, minutes: float, step: float = STEP) -> float:
    """Seconds: until the clock ends it, 0 for never, or until all of its steps are done."""
    by_steps = steps * step
    return max(LEAST, min(by_steps, 60.0 * minutes) if minutes else by_steps)


def _millions(spans: list[Span]) -> float:
    return 1e-6 * sum(len(span) * span.take.positions.shape[1] for span in spans)

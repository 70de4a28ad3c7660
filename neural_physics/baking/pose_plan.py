"""The takes that hold quasistatic poses: how many poses each has, and what they are for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..datasets.dataset_info import Role, TakeInfo
from .plan import PlannedTake, going_on

BLOCK = 200  # poses that are planned together, so that several takes can be solved at the same time
HELD_OUT = 0.05  # of them for validation, and as many for testing
FEWEST_TO_HOLD_OUT = 3  # poses


def plan_poses(existing: Mapping[str, TakeInfo], count: int, seed: int) -> tuple[PlannedTake, ...]:
    """The takes of the first `count` poses of a dataset; those that were begun stay as planned then.

    Each take's seed follows from `seed` and its number, so more poses can be added later.
    """
    takes = []
    for number, (poses, role) in enumerate(_parts(count)):
        name = _name(number)
        if name in existing:
            takes.append(going_on(name, existing[name]))
        else:
            takes.append(PlannedTake(name, poses, _seed(seed, number), role, kind="quasistatic"))
    return tuple(takes)


def pose_take_names(count: int) -> list[str]:
    """What the takes of the first `count` poses are called."""
    return [_name(number) for number, _ in enumerate(_parts(count))]


def _name(number: int) -> str:
    return f"poses_{number:03d}"


def _parts(count: int) -> Iterator[tuple[int, Role]]:
    """How many poses of each block are to learn from, to choose the best model by, and to evaluate."""
    for first in range(0, count, BLOCK):
        block = min(BLOCK, count - first)
        held_out = max(1, round(HELD_OUT * block)) if block >= FEWEST_TO_HOLD_OUT else 0
        yield block - 2 * held_out, "training"
        if held_out:
            yield held_out, "validation"
            yield held_out, "test"


def _seed(seed: int, number: int) -> int:
    # One number more than a take of motion has, so that none has the same seed.
    return int(np.random.SeedSequence([seed, number, 1]).generate_state(1)[0])

"""`evaluate` with the colliders that takes have recorded."""

from __future__ import annotations

import argparse
from typing import Any

from learning.commands import evaluate
from ml_backend.evaluation.recorded_colliders import recorded_capsules
from neural_physics.jobs.events import Emit, StopRequest

add_arguments = evaluate.add_arguments


def run(args: argparse.Namespace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """See `learning.commands.evaluate.run`."""
    return evaluate.run(args, emit, stop, recorded_capsules)

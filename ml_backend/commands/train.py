"""`train` with the trainers of all methods."""

from __future__ import annotations

import argparse
from typing import Any

from learning.commands import train
from learning.methods.trainers import Trainers
from neural_physics.jobs.events import Emit, StopRequest

TRAINERS = Trainers("ml_backend.methods", "learning.methods", devices=("auto", "cpu", "cuda"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `train`."""
    train.add_arguments(parser, TRAINERS)


def run(args: argparse.Namespace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """See `learning.commands.train.run`."""
    return train.run(args, emit, stop, TRAINERS)

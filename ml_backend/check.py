"""`check DATASET`: what a dataset holds, and whether it can be trained from."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ml_backend.spans import split
from neural_physics.reporting import Emit, Progress, StopRequest
from neural_physics.takes import Dataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path)


def run(args: argparse.Namespace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Reads every frame once. Raises the Problem that training would."""
    dataset = Dataset.open(args.dataset)
    training, validation = split(dataset)
    spans = [*training, *validation]
    progress, done = Progress(emit, "Reading frames", sum(map(len, spans))), 0
    for span in spans:
        for chunk in span.chunks():
            stop.check()
            done += len(chunk)
            progress.at(done)
    return {
        "object": dataset.info.object,
        "vertices": dataset.info.vertex_count,
        "fps": dataset.info.fps,
        "channels": ", ".join(dataset.info.channels.names()),
        "takes": len(dataset.take_names()),
        "training_frames": sum(map(len, training)),
        "validation_frames": sum(map(len, validation)),
        "test_frames": sum(len(take.positions) for take in dataset.takes("test")),
    }

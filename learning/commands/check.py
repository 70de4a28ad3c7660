"""`check DATASET`: what a dataset holds, and whether it can be trained from."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from learning.training.spans import split
from neural_physics.datasets.frame_checks import checked
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.errors import Problem
from neural_physics.evaluation.rollouts import chunks
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.wording import plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `check`."""
    parser.add_argument("dataset", type=Path)


def run(args: argparse.Namespace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Reads every frame once and lists every take and everything that is wrong with it.

    Raises Problem("dataset_faulty"), and what training would.
    """
    dataset = Dataset.open(args.dataset)
    takes, faults = _open_takes(dataset)
    progress, done = Progress(emit, "Reading frames", sum(take.usable_frames for take in takes)), 0
    for take in takes:

        def read(frames: int) -> None:
            stop.check()
            nonlocal done
            done += frames
            progress.at(done)

        found = [f"{take.name}: {fault}" for fault in faults_of(take, read)]
        emit({"event": "log", "text": describe(take)})
        faults += found
    for fault in faults:
        emit({"event": "log", "text": fault})
    if faults:
        raise Problem(
            "dataset_faulty", path=args.dataset, count=plural(len(faults), "fault"), reason=faults[0]
        )
    training, validation = split(dataset)
    return {
        "object": dataset.info.object,
        "vertices": dataset.info.vertex_count,
        "fps": dataset.info.fps,
        "channels": ", ".join(dataset.info.channels.names()),
        "takes": len(takes),
        "training_frames": sum(map(len, training)),
        "validation_frames": sum(map(len, validation)),
        "test_frames": sum(len(t.positions) for t in takes if t.info.role == "test" and _moves(t)),
        "poses": sum(take.usable_frames for take in takes if not _moves(take)),
    }


def _moves(take: Take) -> bool:
    return take.info.kind != "quasistatic"


def describe(take: Take) -> str:
    """One line about a take."""
    there, asked = len(take.positions), take.info.frames
    of = "frame" if _moves(take) else "pose"
    words = [plural(there, of) if there == asked else f"{there:,} of {plural(asked, of)}"]
    words.append(f"for {take.info.role}")
    for excluded in take.info.excluded:
        words.append(f"{excluded.first} to {excluded.last} excluded ({excluded.reason})")
    if not take.info.complete:
        words.append("incomplete")
    return f"{take.name}: {', '.join(words)}"


def faults_of(take: Take, read: Callable[[int], None]) -> list[str]:
    """What is wrong with a take that can be opened; `read` is called with the number of frames read."""
    faults, frames = [], len(take.positions)
    if take.info.complete and frames < take.info.frames:
        faults.append(f"it is marked complete, but has only {frames} of {take.info.frames} frames")
    if take.info.excluded and max(e.last for e in take.info.excluded) >= max(frames, take.info.frames):
        faults.append("it excludes frames that it does not have")
    for start, stop in take.segments():
        for part in chunks(slice(start, stop)):
            read(part.stop - part.start)
            rows = {
                "positions.pc2": take.positions[part],
                "interaction.npy": take.interaction[part],
                "frames.npy": take.frames[part] if take.frames is not None else np.zeros(1),
            }
            if take.body_positions is not None and take.body_positions is not take.positions:
                rows["body.pc2"] = take.body_positions[part]
            faults += [
                f"{name} has a value that is not a number between frames {part.start} and {part.stop - 1}"
                for name, values in rows.items()
                if not np.isfinite(values).all()
            ]
    return faults


def _open_takes(dataset: Dataset) -> tuple[list[Take], list[str]]:
    takes, faults = [], []
    for name in dataset.take_names():
        try:
            takes.append(checked(dataset.take(name), dataset))
        except Problem as problem:
            faults.append(f"{name}: {problem.message}")
    return takes, faults

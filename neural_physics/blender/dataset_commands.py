"""Commands of `blender -b --command neural_physics` that need a dataset's folder, and no scene.

For computers that share the folder: one of them prepares the bake, and then each runs `work`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from ..baking.finishing import finish
from ..baking.gathering import states
from ..baking.plan import BakePlan
from ..baking.work import bake_rest
from ..baking.workers import number_of_takes
from ..datasets.takes import Dataset
from ..errors import Problem
from ..jobs.events import Event, StopRequest
from ..plain_text import print_line
from ..wording import plural
from .baking.local_programs import local_programs

SAY_EVERY = 10.0  # seconds


def add_to(commands: Any) -> None:  # noqa: ANN401 (argparse has no public name for what it gives)
    """Declare them."""
    work = commands.add_parser("work", help=_WORK, description=_WORK)
    work.set_defaults(run_on_dataset=_work)
    work.add_argument("--take", default="", metavar="NAME", help="this one alone")
    at_once = "how many takes at a time (default: as many as the bake says)"
    work.add_argument("--at-once", type=number_of_takes, default=0, metavar="N", help=at_once)
    ending = commands.add_parser("finish", help=_FINISH, description=_FINISH)
    ending.set_defaults(run_on_dataset=_finish)
    progress = commands.add_parser("progress", help=_PROGRESS, description=_PROGRESS)
    progress.set_defaults(run_on_dataset=_progress)
    for sub in (work, ending, progress):
        sub.add_argument("dataset", type=Path, help="the dataset's folder, as this computer names it")


_WORK = "Bake what nobody else bakes of a bake that was prepared, until nothing is left."
_FINISH = "End all takes of a bake with the frames that they have, and close it."
_PROGRESS = "Say how far each take of a bake is, on all computers."


def _work(args: argparse.Namespace) -> None:
    plan, stop = BakePlan.of_dataset(args.dataset), StopRequest()
    stop.listen()
    programs = local_programs(by_solver=plan.by_solver)
    result = bake_rest(plan, programs, _Teller().tell, stop, at_once=args.at_once, take=args.take)
    _say_result(result)


def _finish(args: argparse.Namespace) -> None:
    stop = StopRequest()
    stop.listen()
    try:
        plan = BakePlan.of_dataset(args.dataset)
    except Problem as problem:
        if problem.code != "not_prepared":
            raise
        takes = Dataset.open(args.dataset).outlines()  # closed already
        frames = sum(take.frame_count for take in takes)
        _say_result({"takes": len(takes), "frames": frames, "dataset": args.dataset})
        return
    _say_result(finish(plan, _Teller().tell, stop))


def _progress(args: argparse.Namespace) -> None:
    found = states(BakePlan.of_dataset(args.dataset))
    for state in found:
        print_line(state.sentence)
    done = sum(state.phase == "complete" for state in found)
    frames, planned = sum(state.frames for state in found), sum(state.take.frames for state in found)
    print_line(f"{done} of {plural(len(found), 'take')}, {frames:,} of {plural(planned, 'frame')}")


def _say_result(result: dict[str, object]) -> None:
    notes = result.get("notes", ())
    for note in notes if isinstance(notes, list) else ():
        print_line(str(note))
    print_line(f"{result['takes']} takes, {result['frames']:,} frames in {result['dataset']}")


class _Teller:
    """Says what a job says, in lines that come often enough for a farm that kills what is silent."""

    def __init__(self) -> None:
        self._said = float("-inf")

    def tell(self, event: Event) -> None:
        """One of its events."""
        if event["event"] == "log":
            print_line(event["text"])
        elif event["event"] == "progress" and time.monotonic() - self._said > SAY_EVERY:
            self._said = time.monotonic()
            share = event["done"] / event["total"] if event["total"] else 1.0
            print_line(f"{share:4.0%} {event['stage']}")

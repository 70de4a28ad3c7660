"""Commands of `blender -b --command neural_physics` that need a dataset's folder, and no scene.

For computers that share the folder: one of them prepares the bake, and then each runs `work`; each may run
`search` on what was baked.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

from ..baking.finishing import finish
from ..baking.gathering import states
from ..baking.plan import BakePlan
from ..baking.work import bake_rest
from ..baking.workers import LOOK_EVERY, number_of_takes
from ..datasets.takes import Dataset, is_there
from ..errors import Problem
from ..jobs.events import Event, StopRequest, parse_event
from ..jobs.isolated_python import clean_environment
from ..jobs.processes import WITHOUT_CONSOLE
from ..plain_text import one_line, print_line
from ..wording import plural
from .baking.local_programs import local_programs
from .jobs import programs
from .settings.own_folders import user_folder

SAY_EVERY = 10.0  # seconds
GONE = "The folder {dataset} cannot be reached: waiting until it is there again."
GONE_FOR = 600.0  # seconds, until a folder is taken for deleted


def add_to(commands: Any) -> None:  # noqa: ANN401 (argparse has no public name for what it gives)
    """Declare them."""
    work = commands.add_parser("work", help=_WORK, description=_WORK)
    work.set_defaults(run_on_dataset=_work)
    work.add_argument("--take", default="", metavar="NAME", help="this one alone")
    at_once = "how many takes at a time (default: as many as the bake says)"
    work.add_argument("--at-once", type=number_of_takes, default=0, metavar="N", help=at_once)
    scripts = "let the Python of the dataset's scenes run here, whoever made them: only if you trust them"
    work.add_argument("--run-scripts", action="store_true", help=scripts)
    ending = commands.add_parser("finish", help=_FINISH, description=_FINISH)
    ending.set_defaults(run_on_dataset=_finish)
    progress = commands.add_parser("progress", help=_PROGRESS, description=_PROGRESS)
    progress.set_defaults(run_on_dataset=_progress)
    search = commands.add_parser("search", help=_SEARCH, description=_SEARCH)
    search.set_defaults(run_on_dataset=_search)
    for sub in (work, ending, progress, search):
        sub.add_argument("dataset", type=Path, help="the dataset's folder, as this computer names it")
    search.add_argument("options", nargs=argparse.REMAINDER, help="as `python -m ml_backend search` has them")


_WORK = "Bake what nobody else bakes of a bake that was prepared, until nothing is left."
_FINISH = "End all takes of a bake with the frames that they have, and close it."
_PROGRESS = "Say how far each take of a bake is, on all computers."
_SEARCH = "Find the settings that train the best model, or take part in a search on another computer."


def _work(args: argparse.Namespace) -> None:
    stop = StopRequest()
    stop.listen()
    while (plan := _left(args.dataset)) is not None:
        programs = replace(local_programs(by_solver=plan.by_solver), all_trusted=args.run_scripts)
        try:
            result = bake_rest(plan, programs, _Teller().tell, stop, at_once=args.at_once, take=args.take)
        except (Problem, OSError) as problem:
            if is_there(args.dataset):
                raise
            _wait_for(args.dataset, stop, problem)
        else:
            _say_result(result)
            return


def _wait_for(dataset: Path, stop: StopRequest, problem: Problem | OSError) -> None:
    """Until a folder is there again, as after its server was restarted. Raises the problem if it is not."""
    print_line(GONE.format(dataset=dataset))
    gone = time.monotonic()
    while not is_there(dataset):
        stop.check()
        if time.monotonic() - gone > GONE_FOR:
            raise problem
        time.sleep(LOOK_EVERY)


def _finish(args: argparse.Namespace) -> None:
    plan, stop = _left(args.dataset), StopRequest()
    if plan is None:
        return
    stop.listen()
    _say_result(finish(plan, _Teller().tell, stop))


def _progress(args: argparse.Namespace) -> None:
    plan = _left(args.dataset)
    if plan is None:
        return
    found = states(plan)
    for state in found:
        print_line(state.sentence)
    done = sum(state.phase == "complete" for state in found)
    frames, planned = sum(state.frames for state in found), sum(state.take.frames for state in found)
    print_line(f"{done} of {plural(len(found), 'take')}, {frames:,} of {plural(planned, 'frame')}")


def _search(args: argparse.Namespace) -> None:
    """In the Python that trains, which ends when this Blender does, or is asked to."""
    stop = StopRequest()
    stop.listen()  # so that Ctrl-C is left to that process
    command = programs.ml_backend("Searching")
    with tempfile.TemporaryDirectory() as folder:
        stop_file = Path(folder, "stop")
        own = ("--json", "--coordinator", str(os.getpid()), "--stop-file", str(stop_file))
        searching = subprocess.Popen(
            [*command, "search", str(args.dataset.absolute()), *args.options, *own],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env=clean_environment(),
            cwd=user_folder(),
            creationflags=WITHOUT_CONSOLE,
        )
        Thread(target=_hand_on, args=(stop, stop_file, searching), daemon=True).start()
        ended, said = _heard(searching)
        status = searching.wait()
    if ended is None and status:
        raise Problem("ended_unexpectedly", status=status, said=said[-1] if said else "there was no output")
    if ended is None:  # as after --help
        for line in said:
            print_line(line)
    elif ended["event"] == "error":
        raise Problem.reported(ended["code"], ended["message"])
    else:
        for name in ("model", "validation_error", "settings"):
            print_line(f"{name.replace('_', ' ')}: {ended[name]}")


def _hand_on(stop: StopRequest, stop_file: Path, process: subprocess.Popen[str]) -> None:
    """Hand on that this process was asked to stop: farms ask it alone, and not what it has started."""
    while process.poll() is None:
        if stop.asked():
            with suppress(FileNotFoundError):  # it has just ended
                stop_file.touch()
            return
        time.sleep(LOOK_EVERY)


def _heard(process: subprocess.Popen[str]) -> tuple[Event | None, list[str]]:
    """How a job ended, if it said so, and what it printed beside its events, which are told."""
    ended, said, teller = None, [], _Teller()
    assert process.stdout is not None  # it was asked for
    for line in process.stdout:
        event = parse_event(line)
        if event is None:
            said.append(one_line(line.strip()))
            continue
        teller.tell(event)
        ended = event if event["event"] in ("error", "result") else ended
    return ended, said


def _left(dataset: Path) -> BakePlan | None:
    """What is left of a bake; None, and said, where it is done: others may have been quicker.

    Raises what `BakePlan.of_dataset` and `Dataset.open` do.
    """
    try:
        return BakePlan.of_dataset(dataset)
    except Problem as problem:
        if problem.code != "not_prepared":
            raise
        takes = Dataset.open(dataset).outlines()
        if not takes or not all(take.info.complete for take in takes):
            raise
    _say_result({"takes": len(takes), "frames": sum(take.frame_count for take in takes), "dataset": dataset})
    return None


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

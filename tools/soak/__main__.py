"""`python -m tools.soak`: for some minutes, break what an artist's machine does; 1 where anything is lost."""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import signal
import sys
import threading
import time
import traceback
from itertools import count
from pathlib import Path

from rich.console import Console

from tools.soak.activities import ACTIVITIES, Activity
from tools.soak.blends import ROOT, BlendReader
from tools.soak.faults import Kind
from tools.soak.places import Place, permissions_hold, with_own_mounts
from tools.soak.reference import make_references
from tools.soak.report import Report
from tools.soak.rounds import Bench, Round, activity_of

SOAK = ROOT / "build" / "soak"
console = Console()


def main() -> int:
    """Soak as the command line says; the exit status."""
    arguments = _arguments()
    with_own_mounts()
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # both end the rounds that were begun
    seed = secrets.randbelow(1 << 32) if arguments.seed is None else arguments.seed
    console.print(f"Seed {seed}; what is found goes to {arguments.folder}")
    chosen = [activity for activity in ACTIVITIES if activity.name in (arguments.only or activity.name)]
    report = Report(seed, arguments.minutes)
    began = time.monotonic()
    blends = BlendReader()
    try:
        if arguments.round is not None:
            chosen = [activity_of(seed, arguments.round, chosen)]
            bench, places = _set_up(report, arguments.folder, chosen, blends, lanes=1)
            Round(bench, places[0], arguments.round).run()
        else:
            bench, places = _set_up(report, arguments.folder, chosen, blends, lanes=arguments.lanes)
            _soak(bench, places, arguments.minutes, arguments.rounds)
    finally:
        blends.close()
    report.seconds = time.monotonic() - began
    report.write(arguments.folder / "report.json")
    console.print(report.table())
    for line in report.summary():
        console.print(line, markup=False, highlight=False)
    return 1 if report.violations else 0


def _set_up(
    report: Report, folder: Path, activities: list[Activity], blends: BlendReader, *, lanes: int
) -> tuple[Bench, list[Place]]:
    """Make the places, find out what is possible here, and do everything once without breaking it."""
    shutil.rmtree(folder / "violations", ignore_errors=True)
    places = [Place.make(folder / f"lane_{lane}") for lane in range(lanes)]
    ordinary = permissions_hold()
    left_out: tuple[Kind, ...] = ()
    if ordinary is None:
        left_out = ("read-only folder",)
        report.left_out.append("read-only folders, since permissions do not hold for this user")
    if not places[0].mounted:
        report.left_out.append("full disks; files could not grow instead, since nothing may be mounted here")
    references = make_references(
        folder / "reference", places[0], activities, blends=blends.holds, say=console.print
    )
    bench = Bench(
        report.seed,
        references,
        activities,
        blends.holds,
        report,
        folder / "violations",
        ordinary or (),
        left_out,
    )
    return bench, places


def _soak(bench: Bench, places: list[Place], minutes: float, rounds: int | None) -> None:
    """Rounds until the time is over, or there were so many, in each place one after the other."""
    numbers = iter(count() if rounds is None else range(rounds))
    deadline = time.monotonic() + 60.0 * minutes

    stopped = threading.Event()

    def work(place: Place) -> None:
        while time.monotonic() < deadline and not stopped.is_set():
            number = next(numbers, None)
            if number is None:
                return
            done = Round(bench, place, number)
            try:
                found = done.run()
            except Exception:  # noqa: BLE001 (a soak that has a mistake itself has not shown anything)
                found = [done.failed(traceback.format_exc())]
            for violation in found:
                console.print(f"Round {done.number}, {violation.activity}: {violation.what}", markup=False)
            bench.report.write(bench.evidence.parent / "report.json")

    lanes = [threading.Thread(target=work, args=(place,)) for place in places]
    for lane in lanes:
        lane.start()
    try:
        for lane in lanes:
            lane.join()
    except KeyboardInterrupt:
        console.print("Stopping: the rounds that were begun are ended.")
        stopped.set()
        for lane in lanes:
            lane.join()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, help="so many, where the time is enough (default: all of it)")
    parser.add_argument("--seed", type=int, help="what is drawn by chance (default: another each time)")
    parser.add_argument("--round", type=int, help="one round of that seed alone, to see it again")
    parser.add_argument("--only", action="append", help="one activity, by name; may be repeated")
    parser.add_argument("--lanes", type=int, default=os.cpu_count() or 1, help="rounds at the same time")
    parser.add_argument("--folder", type=Path, default=SOAK)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

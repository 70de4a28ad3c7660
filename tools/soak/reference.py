"""What each activity leaves when nothing interrupts it, made once before anything is broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.soak.activities import ACTIVITIES, Activity
from tools.soak.blends import ROOT
from tools.soak.commands import CommandRun
from tools.soak.contents import Blends, Contents, read_folder
from tools.soak.marks import wait_for_none
from tools.soak.moments import Times
from tools.soak.places import Place

LONGEST = 240.0  # seconds


class NotWhole(Exception):
    """An activity that nobody interrupted has failed: there is nothing to compare with."""


@dataclass(frozen=True)
class Reference:
    """begin: the folder as the activity finds it; whole: what it leaves there."""

    begin: Path
    whole: Contents
    times: Times


def make_references(
    folder: Path,
    place: Place,
    activities: Iterable[Activity],
    *,
    blends: Blends,
    say: Callable[[str], None],
) -> Mapping[str, Reference]:
    """Do these activities, and those that they begin with, once each. Raises NotWhole."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    scenes = [sys.executable, "-m", "tools.soak.scenes", str(folder)]
    environment = {**os.environ, **place.environment(f"{os.getpid()} scenes")}
    subprocess.run(scenes, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=LONGEST)
    made: dict[str, Reference] = {}
    wanted = _with_those_before(activities)
    for activity in ACTIVITIES:
        if activity.name in wanted:
            made[activity.name] = _make(folder, place, activity, blends)
            say(f"{activity.name}: {made[activity.name].times.ends:.1f} s")
    return made


def _with_those_before(activities: Iterable[Activity]) -> set[str]:
    wanted = {activity.name for activity in activities}
    for activity in reversed(ACTIVITIES):
        if activity.name in wanted:
            wanted.update(source for source, _ in activity.begins_with.values())
    return wanted


def _make(folder: Path, place: Place, activity: Activity, blends: Blends) -> Reference:
    begin = folder / f"before {activity.name}"
    for name, (source, path) in activity.begins_with.items():
        _copy(folder / source / path, begin / name)
    begin_anew(place, begin)
    mark = f"{os.getpid()} reference"
    run = CommandRun(activity, place, mark)
    while not run.has_begun() and run.wait(0.01) is None:
        pass
    begins = run.seconds
    if run.wait(LONGEST) != 0:
        raise NotWhole(f"{activity.name} failed although nothing was broken: {run.printed()[-2000:]}")
    times = Times(begins, run.seconds)
    wait_for_none(mark, LONGEST)
    shutil.copytree(place.work, folder / activity.name)
    whole = read_folder(place.work, blends)
    if whole.damaged:
        raise NotWhole(f"{activity.name} leaves damaged files: {', '.join(whole.damaged)}")
    return Reference(begin, whole, times)


def begin_anew(place: Place, begin: Path) -> None:
    """Let a place hold what an activity begins with, and nothing else."""
    shutil.rmtree(place.work, ignore_errors=True)
    shutil.copytree(begin, place.work)


def _copy(source: Path, to: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, to, dirs_exist_ok=True)
    else:
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, to)

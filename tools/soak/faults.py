"""What breaks a run: drawn by chance, struck at a moment, and undone when the command has ended."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

from neural_physics.jobs.process import is_written
from tools.soak.activities import DATASET, MODEL, Activity
from tools.soak.commands import CommandRun
from tools.soak.marks import kill_all, marked, send
from tools.soak.moments import Moment
from tools.soak.places import Place
from tools.soak.scenes import SCENE

Kind = Literal[
    "kill all",
    "kill the command",
    "kill one",
    "terminate",
    "stop file",
    "freeze",
    "full disk",
    "read-only folder",
    "deleted folder",
    "file times",
    "half-written file",
]
# How often each is drawn.
KINDS: dict[Kind, int] = {
    "kill all": 34,
    "kill one": 34,
    "kill the command": 8,
    "terminate": 3,
    "stop file": 3,
    "freeze": 4,
    "full disk": 4,
    "read-only folder": 3,
    "deleted folder": 3,
    "file times": 2,
    "half-written file": 2,
}
KILLS: tuple[Kind, ...] = ("kill all", "kill one", "kill the command")
# A process may end without a word that arrives: it had no time or room for one, or its log was deleted.
MAY_CRASH: tuple[Kind, ...] = (*KILLS, "terminate", "full disk", "deleted folder")
HOUR = 3600.0
MOST_LEFT = 1 << 16  # bytes on a disk that is full
HALF = b'{"half": "writ'
LOGS = f"{DATASET}/jobs"
FOLDERS = (
    ".",
    DATASET,
    f"{DATASET}/takes",
    f"{DATASET}/takes/take_000",
    f"{DATASET}/bake",
    LOGS,
)
DELETABLE = (*FOLDERS[1:], f"{MODEL}.training", "evaluation.new", f"{DATASET}/import.new")


@dataclass(frozen=True)
class Fault:
    """share: what the kind chooses by, such as one of several processes, 0 to 1.

    at_once: the command is run again while what is left of it may still run.
    """

    kind: Kind
    moment: Moment
    share: float
    at_once: bool

    @classmethod
    def draw(cls, chance: random.Random, *, left_out: tuple[Kind, ...] = ()) -> Fault:
        """Any fault but those; by far most of them kill."""
        kinds = [kind for kind in KINDS if kind not in left_out]
        kind = chance.choices(kinds, [KINDS[kind] for kind in kinds])[0]
        return cls(kind, Moment.draw(chance), chance.random(), chance.random() < 0.5)

    def to_json(self) -> dict[str, Any]:
        """For a report."""
        return asdict(self)


def prepare(fault: Fault, activity: Activity, place: Place) -> None:
    """What has to be there before the command starts: for half-written files."""
    if fault.kind != "half-written file":
        return
    scratch = [
        new for name, new in activity.writes.items() if name == SCENE or not (place.work / name).exists()
    ]
    scratch += [f"{activity.job}.json.new"] if activity.job else []
    for path in (place.work / name for name in scratch):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(HALF)


def strike(fault: Fault, activity: Activity, run: CommandRun) -> str:
    """Do it now; what was done, in words."""
    return _STRIKES[fault.kind](fault, activity, run)


def undo(fault: Fault, activity: Activity, place: Place, begin: Path) -> None:
    """Let the command run to its end the next time. begin: what was there before the activity.

    What adds a take gives it the next free name, so that it begins anew where takes were deleted.
    """
    if fault.kind == "full disk":
        place.make_room()
    elif fault.kind == "read-only folder":
        for folder in (place.work, *_folders(place.work)):
            folder.chmod(0o755)
    elif fault.kind == "deleted folder":
        if activity.adds:
            shutil.rmtree(place.work)
        for path in sorted(begin.rglob("*")):
            there = place.work / path.relative_to(begin)
            if path.is_file() and not there.exists():
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, there)


def _kill_all(_: Fault, __: Activity, run: CommandRun) -> str:
    run.was_ended = True
    return f"{kill_all(run.mark)} processes killed"


def _kill_the_command(_: Fault, __: Activity, run: CommandRun) -> str:
    run.was_ended = True
    send(run.pid, signal.SIGKILL)
    return "what was started by hand killed; its job goes on"


def _kill_one(fault: Fault, _: Activity, run: CommandRun) -> str:
    """One of those that the command has started, if there is one."""
    pids = marked(run.mark)
    others = [pid for pid in pids if pid != run.pid] or pids
    if not others:
        return "there was none"
    which = int(fault.share * len(others))
    run.was_ended = others[which] == run.pid
    send(others[which], signal.SIGKILL)
    return f"process {which + 1} of {len(others)} killed"


def _terminate(fault: Fault, _: Activity, run: CommandRun) -> str:
    pids = marked(run.mark)
    chosen = pids if fault.share < 0.5 else [pid for pid in pids if pid != run.pid]
    run.was_ended = run.pid in chosen
    for pid in chosen:
        send(pid, signal.SIGTERM)
    return f"SIGTERM to {len(chosen)} of {len(pids)} processes"


def _stop(_: Fault, activity: Activity, run: CommandRun) -> str:
    path = run.place.work / f"{activity.job}.stop"
    if not activity.job or not path.parent.is_dir():
        return "there was no job to stop"
    path.touch()
    if not is_written(path.with_suffix(".jsonl")):
        path.unlink(missing_ok=True)  # as nobody can ask a job to stop that has just ended
        return "there was no job to stop"
    return f"{path.name} made"


def _freeze(fault: Fault, _: Activity, run: CommandRun) -> str:
    pids = marked(run.mark)
    chosen = pids if fault.share < 0.5 else pids[int((2 * fault.share - 1) * len(pids)) :][:1]
    for pid in chosen:
        send(pid, signal.SIGSTOP)
    time.sleep(0.2 + fault.share)
    for pid in chosen:
        send(pid, signal.SIGCONT)
    return f"{len(chosen)} of {len(pids)} processes frozen for {0.2 + fault.share:.1f} s"


def _fill(fault: Fault, _: Activity, run: CommandRun) -> str:
    left = int(fault.share * MOST_LEFT)
    run.place.fill(left, run.mark)
    return f"{left} bytes left" if run.place.mounted else f"no file larger than {left} bytes"


def _protect(fault: Fault, _: Activity, run: CommandRun) -> str:
    folder = _chosen(run.place.work, FOLDERS, fault.share)
    if folder is None:
        return "there was no folder"
    folder.chmod(0o555)
    return f"{folder.relative_to(run.place.work)} made read-only"


def _delete(fault: Fault, _: Activity, run: CommandRun) -> str:
    folder = _chosen(run.place.work, DELETABLE, fault.share)
    if folder is None:
        return "there was no folder"
    shutil.rmtree(folder, ignore_errors=True)
    return f"{folder.relative_to(run.place.work)} deleted"


def _change_times(fault: Fault, _: Activity, run: CommandRun) -> str:
    now, later = time.time(), HOUR if fault.share < 0.5 else -HOUR
    paths = [path for path in run.place.work.rglob("*") if crc32(f"{path.name} {fault.share}".encode()) % 2]
    for path in paths:
        with suppress(FileNotFoundError):
            os.utime(path, (now + later, now + later))
    return f"times of {len(paths)} files set to {later / HOUR:+.0f} h"


def _nothing_more(_: Fault, __: Activity, ___: CommandRun) -> str:
    return "half-written files lay where new ones were written"


_STRIKES: dict[Kind, Callable[[Fault, Activity, CommandRun], str]] = {
    "kill all": _kill_all,
    "kill the command": _kill_the_command,
    "kill one": _kill_one,
    "terminate": _terminate,
    "stop file": _stop,
    "freeze": _freeze,
    "full disk": _fill,
    "read-only folder": _protect,
    "deleted folder": _delete,
    "file times": _change_times,
    "half-written file": _nothing_more,
}


def _chosen(work: Path, names: Sequence[str], share: float) -> Path | None:
    there = [work / name for name in names if (work / name).is_dir()]
    return there[int(share * len(there))] if there else None


def _folders(work: Path) -> Iterator[Path]:
    return (path for path in work.rglob("*") if path.is_dir())

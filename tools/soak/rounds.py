"""One round: an activity is begun, broken some times, run to its end, and what it leaves is checked."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.soak import checks, faults
from tools.soak.activities import DATASET, Activity
from tools.soak.commands import CommandRun
from tools.soak.contents import Blends, read_folder
from tools.soak.faults import KILLS, MAY_CRASH, Fault, Kind
from tools.soak.marks import described, kill_all, wait_for_none
from tools.soak.places import Place
from tools.soak.reference import Reference, begin_anew
from tools.soak.report import Report, Violation

MOST_FAULTS = 8
LONGEST_RUN = 180.0  # seconds, on a machine that is busy with other things
ENDS_WITHIN = 90.0  # seconds in which what a killed command has left behind ends on its own
BUSY_AGAIN = 0.3  # seconds until the next try, where a job of a killed command still goes on
MOST_EVIDENCE = 10  # folders that are kept


@dataclass(frozen=True)
class Bench:
    """What all rounds share. ordinary: the words before a command for which permissions hold."""

    seed: int
    references: Mapping[str, Reference]
    activities: Sequence[Activity]
    blends: Blends
    report: Report
    evidence: Path
    ordinary: tuple[str, ...] = ()
    left_out: tuple[Kind, ...] = ()


def activity_of(seed: int, number: int, activities: Sequence[Activity]) -> Activity:
    """Which of these activities a round is about."""
    return random.Random(f"{seed} {number} activity").choice(activities)


@dataclass
class Round:
    """The round of this number; seed and number decide what is done, and when."""

    bench: Bench
    place: Place
    number: int
    struck: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[Violation] = field(default_factory=list)
    runs: int = 0

    def __post_init__(self) -> None:
        self.activity = activity_of(self.bench.seed, self.number, self.bench.activities)
        chance = random.Random(f"{self.bench.seed} {self.number}")
        left_out = self.bench.left_out
        self.faults = [
            Fault.draw(chance, left_out=left_out) for _ in range(1 + chance.randrange(MOST_FAULTS))
        ]
        self.reference = self.bench.references[self.activity.name]
        self.mark = f"{os.getpid()} {self.bench.seed} {self.number}"

    def run(self) -> list[Violation]:
        """Do all of it; what was wrong."""
        begin_anew(self.place, self.reference.begin)
        try:
            done = any(self._is_done() or self._break_once(fault) for fault in self.faults) or self._is_done()
            if not self.wrong and not done:
                self._finish()
            if not self.wrong:
                self._check_end()
        finally:
            kill_all(self.mark)
            self.place.make_room()
        self.bench.report.ended(self.activity.name, self.wrong)
        return self.wrong

    def _break_once(self, fault: Fault) -> bool:
        """Run the command, and let the fault strike; whether there is nothing more to be broken."""
        before = self._finished()
        faults.prepare(fault, self.activity, self.place)
        run = self._start_when_free(fault)
        if run is None:
            return True
        struck = fault.moment.wait(run, self.reference.times)
        if struck:
            self._strike(fault, run)
        status = self._end_of(run)
        self.bench.report.ran(checks.codes_in(run.printed()), missed=not struck)
        self._judge(run, status, [fault.kind] if struck else [])
        if not (fault.at_once and fault.kind in KILLS):
            self._settle()
        elif fault.kind == "kill all":
            kill_all(self.mark)
        faults.undo(fault, self.activity, self.place, self.reference.begin)
        if fault.kind == "read-only folder":
            self._discard_what_nobody_could_delete()
        if fault.kind == "deleted folder":
            self._discard_what_was_made_of_less()
        else:
            self._complain(checks.kept(before, self._finished(), self.reference.whole))
        # What was deleted may have been deleted after it was finished, and what could not be deleted is left.
        return bool(self.wrong) or (status == 0 and fault.kind not in ("deleted folder", "read-only folder"))

    def _discard_what_nobody_could_delete(self) -> None:
        """Begun files of a folder that became read-only: what adds is not run again, and leaves them."""
        for path in self.place.work.rglob("*.new"):
            if path.is_file():
                path.unlink()

    def _discard_what_was_made_of_less(self) -> None:
        """What was finished of a part of what there should be is right, but not what it is compared with."""
        for name, found in self._finished().items():
            if found.startswith("damaged"):
                self._complain([f"{name} is {found}"])
            elif found != self.reference.whole.digests[name] and not name.endswith(".blend"):
                (self.place.work / name).unlink(missing_ok=True)

    def _strike(self, fault: Fault, run: CommandRun) -> None:
        seconds = round(run.seconds, 3)
        did = faults.strike(fault, self.activity, run)
        self.struck.append({**fault.to_json(), "run": self.runs - 1, "seconds": seconds, "did": did})
        self.bench.report.struck(self.activity.name, fault)

    def _finish(self) -> None:
        """Run the command to its end; nothing breaks it any more."""
        run = self._start_when_free(None)
        if run is None:
            return
        status = self._end_of(run)
        self.bench.report.ran(checks.codes_in(run.printed()), missed=False)
        self._judge(run, status, [])
        # The job of a killed command may have added the take just before this one would have.
        if status != 0 and not self.wrong and not self._is_done():
            self._complain([f"it does not end well although nothing broke it: {run.printed()[-600:]}"])

    def _start_when_free(self, fault: Fault | None) -> CommandRun | None:
        """Start the command; where it says that the job of the one before still goes on, wait for that.

        None where it did not become free.
        """
        deadline = time.monotonic() + ENDS_WITHIN
        while time.monotonic() < deadline:
            run = CommandRun(self.activity, self.place, self.mark, self.bench.ordinary)
            self.runs += 1
            if not (self.struck and self.struck[-1]["at_once"] and self._is_refused(run)):
                return run
            time.sleep(BUSY_AGAIN)
        self._complain(["the object is still busy, long after what it was busy with was killed"])
        return None

    def _is_refused(self, run: CommandRun) -> bool:
        """Whether it ends at once since the object is busy."""
        while run.status is None and not run.has_begun():
            time.sleep(0.01)
        run.wait(0.3)
        return run.status == 1 and set(checks.codes_in(run.printed())) == set(checks.BUSY)

    def _end_of(self, run: CommandRun) -> int | None:
        status = run.wait(LONGEST_RUN)
        if status is None:
            left = "; ".join(described(pid) for pid in wait_for_none(self.mark, 0.0))
            self._complain([f"it does not end within {LONGEST_RUN:.0f} s: {left}"])
            kill_all(self.mark)
        return status

    def _judge(self, run: CommandRun, status: int | None, kinds: list[Kind]) -> None:
        """A command may fail if it was broken, and then must say why."""
        printed = run.printed()
        self._complain(checks.tracebacks(printed, self.place.work))
        if not status or run.was_ended:  # well, not at all, or by what it was sent
            return
        left_over = bool(self.struck) and bool(self.struck[-1]["at_once"])
        crashed = left_over or any(kind in MAY_CRASH for kind in kinds)
        self._complain(checks.failure(printed, crashed=crashed))
        if status < 0:
            self._complain([f"it was ended by signal {-status}, which nobody sent: {printed[-600:]}"])
        elif not kinds and not left_over:
            self._complain([f"it fails although nothing broke it: {printed[-600:]}"])

    def _settle(self) -> None:
        """What a killed command has left running must end on its own."""
        left = wait_for_none(self.mark, ENDS_WITHIN)
        if left:
            self._complain([f"still running: {'; '.join(described(pid) for pid in left)}"])
            kill_all(self.mark)

    def _check_end(self) -> None:
        self._settle()
        found = read_folder(self.place.work, self.bench.blends)
        self._complain(checks.same_end(found, self.reference.whole))

    def failed(self, trace: str) -> Violation:
        """The soak itself has made a mistake in this round, which is counted as a violation."""
        self._complain([f"the soak itself failed: {trace}"])
        self.bench.report.ended(self.activity.name, self.wrong)
        return self.wrong[-1]

    def _is_done(self) -> bool:
        """Whether what a command adds is there, although it was killed: run again it would add another."""
        added = self.activity.adds
        return bool(added) and checks.is_complete(self.place.work / DATASET / "takes" / added)

    def _finished(self) -> dict[str, str]:
        return checks.finished(self.place.work, self.reference.whole, self.bench.blends)

    def _complain(self, sentences: Sequence[str]) -> None:
        if not sentences:
            return
        kept = ""
        folder = self.bench.evidence / f"round_{self.number}"
        if len(self.bench.report.violations) < MOST_EVIDENCE:
            kept = str(folder)
            with suppress(OSError):  # shutil's own too, where files go while they are copied
                shutil.copytree(self.place.work, folder, dirs_exist_ok=True, ignore_dangling_symlinks=True)
        about = (self.bench.seed, self.number, self.activity.name, self.runs - 1)
        self.wrong += [Violation(*about, what, tuple(self.struck), kept) for what in sentences]

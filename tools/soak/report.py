"""What a soak has done and found: counted while it runs, printed and written at its end."""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from neural_physics.wording import plural
from tools.soak.faults import KILLS, KINDS, Fault

MOST_SHOWN = 20  # violations; the file has all


@dataclass(frozen=True)
class Violation:
    """One thing that must not be, and what is needed to have it again: `make soak SEED=... ROUND=...`.

    run: the how many-th of the round's commands it was, from 0; faults: those of the round so far, with
    the seconds after which each struck and what it did. evidence: a copy of the folder.
    """

    seed: int
    round: int
    activity: str
    run: int
    what: str
    faults: tuple[dict[str, Any], ...]
    evidence: str = ""


@dataclass
class Report:
    """seed, minutes: as asked for. left_out: what could not be done here, and why."""

    seed: int
    minutes: float
    left_out: list[str] = field(default_factory=list)
    rounds: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    faults: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    stages: Counter[str] = field(default_factory=Counter)
    missed: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)
    seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def struck(self, activity: str, fault: Fault) -> None:
        """A fault has struck at its moment."""
        with self._lock:
            self.faults[activity][fault.kind] += 1
            if fault.kind in KILLS:
                self.stages[fault.moment.stage] += 1

    def ran(self, codes: list[str], *, missed: bool) -> None:
        """A command has ended, and said this; missed: before the fault that was meant for it."""
        with self._lock:
            self.runs += 1
            self.missed += missed
            self.answers.update(codes)

    def ended(self, activity: str, violations: list[Violation]) -> None:
        """A round is over."""
        with self._lock:
            self.rounds[activity] += 1
            self.violations += violations

    @property
    def kills(self) -> int:
        """How often something was killed."""
        return sum(counts[kind] for counts in self.faults.values() for kind in KILLS)

    def to_json(self) -> dict[str, Any]:
        """What report.json holds."""
        return {
            "seed": self.seed,
            "minutes": round(self.seconds / 60.0, 2),
            "asked_for_minutes": self.minutes,
            "left_out": self.left_out,
            "rounds": dict(self.rounds),
            "commands": self.runs,
            "faults": {activity: dict(counts) for activity, counts in sorted(self.faults.items())},
            "kills": self.kills,
            "kills_while": dict(self.stages),
            "missed": self.missed,
            "answers": dict(self.answers),
            "violations": [asdict(violation) for violation in self.violations],
        }

    def write(self, path: Path) -> None:
        """Write all of it, so far."""
        with self._lock:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(self.to_json(), indent=1) + "\n", encoding="utf-8")

    def table(self) -> Table:
        """The faults of each activity."""
        table = Table(title=f"Soak of {self.seconds / 60.0:.1f} minutes, seed {self.seed}")
        table.add_column("")
        for activity in (*sorted(self.rounds), "in all"):
            table.add_column(activity, justify="right")
        rows = {"rounds": self.rounds}
        rows |= {kind: Counter({a: self.faults[a][kind] for a in list(self.rounds)}) for kind in KINDS}
        for name, counts in rows.items():
            table.add_row(name, *(str(counts[a]) for a in sorted(self.rounds)), str(counts.total()))
        return table

    def summary(self) -> list[str]:
        """What there is to say beside the table."""
        while_ = ", ".join(f"{count} while {stage}" for stage, count in self.stages.most_common())
        lines = [f"{plural(self.kills, 'kill')} ({while_}), {plural(self.runs, 'command')}."]
        lines += [f"Left out: {sentence}" for sentence in self.left_out]
        for violation in self.violations[:MOST_SHOWN]:
            again = f"SEED={violation.seed} ROUND={violation.round}"
            lines.append(f"VIOLATION ({again}, {violation.activity}, run {violation.run}): {violation.what}")
            lines += [f"    {fault}" for fault in violation.faults]
            lines += [f"    {violation.evidence}"] if violation.evidence else []
        lines.append(f"{plural(len(self.violations), 'violation')}.")
        return lines

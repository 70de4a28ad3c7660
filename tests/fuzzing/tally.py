"""Many cases, counted by how they ended, for `make fuzz`."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

from fuzzing.campaign import Campaign, command
from fuzzing.watching import Outcome

WORKS, FAULTY = "works", "FOUND"


@dataclass
class Tally:
    """How all cases ended. faults: the cases in which something was found, by what it is."""

    ended: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    slowest: tuple[float, str, int] = (0.0, "", 0)
    largest: tuple[int, str, int] = (0, "", 0)

    def add(self, kind: str, seed: int, outcome: Outcome) -> None:
        """Count one case."""
        self.ended[kind, FAULTY if outcome.fault else outcome.problem or WORKS] += 1
        self.slowest = max(self.slowest, (outcome.seconds, kind, seed))
        self.largest = max(self.largest, (outcome.memory, kind, seed))
        if outcome.fault:
            self.faults.setdefault(outcome.fault, []).append((kind, seed))

    def lines(self) -> list[str]:
        """All of it for a person."""
        said = [f"{kind:8} {how:28} {count:7,}" for (kind, how), count in sorted(self.ended.items())]
        said.append(f"{sum(self.ended.values()):,} cases")
        said.append(f"slowest call: {self.slowest[0]:.2f} s, {command(*self.slowest[1:])}")
        said.append(f"most memory: {self.largest[0] / (1 << 20):.1f} MiB, {command(*self.largest[1:])}")
        for fault, cases in sorted(self.faults.items(), key=lambda item: -len(item[1])):
            said.append(f"{len(cases):5} × {fault}: {command(*cases[0])}")
        lost = sum(len(cases) for fault, cases in self.faults.items() if fault.startswith("NotFinite"))
        said.append(f"{lost} of them with numbers that are none")
        return said


def fuzzed(campaign: Campaign, kinds: list[str], seed: int, seconds: float) -> Tally:
    """Cases of all kinds in turn, each kind with as much time as the others."""
    tally, spent = Tally(), dict.fromkeys(kinds, 0.0)
    for kind in kinds:
        campaign.run(kind, seed)  # what it starts from is made by the first
    last = time.monotonic() + seconds
    while (began := time.monotonic()) < last:
        kind = min(kinds, key=lambda each: spent[each])
        tally.add(kind, seed, campaign.run(kind, seed))
        spent[kind] += time.monotonic() - began
        seed += 1
    return tally

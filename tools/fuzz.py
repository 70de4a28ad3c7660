"""`make fuzz MINUTES=5`: mutated files of all kinds, from fresh seeds, until the minutes are over."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), *sorted({str(path.parent) for path in (ROOT / "tests").rglob("*.py")})]

from fuzzing.campaign import KINDS, Campaign

MOST_SHOWN = 40


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", nargs="?", choices=list(KINDS), help="one kind only")
    parser.add_argument("seed", nargs="?", type=int, help="one case only")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--cases", type=int, default=0)
    parser.add_argument("--first", type=int, default=None)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder))
        if args.seed is not None:
            outcome = campaign.run(args.kind, args.seed)
            print(outcome)
            return int(bool(outcome.fault))
        kinds = [args.kind] if args.kind else list(KINDS)
        seed = secrets.randbelow(1 << 40) if args.first is None else args.first
        faults: dict[str, list[tuple[str, int]]] = {}
        ended: Counter[tuple[str, str]] = Counter()
        slowest, largest = (0.0, "", 0), (0, "", 0)
        last, done = time.monotonic() + 60 * args.minutes, 0
        while time.monotonic() < last and not 0 < args.cases <= done:
            kind = kinds[done % len(kinds)]
            outcome = campaign.run(kind, seed)
            ended[kind, outcome.problem or ("works" if not outcome.fault else "FAULT")] += 1
            slowest = max(slowest, (outcome.seconds, kind, seed))
            largest = max(largest, (outcome.memory, kind, seed))
            if outcome.fault:
                faults.setdefault(outcome.fault, []).append((kind, seed))
            seed, done = seed + 1, done + 1
        for (kind, how), count in sorted(ended.items()):
            print(f"{kind:12} {how:28} {count:7}")
        print("slowest", slowest, "largest", largest)
        for fault, cases in sorted(faults.items(), key=lambda f: -len(f[1])):
            print(f"{len(cases):5} {fault}   first: {cases[0]}")
        return int(bool(faults))


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)

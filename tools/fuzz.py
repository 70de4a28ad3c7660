"""`make fuzz MINUTES=5`: mutated files of all kinds, from fresh seeds, until the minutes are over.

`python -m tools.fuzz KIND SEED` repeats one case. The exit status is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Returns the exit status."""
    # The helpers of the tests lie beside the tests that they were made for.
    sys.path[:0] = [str(ROOT), *sorted({str(path.parent) for path in (ROOT / "tests").rglob("*.py")})]
    from fuzzing.campaign import KINDS, Campaign
    from fuzzing.tally import fuzzed

    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("kind", nargs="?", choices=list(KINDS), help="only this kind of file")
    parser.add_argument("seed", nargs="?", type=int, help="only this case")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--first", type=int, default=None, help="the first seed (default: any)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder))
        if args.seed is not None:
            outcome = campaign.run(args.kind, args.seed)
            sys.stdout.write(f"{outcome}\n")
            return int(bool(outcome.fault))
        seed = secrets.randbelow(1 << 32) if args.first is None else args.first
        tally = fuzzed(campaign, [args.kind] if args.kind else list(KINDS), seed, 60.0 * args.minutes)
    sys.stdout.write("\n".join(tally.lines()) + "\n")
    return int(bool(tally.faults))


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # nothing that was loaded is to be asked to end

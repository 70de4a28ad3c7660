"""Fill the figures of docs/benchmarks/ from build/bench/report.json, or from `--report FILE`.

Each folder of benchmarks has a page there. Each table stands between `<!-- PLACE -->` and `<!-- end -->`; the
words around them are by hand.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.folders import REPORT, ROOT
from benchmarks.registry import BENCHMARKS

PAGES = ROOT / "docs" / "benchmarks"


def main(arguments: Sequence[str] | None = None) -> None:
    """Replace each table whose part is in the report, and keep all other text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", type=Path, default=REPORT)
    report = json.loads(parser.parse_args(arguments).report.read_text(encoding="utf-8"))
    for name, benchmark in BENCHMARKS.items():
        made = {
            place: written(report[part])
            for place, (part, written) in benchmark.tables.items()
            if part in report
        }
        if made:
            path = PAGES / f"{name}.md"
            path.write_text(_filled(path.read_text(encoding="utf-8"), made), encoding="utf-8")


def _filled(page: str, tables: dict[str, str]) -> str:
    """The page with these texts, taken as they are, in their places."""
    for place, text in tables.items():
        placed = f"<!-- {place} -->\n{text}\n<!-- end -->"
        page = re.sub(rf"<!-- {place} -->.*?<!-- end -->", _as_it_is(placed), page, flags=re.DOTALL)
    return page


def _as_it_is(text: str) -> Callable[[re.Match[str]], str]:
    """What a match is replaced by, backslashes and all."""
    return lambda match: text


if __name__ == "__main__":
    main()

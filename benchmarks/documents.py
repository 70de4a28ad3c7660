"""Fill the figures of docs/benchmarks/ from build/bench/report.json, or from `--report FILE`.

Each folder of benchmarks has a page there. Each table stands between `<!-- PLACE -->` and `<!-- end -->`; the
words around them are by hand.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.folders import REPORT, ROOT
from benchmarks.registry import BENCHMARKS

PAGES = ROOT / "docs" / "benchmarks"


def _replaced(pattern: str, text: str, page: str) -> str:
    """The page with another text, taken as it is, where the pattern is found."""
    return re.sub(pattern, lambda _: text, page, flags=re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> None:
    """Replace each table whose part is in the report, and keep all other text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", type=Path, default=REPORT)
    report = json.loads(parser.parse_args(arguments).report.read_text(encoding="utf-8"))
    for name, benchmark in BENCHMARKS.items():
        tables = {place: table for place, table in benchmark.tables.items() if table[0] in report}
        if not tables:
            continue
        path = PAGES / f"{name}.md"
        page = path.read_text(encoding="utf-8")
        for place, (part, written) in tables.items():
            text = f"<!-- {place} -->\n{written(report[part])}\n<!-- end -->"
            page = _replaced(rf"<!-- {place} -->.*?<!-- end -->", text, page)
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

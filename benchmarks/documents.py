"""Fill the figures of docs/benchmarks.md from build/bench/report.json, or from `--report FILE`.

Each table stands between `<!-- PLACE -->` and `<!-- end -->`; the words around them are by hand.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.folders import REPORT, ROOT
from benchmarks.registry import TABLES

PAGE = ROOT / "docs" / "benchmarks.md"


def _replaced(pattern: str, text: str, page: str) -> str:
    """The page with another text, taken as it is, where the pattern is found."""
    return re.sub(pattern, lambda _: text, page, flags=re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> None:
    """Replace each table whose part is in the report, and keep all other text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", type=Path, default=REPORT)
    report = json.loads(parser.parse_args(arguments).report.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    for place, (part, written) in TABLES.items():
        if part in report:
            text = f"<!-- {place} -->\n{written(report[part])}\n<!-- end -->"
            page = _replaced(rf"<!-- {place} -->.*?<!-- end -->", text, page)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

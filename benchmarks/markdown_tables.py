"""Tables of the benchmarks' page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """In Markdown."""
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)

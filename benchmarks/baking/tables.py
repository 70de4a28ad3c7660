"""The table of workers in docs/benchmarks/baking.md; see `benchmarks.documents`."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks.markdown_tables import Column, table

WORKERS = (
    Column("simulated by", "name"),
    Column("frames", "frames", ","),
    Column("takes", "takes"),
    Column("one worker, frames/s", "one_fps", ".1f"),
    Column("two workers", "two_fps", ".1f"),
    Column("times", "ratio", ".2f"),
    Column("of each round: median", lambda row: median(row["ratios"]), ".2f"),
    Column("least to greatest", lambda row: f"{min(row['ratios']):.2f} to {max(row['ratios']):.2f}"),
    Column("rounds", lambda row: len(row["ratios"])),
    Column("a take beside its frames, s", "overhead_s", ".1f"),
)


def workers(part: dict[str, Any]) -> str:
    """The table of one worker beside two: frames per second, and seconds a take."""
    return table(WORKERS, part["rows"])

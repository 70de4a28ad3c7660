"""The table of workers in docs/benchmarks/baking.md; see `benchmarks.documents`."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown_tables import Column, table

WORKERS = (
    Column("simulated by", "name"),
    Column("frames", "frames", ","),
    Column("takes", "takes"),
    Column("one worker, frames/s", "one_fps", ".1f"),
    Column("two workers", "two_fps", ".1f"),
    Column("times", lambda row: f"{row['ratio']:.2f} ({min(row['ratios']):.2f} to {max(row['ratios']):.2f})"),
    Column("a take beside its frames, s", "overhead_s", ".1f"),
)


def workers(part: dict[str, Any]) -> str:
    """The table of one worker beside two: frames per second, and seconds a take."""
    return table(WORKERS, part["rows"])

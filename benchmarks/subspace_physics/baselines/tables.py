"""The tables of `comparison` in docs/benchmarks/subspace_physics.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Any

from benchmarks.markdown_tables import Column, table

MAIN = (
    Column("model", "name"),
    Column("weights", "weights", ","),
    Column("step, µs", lambda row: f"{row['step_us']:.0f} ({row['stepped_by']})"),
    Column("learning rate", "rate", "g"),
    Column("training, min", lambda row: median(run["seconds"] for run in row["runs"]) / 60, ".1f"),
    Column("error by seed", lambda row: _each(run["error"] for run in row["runs"])),
    Column("median", "error.median", ".3f"),
    Column("mean", "error.mean", ".3f"),
    Column("of each frame: mean", lambda row: median(run["mean"] for run in row["runs"]), ".3f"),
    Column("of each frame: median", lambda row: median(run["median"] for run in row["runs"]), ".3f"),
)


def main_tables(part: dict[str, Any]) -> str:
    """A table of errors for each box, and what the matrices of appendix A look like."""
    parts = [
        f"Box {box['box']}: {box['training_frames']:,} training frames, {box['test_frames']:,} test frames, "
        f"{part['bases']} bases, {part['steps']:,} steps.\n\n{table(MAIN, box['rows'])}"
        for box in part["boxes"]
    ]
    matrices = [
        f"{name} has nine tenths of its diagonal between {each['diagonal'][0]:.3f} and "
        f"{each['diagonal'][1]:.3f}, and {100 * each['off_diagonal']:.1f} % of its squares off it"
        for name, each in part["diagonal"].items()
    ]
    return "\n\n".join([*parts, f"Appendix A: {'; '.join(matrices)}."])


def frames_table(part: dict[str, Any]) -> str:
    """Errors by frames to learn from."""
    names = {row["key"]: row["name"] for row in part["boxes"][0]["rows"]}
    keys = part["sizes"][0]["errors"]
    columns = [
        Column("training frames", "frames", ","),
        *(Column(names[key], f"errors.{key}", ".3f") for key in keys),
    ]
    return table(columns, part["sizes"])


def _each(errors: Iterable[float]) -> str:
    return ", ".join(f"{error:.3f}" for error in errors)

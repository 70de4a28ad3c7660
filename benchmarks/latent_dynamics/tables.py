"""The tables of latent dynamics in docs/benchmarks/latent_dynamics.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from benchmarks.markdown_tables import Column, table

Row = dict[str, Any]


def _short(value: float | None) -> str:
    """Two or three digits."""
    if value is None:
        return ""
    if float(value).is_integer() and abs(value) >= 1:
        return f"{value:,.0f}"
    return f"{value:.2g}" if abs(value) < 100 else f"{value:,.0f}"


def _spread(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "not finite" if values else ""
    middle = _short(median(known))
    return middle if len(known) == 1 else f"{middle} ({_short(min(known))} to {_short(max(known))})"


def _diverged(runs: Sequence[Row]) -> str:
    at = [run["above_at"] for run in runs if run["above_at"] is not None]
    if not at:
        return "never"
    return f"{len(at)} of {len(runs)}, from frame {min(at)}"


def _of_seeds(head: str, value: Callable[[Row], float | None]) -> Column:
    """The median of the seeds, and in brackets the least and the most."""
    return Column(head, lambda row: [value(run) for run in row["runs"]], _spread)


def _most_elastic(row: Row) -> str:
    above = "" if row["above_at"] is None else f", above at {row['above_at']}"
    return _short(row["most_elastic"]) + above


def _total_ms(row: Row) -> float:
    return float(row["integration_ms"] + row["decode_ms"])


def _papers(row: Row) -> str | None:
    paper = row["paper"]
    return None if paper is None else f"{paper[0]:g} / {paper[1]:g} = {paper[0] / paper[1]:.0f}"


STEPS = _of_seeds("steps", lambda run: run["steps"])
SEEN = _of_seeds("seen", lambda run: run["seen"])
UNSEEN = _of_seeds("unseen", lambda run: run["unseen"])
KINETIC = _of_seeds("kinetic energy, unseen", lambda run: run["kinetic_unseen"])
ELASTIC = _of_seeds("most elastic energy in 5,000 frames", lambda run: run["most_elastic"])
ABLATIONS = {
    "cantilever": (
        STEPS,
        _of_seeds("first 100 frames", lambda run: run["seen"]),
        _of_seeds("mm from rest at frame 300", lambda run: run["away_mm"][0]),
        _of_seeds("at frame 1,000", lambda run: run["away_mm"][1]),
        _of_seeds("mm a frame at 300", lambda run: run["moves_mm"][0]),
        _of_seeds("at 1,000", lambda run: run["moves_mm"][1]),
        ELASTIC,
    ),
    "cloth": (STEPS, SEEN, UNSEEN, KINETIC, ELASTIC),
    "tuft": (
        STEPS,
        UNSEEN,
        KINETIC,
        ELASTIC,
        _of_seeds("slow half", lambda run: run["slow"]),
        _of_seeds("fast half", lambda run: run["fast"]),
    ),
}
PEER = (
    Column("", "name"),
    Column("ms a step", "ms", _short),
    Column("gap, mm", "gap_mm", _short),
    Column("rollout error", "error", _short),
)
CONTACT = (
    Column("", "name"),
    Column("error", lambda row: row.get("error"), ".3f"),
    Column("vertices inside, %", lambda row: 100 * row["share"], ".2f"),
    Column("frames with any, %", lambda row: 100 * row["frames"], ".1f"),
    Column("mean depth, mm", "mean_mm", ".1f"),
    Column("deepest, mm", "deepest_mm", ".1f"),
)
TIMES = (
    Column("scene", "scene"),
    Column("numbers, simulated", "numbers", ","),
    Column("shown", lambda row: 3 * row["vertices"], ","),
    Column("latents", "latents"),
    Column("solver, ms", "solver_ms", ".1f"),
    Column("integration, ms", "integration_ms", ".3f"),
    Column("decoding, ms", "decode_ms", ".3f"),
    Column("total, ms", _total_ms, ".3f"),
    Column("ratio", lambda row: row["solver_ms"] / _total_ms(row), ".0f"),
    Column("the paper's", _papers),
)
SPLITS = (
    Column("scene", "scene"),
    Column("seen / frames", lambda row: f"{row['seen_frames'] or 'other takes'} / {row['frames']}"),
    Column("error, seen", "seen", _short),
    Column("error, unseen", "unseen", _short),
    Column("limit", "limit", _short),
    Column("at pins, mm", "at_pins_mm", _short),
    Column("kinetic, seen", "kinetic_seen", _short),
    Column("kinetic, unseen", "kinetic_unseen", _short),
    Column("most elastic in 5,000", _most_elastic),
    Column("minutes / steps", lambda row: f"{row['minutes']} / {row['steps']:,}"),
)
SPEEDS = (
    Column("scene", "scene"),
    Column("speed, m/s or rad/s", "speed"),
    Column("error", "error", _short),
    Column("kinetic energy", "kinetic", _short),
    Column("most elastic energy", "most_elastic", _short),
)


def ablations_of(scene: str) -> Callable[[dict[str, Any]], str]:
    """What writes the table of a scene's ablations: medians and ranges over all seeds."""
    seeds = Column("seeds", lambda row: len(row["runs"]))
    diverged = Column("above twice", "runs", _diverged)
    columns = (Column("", "name"), seeds, *ABLATIONS[scene], diverged)
    return lambda part: table(columns, part[scene]["rows"])


def peer(part: dict[str, Any]) -> str:
    """The table of ways to step: ms a step, gap of the potential in mm, relative error of a rollout."""
    return table(PEER, part["rows"])


def contact(part: dict[str, Any]) -> str:
    """The table of penetration: shares of vertices and frames in %, depths in mm."""
    return table(CONTACT, part["rows"])


def times(part: dict[str, Any]) -> str:
    """The table of times beside the solver's, ms a frame."""
    return table(TIMES, part["rows"]) + _missing(part)


def splits(part: dict[str, Any]) -> str:
    """The table of relative errors and energies in frames that were learned from, and in others."""
    return table(SPLITS, part["rows"]) + _missing(part)


def speeds(part: dict[str, Any]) -> str:
    """The table of errors and energies by how fast a take moves, m/s or rad/s."""
    rows = [{**each, "scene": row["scene"]} for row in part["rows"] for each in row["speeds"]]
    return table(SPEEDS, rows)


def _missing(part: dict[str, Any]) -> str:
    return f"\n\nNot there yet: {', '.join(part['missing'])}." if part["missing"] else ""

"""The tables of latent dynamics in docs/benchmarks.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from benchmarks.markdown_tables import table

Row = dict[str, Any]


def ablations_of(scene: str) -> Callable[[dict[str, Any]], str]:
    """Medians of the seeds, and in brackets the least and the most."""
    columns: dict[str, Callable[[Row], float | None]] = {
        "steps": lambda run: run["steps"],
        "seen": lambda run: run["seen"],
        "unseen": lambda run: run["unseen"],
        "kinetic energy, unseen": lambda run: run["kinetic_unseen"],
        "most elastic energy in 5,000 frames": lambda run: run["most_elastic"],
    }
    if scene == "cantilever":
        columns = {
            "steps": columns["steps"],
            "first 100 frames": columns["seen"],
            "mm from rest at frame 300": lambda run: run["away_mm"][0],
            "at frame 1,000": lambda run: run["away_mm"][1],
            "mm a frame at 300": lambda run: run["moves_mm"][0],
            "at 1,000": lambda run: run["moves_mm"][1],
            "most elastic energy in 5,000 frames": columns["most elastic energy in 5,000 frames"],
        }
    if scene == "tuft":
        columns |= {"slow half": lambda run: run["slow"], "fast half": lambda run: run["fast"]}
        del columns["seen"]

    def written(part: dict[str, Any]) -> str:
        rows = [
            (
                row["name"],
                len(row["runs"]),
                *(_spread([of(run) for run in row["runs"]]) for of in columns.values()),
                _diverged(row["runs"]),
            )
            for row in part[scene]["rows"]
        ]
        return table(("", "seeds", *columns, "above twice"), rows)

    return written


def peer(part: dict[str, Any]) -> str:
    rows = [
        (row["name"], _short(row["ms"]), _short(row["gap_mm"]), _short(row["error"])) for row in part["rows"]
    ]
    return table(("", "ms a step", "gap, mm", "rollout error"), rows)


def contact(part: dict[str, Any]) -> str:
    rows = [
        (
            row["name"],
            "" if row.get("error") is None else f"{row['error']:.3f}",
            f"{100 * row['share']:.2f}",
            f"{100 * row['frames']:.1f}",
            f"{row['mean_mm']:.1f}",
            f"{row['deepest_mm']:.1f}",
        )
        for row in part["rows"]
    ]
    heads = (
        "",
        "error",
        "vertices inside, %",
        "frames with any, %",
        "mean depth, mm",
        "deepest, mm",
    )
    return table(heads, rows)


def times(part: dict[str, Any]) -> str:
    rows = []
    for row in part["rows"]:
        total = row["integration_ms"] + row["decode_ms"]
        paper = row["paper"]
        rows.append(
            (
                row["scene"],
                f"{row['numbers']:,}",
                f"{3 * row['vertices']:,}",
                row["latents"],
                f"{row['solver_ms']:.1f}",
                *(f"{row[name]:.3f}" for name in ("integration_ms", "decode_ms")),
                f"{total:.3f}",
                f"{row['solver_ms'] / total:.0f}",
                "" if paper is None else f"{paper[0]:g} / {paper[1]:g} = {paper[0] / paper[1]:.0f}",
            )
        )
    heads = (
        "scene",
        "numbers, simulated",
        "shown",
        "latents",
        "solver, ms",
        "integration, ms",
        "decoding, ms",
        "total, ms",
        "ratio",
        "the paper's",
    )
    return table(heads, rows) + _missing(part)


def splits(part: dict[str, Any]) -> str:
    rows = [
        (
            row["scene"],
            f"{row['seen_frames'] or 'other takes'} / {row['frames']}",
            *(_short(row[name]) for name in ("seen", "unseen", "limit")),
            _short(row["at_pins_mm"]),
            *(_short(row[name]) for name in ("kinetic_seen", "kinetic_unseen")),
            _short(row["most_elastic"])
            + ("" if row["above_at"] is None else f", above at {row['above_at']}"),
            f"{row['minutes']} / {row['steps']:,}",
        )
        for row in part["rows"]
    ]
    heads = (
        "scene",
        "seen / frames",
        "error, seen",
        "error, unseen",
        "limit",
        "at pins, mm",
        "kinetic, seen",
        "kinetic, unseen",
        "most elastic in 5,000",
        "minutes / steps",
    )
    return table(heads, rows) + _missing(part)


def speeds(part: dict[str, Any]) -> str:
    rows = [
        (row["scene"], each["speed"], *(_short(each[name]) for name in ("error", "kinetic", "most_elastic")))
        for row in part["rows"]
        for each in row["speeds"]
    ]
    return table(("scene", "speed, m/s or rad/s", "error", "kinetic energy", "most elastic energy"), rows)


def _missing(part: dict[str, Any]) -> str:
    return f"\n\nNot there yet: {', '.join(part['missing'])}." if part["missing"] else ""


def _diverged(runs: Sequence[Row]) -> str:
    at = [run["above_at"] for run in runs if run["above_at"] is not None]
    if not at:
        return "never"
    return f"{len(at)} of {len(runs)}, from frame {min(at)}"


def _spread(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "not finite" if values else ""
    middle = _short(median(known))
    return middle if len(known) == 1 else f"{middle} ({_short(min(known))} to {_short(max(known))})"


def _short(value: float | None) -> str:
    """Two or three digits."""
    if value is None:
        return ""
    if float(value).is_integer() and abs(value) >= 1:
        return f"{value:,.0f}"
    return f"{value:.2g}" if abs(value) < 100 else f"{value:,.0f}"

"""The tables of jiggle springs in docs/benchmarks.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.markdown_tables import table

Row = dict[str, Any]

# As `errors` calls them, which needs torch.
HELD, SPRINGS = "network of held poses", "springs about the network"
OWN = "springs fitted to the action itself"

FITTED, UNSEEN = "fitted", "unseen"
WANTED = {FITTED: 25.0, UNSEEN: 5.0}  # per cent of the residual, at least


def character(name: str) -> Callable[[Row], str]:
    """What springs take away, then the errors of all ways on both actions, then what it was made from."""

    def written(part: Row) -> str:
        found = next((row for row in part["characters"] if row["name"] == name), None)
        if found is None:
            return "Not there yet."
        errors = [_errors(found, use) for use in (FITTED, UNSEEN)]
        return "\n\n".join([_taken_away(found), *errors, _counts(found)])

    return written


def removed(mm: Row, way: str, region: str) -> float:
    """Per cent that a way to play takes away of the dynamic residual: of what the network leaves there."""
    return 100.0 * (1.0 - mm[way][region] / mm[HELD][region])


def _taken_away(row: Row) -> str:
    fitted, unseen = (row["actions"][use]["mm"] for use in (FITTED, UNSEEN))
    rows = [
        (
            region,
            f"{count:,}",
            f"{fitted[HELD][region]:.1f}",
            _marked(removed(fitted, SPRINGS, region), WANTED[FITTED], region in row["soft"]),
            f"{unseen[HELD][region]:.1f}",
            _marked(removed(unseen, SPRINGS, region), WANTED[UNSEEN], region in row["soft"]),
            f"{removed(unseen, OWN, region):.0f}",
        )
        for region, count in row["regions"].items()
    ]
    actions = {use: row["actions"][use]["action"] for use in (FITTED, UNSEEN)}
    heads = (
        "region",
        "vertices",
        f"{actions[FITTED]}: residual, mm",
        "springs take away, %",
        f"{actions[UNSEEN]}, unseen: residual, mm",
        "springs take away, %",
        "fitted to it, %",
    )
    return table(heads, rows)


def _marked(share: float, wanted: float, judged: bool) -> str:
    return f"**{share:.0f}**" if judged and share >= wanted else f"{share:.0f}"


def _errors(row: Row, use: str) -> str:
    action = row["actions"][use]
    rows = [(way, *(f"{mm[region]:.1f}" for region in row["regions"])) for way, mm in action["mm"].items()]
    head = f"{action['action']}, {action['frames']} frames, mm from the simulation"
    return table((head, *row["regions"]), rows)


def _counts(row: Row) -> str:
    poses, training = row["poses"], row["training"]
    fitted, unseen = (row["actions"][use] for use in (FITTED, UNSEEN))
    goal = row["goal"]
    lines = [
        f"{row['vertices']:,} vertices. {poses['solved']:,} held poses, of which {poses['left_out']} have no "
        f"equilibrium; {poses['learned']:,} were learned from. On {poses['tested']} that nothing was "
        f"learned from or chosen by, skinning is {poses['mm']['skinning']['all']:.1f} mm from the simulation "
        f"and the network {poses['mm'][HELD]['all']:.1f} mm.",
        f"Springs were fitted to the first {training['frames']} frames of {fitted['action']}.",
        f"Frames that the solver failed in or that were torn: {fitted['excluded']} and {unseen['excluded']}.",
    ]
    lines += [
        f"One spring for all, {name.rpartition(', ')[2]}: {(k_s**0.5) / 6.2832:.1f} Hz, "
        f"{k_d / (2.0 * k_s**0.5):.2f} of critical damping."
        for name, (k_s, k_d) in row["one_spring"].items()
    ]
    if goal is not None:
        lines.append(
            f"Soft body, the best of {goal['tried']} settings: goal spring {goal['spring']:g}, friction "
            f"{goal['friction']:g}, edges' pull and push {goal['edges']:g}."
        )
    return "\n".join(lines)


def times(part: Row) -> str:
    rows = [
        (
            row["name"],
            row["preset"],
            f"{row['vertices']:,}",
            row["bones"],
            f"{row['on_each']:.1f}",
            *(f"{row['ms'][name]['median']:.2f}" for name in ("skinning", "network", "springs", "frame")),
            f"**{row['ms']['total']['median']:.2f}** ({row['ms']['total']['least']:.2f})",
            f"{row['solver_ms']:,.0f}",
            f"{row['solver_ms'] / row['ms']['total']['median']:,.0f}",
        )
        for row in part["rows"]
    ]
    heads = (
        "",
        "preset",
        "vertices",
        "bones",
        "on each vertex",
        "skinning, ms",
        "network, ms",
        "springs, ms",
        "into the frame, ms",
        "together, ms (least)",
        "simulation, ms",
        "ratio",
    )
    return table(heads, rows) + _missing(part)


def making(part: Row) -> str:
    """What a model costs: the solver's time for poses is told from a few of them."""
    rows = [
        (
            row["name"],
            row["preset"],
            f"{row['tetrahedra']:,}",
            f"{row['simulated_vertices']:,}",
            f"{row['poses']:,}",
            f"{row['pose_ms'] / 1e3:.1f}",
            f"{row['poses'] * row['pose_ms'] / 3.6e6 / 2:.2f}",
            f"{row['training_seconds'] / 60:.1f}",
        )
        for row in part["rows"]
    ]
    heads = (
        "",
        "preset",
        "tetrahedra",
        "their vertices",
        "poses",
        "s a pose",
        "hours of two cores",
        "training, min",
    )
    return table(heads, rows)


def _missing(part: Row) -> str:
    return f"\n\nNot there yet: {', '.join(part['missing'])}." if part["missing"] else ""

"""The tables of jiggle springs in docs/benchmarks/quasistatic_springs.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.markdown_tables import Column, table

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
    fitted, unseen = (row["actions"][use] for use in (FITTED, UNSEEN))
    columns = (
        Column("region", "name"),
        Column("vertices", "count", ","),
        Column(f"{fitted['action']}: residual, mm", "fitted", ".1f"),
        Column("springs take away, %", "of_fitted"),
        Column(f"{unseen['action']}, unseen: residual, mm", "unseen", ".1f"),
        Column("springs take away, %", "of_unseen"),
        Column("fitted to it, %", "own", ".0f"),
    )
    rows = [
        {
            "name": region,
            "count": count,
            "fitted": fitted["mm"][HELD][region],
            "of_fitted": _marked(
                removed(fitted["mm"], SPRINGS, region), WANTED[FITTED], region in row["soft"]
            ),
            "unseen": unseen["mm"][HELD][region],
            "of_unseen": _marked(
                removed(unseen["mm"], SPRINGS, region), WANTED[UNSEEN], region in row["soft"]
            ),
            "own": removed(unseen["mm"], OWN, region),
        }
        for region, count in row["regions"].items()
    ]
    return table(columns, rows)


def _marked(share: float, wanted: float, judged: bool) -> str:
    return f"**{share:.0f}**" if judged and share >= wanted else f"{share:.0f}"


def _errors(row: Row, use: str) -> str:
    """A line for each way, a column for each region."""
    action = row["actions"][use]
    head = f"{action['action']}, {action['frames']} frames, mm from the simulation"
    columns = [Column(head, "way"), *(Column(region, region, ".1f") for region in row["regions"])]
    return table(columns, [{"way": way, **mm} for way, mm in action["mm"].items()])


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


def _total(row: Row) -> str:
    total = row["ms"]["total"]
    return f"**{total['median']:.2f}** ({total['least']:.2f})"


TIMES = (
    Column("", "name"),
    Column("preset", "preset"),
    Column("vertices", "vertices", ","),
    Column("bones", "bones"),
    Column("on each vertex", "on_each", ".1f"),
    Column("skinning, ms", "ms.skinning.median", ".2f"),
    Column("network, ms", "ms.network.median", ".2f"),
    Column("springs, ms", "ms.springs.median", ".2f"),
    Column("into the frame, ms", "ms.frame.median", ".2f"),
    Column("together, ms (least)", _total),
    Column("simulation, ms", "solver_ms", ",.0f"),
    Column("ratio", lambda row: row["solver_ms"] / row["ms"]["total"]["median"], ",.0f"),
)
MAKING = (
    Column("", "name"),
    Column("preset", "preset"),
    Column("tetrahedra", "tetrahedra", ","),
    Column("their vertices", "simulated_vertices", ","),
    Column("poses", "poses", ","),
    Column("s a pose", lambda row: row["pose_ms"] / 1e3, ".1f"),
    Column("hours of two cores", lambda row: row["poses"] * row["pose_ms"] / 3.6e6 / 2, ".2f"),
    Column("training, min", lambda row: row["training_seconds"] / 60, ".1f"),
)


def times(part: Row) -> str:
    """The table of a frame's parts beside the simulation, ms."""
    return table(TIMES, part["rows"]) + _missing(part)


def making(part: Row) -> str:
    """What a model costs: the solver's time for poses is estimated from a few of them."""
    return table(MAKING, part["rows"])


def _missing(part: Row) -> str:
    return f"\n\nNot there yet: {', '.join(part['missing'])}." if part["missing"] else ""

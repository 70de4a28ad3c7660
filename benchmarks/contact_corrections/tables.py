"""The tables of contact corrections in docs/benchmarks/contact_corrections.md; see `benchmarks.documents`."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown_tables import Column, table

Part = dict[str, Any]

# Table 2 of the paper: by example, whether it turns, and the width of the network, frames and error in %.
PAPERS = {
    ("JELLY_WITH_CIRCLE", False): {200: "11 (9,748)"},
    ("JELLY_WITH_COMB", False): {200: "15 (30,486)", 1000: "14 (30,486)"},
    ("JELLY_WITH_COMB", True): {200: "21 (30,486)", 1000: "17 (30,486)", 3000: "12 (30,486)"},
}


def _name(row: Part) -> str:
    name = row["example"].removeprefix("JELLY_WITH_").lower()
    if row.get("between"):
        return f"{name}, balls of other radii"
    return f"{name}, turning" if row["turning"] else name


def _handles(row: Part) -> str:
    """How many points and frames there are, and apart from these how many pinned ones."""
    points, simulated, pinned = row["handles"]
    parts = [f"{points} points"] if points else []
    parts += [f"{simulated} frames"] if simulated else []
    return ", ".join([*parts, f"{pinned} pinned"])


def _percent(row: Part, name: str) -> float | None:
    """Nothing where nothing touches."""
    return 100.0 * row["errors"][name] if row["frames"]["touched"] else None


def _rate(row: Part, way: str, kind: str = "median") -> float:
    """Frames a second."""
    return 1e3 / float(row["ms"][way][kind])


def _over(row: Part, kind: str) -> float:
    """How many times ours a frame of the full solver takes."""
    return float(row["ms"]["full"][kind] / row["ms"]["ours"][kind])


ACCURACY = (
    Column("", _name),
    Column("handles", _handles),
    Column("elements", "triangles", ","),
    Column("takes", "takes"),
    Column("shapes: *r_int*, *r_ext*", lambda row: "{internal:,}, {external:,}".format(**row["shapes"])),
    Column("units of *r_ext*", "width", ","),
    Column("all frames, %", lambda row: 100.0 * row["errors"]["all"], ".1f"),
    Column("in contact, %", lambda row: _percent(row, "touched"), ".1f"),
    Column("*r_int* alone, %", lambda row: _percent(row, "without"), ".1f"),
    Column("dents alone, %", lambda row: _percent(row, "dents"), ".1f"),
    Column("nearest in the bases: all, %", lambda row: 100.0 * row["floors"]["all"], ".1f"),
    Column(
        "in contact, %",
        lambda row: 100.0 * row["floors"]["touched"] if row["frames"]["touched"] else None,
        ".1f",
    ),
    Column(
        "the paper, % (frames)",
        lambda row: PAPERS.get((row["example"], row["turning"]), {}).get(row["width"]),
    ),
)
TIMES = (
    Column("", _name),
    Column("handles", _handles),
    Column("elements", "triangles", ","),
    Column("in Play", "cubature"),
    Column(
        "bases: *r_int*, *r_ext*",
        lambda row: ", ".join(str(row["bases"].get(name, 0)) for name in ("internal", "external")),
    ),
    Column("units of *r_ext*", "width", ","),
    Column("left: all frames, %", lambda row: 100.0 * row["errors"]["all"], ".1f"),
    Column("in contact, %", lambda row: _percent(row, "touched"), ".1f"),
    Column("frames/s: handles alone", lambda row: _rate(row, "linear"), ".0f"),
    Column("ours", lambda row: _rate(row, "ours"), ".0f"),
    Column("full", lambda row: _rate(row, "full"), ".0f"),
    Column("full over ours, times", lambda row: _over(row, "median"), ".1f"),
    Column("of the mean: ours", lambda row: _rate(row, "ours", "mean"), ".0f"),
    Column("full", lambda row: _rate(row, "full", "mean"), ".0f"),
    Column("full over ours", lambda row: _over(row, "mean"), ".1f"),
    Column("steps not solved, % of frames", lambda row: 100.0 * row["unsettled"], ".1f"),
)
# By body and way: what it is, and the paper's figure, in %, whose networks have no factor.
LEARNED = {
    ("worm", "own"): ("worm, no contact: what handles lack, in the body's own axes", "15"),
    ("worm", "world"): ("the same, in the world's axes", "75"),
    ("worm", "whole"): ("the whole shape", "more than 4,000"),
    ("circle", "apart"): ("circle, in contact: two networks, dents times their depth's factor", ""),
    ("circle", "together"): ("one network for both, times the same factor", ""),
    ("circle", "apart, plain"): ("two networks, without the factor", "19"),
    ("circle", "together, plain"): ("one network for both, without it", "51"),
}
DECOUPLING = (
    Column("what is learned", "learned"),
    Column("shapes", "shapes", ","),
    Column("left, %", lambda row: 100.0 * row["error"], ".1f"),
    Column("the paper, %", "paper"),
)
JACOBIANS = (
    Column("", "body"),
    Column("Jacobian", "way"),
    Column("mm from the full body", "from_full_mm", ".2f"),
    Column("mm from equation 3", "from_whole_mm", ".2f"),
    Column("ms a frame", "ms", ".1f"),
)
PULLED = {"linear": "handles alone, 5.6,", "ours": "with corrections, 1.8,"}
PULL = (
    Column("stiffness of contact, times *E*", "stiffness", "g"),
    Column("handles alone, N for each metre across", "peaks.linear", ".0f"),
    Column("with corrections", "peaks.ours", ".0f"),
    Column("full body", "peaks.full", ".0f"),
    Column("handles over full, times", lambda row: row["peaks"]["linear"] / row["peaks"]["full"], ".1f"),
    Column("corrections over full, times", lambda row: row["peaks"]["ours"] / row["peaks"]["full"], ".1f"),
)
PEER = (
    Column("", "name"),
    Column("coordinates", "coordinates"),
    Column("tetrahedra", "elements"),
    Column("error, mm", "mm.all", ".2f"),
    Column("where pressed, mm", "mm.touched", ".2f"),
    Column("error over how far it moves, %", "over_moved", ".1f"),
    Column("over how far it bends, %", "over_bent", ".1f"),
    Column("step, ms", "ms.all", ".1f"),
    Column("where pressed, ms", "ms.touched", ".1f"),
)


def accuracy(part: Part) -> str:
    """Table 2."""
    frames = "; ".join(
        f"{_name(row)} {row['frames']['all']}, {row['frames']['touched']} in contact"
        for row in {_name(row): row for row in part["rows"]}.values()
    )
    return f"{table(ACCURACY, part['rows'])}\n\nFrames that were tested on: {frames}."


def times(part: Part) -> str:
    """Table 1."""
    return table(TIMES, part["rows"])


def decoupling(part: Part) -> str:
    """Figs. 2, 3 and 6."""
    rows = [
        {
            "learned": learned,
            "shapes": part[body]["shapes"],
            "error": part[body]["errors"][way],
            "paper": paper,
        }
        for (body, way), (learned, paper) in LEARNED.items()
        if part[body] is not None
    ]
    return table(DECOUPLING, rows)


def jacobians(part: Part) -> str:
    """Fig. 4."""
    figures = ("from_full_mm", "from_whole_mm", "ms")
    rows = [
        {"body": _name(row), "way": way, **{name: row[name][way] for name in figures}}
        for row in part["rows"]
        for way in row["ms"]
    ]
    moves = ", ".join(f"{_name(row)} {row['moves_mm']:.1f} mm" for row in part["rows"])
    return f"{table(JACOBIANS, rows)}\n\nHow far the body moves: {moves}."


def pull(part: Part) -> str:
    """Fig. 10: the largest forces, how many times the full body's they are, and where that is the paper's."""
    if "rows" not in part:
        return "Not there yet."
    agree = "; ".join(
        f"{PULLED[way]} at {'no stiffness among these' if at is None else f'{at:.1f} *E*'}"
        for way, at in part["agree"].items()
    )
    return f"{table(PULL, part['rows'])}\n\nAs many times the full body's as the paper's: {agree}."


def peer(part: Part) -> str:
    """Errors and times beside simkit's."""
    if "rows" not in part:
        return "simkit was not installed."
    moved, bent, frames = part["moved_mm"], part["bent_mm"], part["frames"]
    rows = [
        {
            **row,
            "over_moved": 100.0 * row["mm"]["all"] / moved,
            "over_bent": 100.0 * row["mm"]["all"] / bent,
        }
        for row in part["rows"]
    ]
    full = {
        "name": "the full solver",
        "coordinates": 3 * part["free"],
        "elements": part["tetrahedra"],
        "mm": {"all": None, "touched": None},
        "over_moved": None,
        "over_bent": None,
        "ms": {"all": part["full_ms"], "touched": None},
    }
    said = (
        f"{frames['all']} frames, in {frames['touched']} of which the ball presses. The body moves by "
        f"{moved:.0f} mm and bends by {bent:.1f} mm; the handles' blends that are nearest to its shapes are "
        f"{part['nearest_mm']:.2f} mm off."
    )
    return f"{table(PEER, [*rows, full])}\n\n{said}"

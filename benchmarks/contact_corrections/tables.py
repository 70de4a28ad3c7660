"""The tables of contact corrections in docs/benchmarks.md; see `benchmarks.documents`."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown_tables import table

Part = dict[str, Any]

# Table 2 of the paper: by example, whether it turns, and the width of the network, frames and error in %.
PAPERS = {
    ("JELLY_WITH_CIRCLE", False): {200: "11 (9,748)"},
    ("JELLY_WITH_COMB", False): {200: "15 (30,486)", 1000: "14 (30,486)"},
    ("JELLY_WITH_COMB", True): {200: "21 (30,486)", 1000: "17 (30,486)", 3000: "12 (30,486)"},
}


def accuracy(part: Part) -> str:
    """Table 2."""
    lines = [
        (
            _name(row),
            _handles(row),
            f"{row['triangles']:,}",
            f"{row['shapes']['internal']:,}, {row['shapes']['external']:,}",
            f"{row['width']:,}",
            *(_percent(row, name) for name in ("all", "touched", "without", "dents")),
            PAPERS.get((row["example"], row["turning"]), {}).get(row["width"], ""),
        )
        for row in part["rows"]
    ]
    heads = (
        "",
        "handles",
        "elements",
        "shapes: *r_int*, *r_ext*",
        "units of *r_ext*",
        "all frames, %",
        "in contact, %",
        "*r_int* alone, %",
        "dents alone, %",
        "the paper, % (frames)",
    )
    frames = "; ".join(
        f"{_name(row)} {row['frames']['all']}, {row['frames']['touched']} in contact"
        for row in {_name(row): row for row in part["rows"]}.values()
    )
    return f"{table(heads, lines)}\n\nFrames that were tested on: {frames}."


def times(part: Part) -> str:
    """Table 1."""
    lines = [
        (
            _name(row),
            _handles(row),
            f"{row['triangles']:,}",
            row["cubature"],
            ", ".join(str(row["bases"].get(name, 0)) for name in ("internal", "external")),
            f"{row['width']:,}",
            *(f"{1e3 / row['ms'][name]:.0f}" for name in ("linear", "ours", "full")),
            f"{row['ms']['full'] / row['ms']['ours']:.1f}",
        )
        for row in part["rows"]
    ]
    heads = (
        "",
        "handles",
        "elements",
        "in Play",
        "bases: *r_int*, *r_ext*",
        "units of *r_ext*",
        "handles alone, frames/s",
        "ours",
        "full",
        "full over ours, times",
    )
    return table(heads, lines)


# By body and way: what it is, and the paper's figure, in %.
LEARNED = {
    ("worm", "own"): ("worm, no contact: what handles lack, in the body's own axes", "15"),
    ("worm", "world"): ("the same, in the world's axes", "75"),
    ("worm", "whole"): ("the whole shape", "more than 4,000"),
    ("circle", "apart"): ("circle, in contact: two networks", "19"),
    ("circle", "together"): ("one network for both", "51"),
}


def decoupling(part: Part) -> str:
    """Figs. 2, 3 and 6."""
    lines = [
        (told, f"{part[body]['shapes']:,}", f"{100.0 * part[body]['errors'][way]:.1f}", papers)
        for (body, way), (told, papers) in LEARNED.items()
        if part[body] is not None
    ]
    return table(("what is learned", "shapes", "left, %", "the paper, %"), lines)


def jacobians(part: Part) -> str:
    """Fig. 4."""
    lines = [
        (
            _name(row),
            way,
            f"{row['from_full_mm'][way]:.2f}",
            f"{row['from_whole_mm'][way]:.2f}",
            f"{row['ms'][way]:.1f}",
        )
        for row in part["rows"]
        for way in row["ms"]
    ]
    heads = ("", "Jacobian", "mm from the full body", "mm from equation 3", "ms a frame")
    moves = ", ".join(f"{_name(row)} {row['moves_mm']:.1f} mm" for row in part["rows"])
    return f"{table(heads, lines)}\n\nHow far the body moves: {moves}."


def pull(part: Part) -> str:
    """Fig. 10: the peaks, and how many times the full body's they are."""
    if "peaks" not in part:
        return "Not there yet."
    papers = {"linear": "5.6", "ours": "1.8", "full": "1"}
    names = {"linear": "handles alone", "ours": "with corrections", "full": "full body"}
    lines = [
        (names[way], f"{peak:.1f}", f"{peak / part['peaks']['full']:.1f}", papers[way])
        for way, peak in part["peaks"].items()
    ]
    heads = ("", "largest force, N for each metre across", "times the full body's", "the paper")
    return table(heads, lines)


def peer(part: Part) -> str:
    """Errors and times beside simkit's."""
    if "rows" not in part:
        return "simkit was not installed."
    moved, bent, frames = part["moved_mm"], part["bent_mm"], part["frames"]
    lines = [
        (
            row["name"],
            row["coordinates"],
            row["elements"],
            *(f"{row['mm'][name]:.2f}" for name in ("all", "touched")),
            *(f"{100.0 * row['mm']['all'] / whole:.1f}" for whole in (moved, bent)),
            *(f"{row['ms'][name]:.1f}" for name in ("all", "touched")),
        )
        for row in part["rows"]
    ]
    full = ("the full solver", 3 * part["free"], part["tetrahedra"], *[""] * 4, f"{part['full_ms']:.1f}", "")
    heads = (
        "",
        "coordinates",
        "tetrahedra",
        "error, mm",
        "where pressed, mm",
        "error over how far it moves, %",
        "over how far it bends, %",
        "step, ms",
        "where pressed, ms",
    )
    said = (
        f"{frames['all']} frames, in {frames['touched']} of which the ball presses. The body moves by "
        f"{moved:.0f} mm and bends by {bent:.1f} mm; the handles' blends that are nearest to its shapes are "
        f"{part['nearest_mm']:.2f} mm off."
    )
    return f"{table(heads, [*lines, full])}\n\n{said}"


def _name(row: Part) -> str:
    name = row["example"].removeprefix("JELLY_WITH_").lower()
    if row.get("between"):
        return f"{name}, balls of other radii"
    return f"{name}, turning" if row["turning"] else name


def _handles(row: Part) -> str:
    """Points, and frames, of which those that are pinned are told apart."""
    points, simulated, pinned = row["handles"]
    told = [f"{points} points"] if points else []
    told += [f"{simulated} frames"] if simulated else []
    return ", ".join([*told, f"{pinned} pinned"])


def _percent(row: Part, name: str) -> str:
    """Nothing where nothing touches."""
    return f"{100.0 * row['errors'][name]:.1f}" if name == "all" or row["frames"]["touched"] else ""

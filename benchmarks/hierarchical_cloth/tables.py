"""The tables of hierarchical cloth in docs/benchmarks/hierarchical_cloth.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.markdown_tables import Column, table

Part = dict[str, Any]

SHOWN = (100, 500, *range(1000, 5001, 1000))  # epochs of Table 1
# Table 1 of the paper, by level and epochs; it names no unit.
PAPERS = {
    1: {100: "1.48e-05", 1500: "8.14e-06", 3000: "2.28e-06", 5000: "1.63e-06"},
    2: {100: "2.94e-04", 1500: "1.45e-06", 3000: "3.13e-07", 5000: "2.62e-07"},
}
TIMES = {
    "cg": "implicit Euler, 100 iterations of conjugate gradients",
    "admm": "ADMM, 20 iterations, sparse factors",
    "local": "ours, `local`",
    "paper": "ours, `paper`",
    "local networks": "of which networks, `local`",
    "paper networks": "of which networks, `paper`",
    "another stiffness": "another stiffness at level 0, once",
}
KINDS = {"drape": "falling"}
WAYS = {"linear": "linear subdivision", "butterfly": "butterfly subdivision"}


def times(part: Part) -> str:
    """A line for each way, a column for each size."""
    rows = part["rows"]
    heads = [f"{row['masses']:,} masses ({row['level_0']} at level 0)" for row in rows]
    columns = [Column("ms/frame", "label"), *(Column(head, head, ".1f") for head in heads)]
    lines = [
        {"label": label, **{head: row["ms"][name] for head, row in zip(heads, rows, strict=True)}}
        for name, label in TIMES.items()
    ]
    ratios = {head: row["ms"]["admm"] / row["ms"]["local"] for head, row in zip(heads, rows, strict=True)}
    lines.append({"label": "ADMM over ours, `local` (the paper: 2.26, 1.25)", **ratios})
    return table(columns, lines)


EPOCHS = (
    Column("level", "level"),
    Column("epochs", "epochs", ","),
    Column("`paper`, mm", "paper.seen", ".2f"),
    Column("unseen", "paper.unseen", ".2f"),
    Column("`local`, mm", "local.seen", ".2f"),
    Column("unseen", "local.unseen", ".2f"),
    Column("the paper's loss", lambda line: PAPERS[line["level"]].get(line["epochs"])),
)


def epochs(part: Part) -> str:
    """Table 1, in millimetres."""
    lines = [
        {
            "level": row["level"],
            "epochs": count,
            **{form: _at(row["curves"][form], count) for form in ("paper", "local")},
        }
        for row in part["rows"]
        for count in sorted({*SHOWN, *PAPERS[row["level"]]})
    ]
    seen = ", ".join(
        f"level {row['level']} {1e3 * row['linear'][0]:.2f} mm ({1e3 * row['linear'][1]:.2f} mm unseen)"
        for row in part["rows"]
    )
    return f"{table(EPOCHS, lines)}\n\nLinear subdivision on the same {part['pairs']:,} pairs: {seen}."


def errors(part: Part) -> str:
    """The best way of each line is bold."""

    def way(name: str) -> Column:
        def marked(row: Part) -> str:
            ratio = row["ratios"][name]
            return f"**{ratio:.2f}**" if ratio == min(row["ratios"].values()) else f"{ratio:.2f}"

        return Column(f"`{name}`" if name in part["training"] else name, marked)

    columns = (
        Column("unseen", _unseen),
        Column("", lambda row: KINDS.get(row["kind"], row["kind"])),
        Column("linear", lambda row: f"{1e3 * row['linear']:.2f} mm"),
        *(way(name) for name in part["rows"][0]["ratios"]),
        Column("running by itself", lambda row: row["free"] / row["spread"], ".2f"),
    )
    return table(columns, part["rows"])


def structures(part: Part) -> str:
    """Fig. 10: what is left of linear subdivision's error after the study's epochs."""

    def left(form: str, level: int) -> Column:
        linear = part["linear"][level - 1]
        return Column(
            f"`{form}`, level {level}",
            lambda row: row["curves"][form][level - 1]["unseen"][-1] / linear,
            ".2f",
        )

    columns = (
        Column("layers", lambda row: f"{row['layers']} of {row['width']}"),
        *(left(form, level) for form in ("paper", "local") for level in (1, 2)),
        Column("`paper`, ms", "ms.paper", ".2f"),
        Column("`local`, ms", "ms.local", ".2f"),
    )
    return table(columns, part["rows"])


def stretched(part: Part) -> str:
    """Fig. 11: a line for each way, error and roughness of each scene."""
    rows = part["rows"]

    def error_in(row: dict[str, Any]) -> Callable[[Any], Any]:
        return lambda name: _mm(row["errors"].get(name))

    columns = [
        Column("", lambda name: WAYS.get(name, f"`{name}`" if name in ("paper", "local") else name)),
        *(Column(f"scene {k}, mm", error_in(row), ".1f") for k, row in enumerate(rows, 1)),
        *(Column(f"scene {k}, degrees", row["degrees"].__getitem__, ".1f") for k, row in enumerate(rows, 1)),
    ]
    times_longer = ", ".join(f"{row['times']:.1f}" for row in rows)
    said = f"The longest edge is {times_longer} times as long as in rest."
    return f"{table(columns, rows[0]['degrees'])}\n\n{said}"


def _mm(metres: float | None) -> float | None:
    return None if metres is None else 1e3 * metres


def _at(curve: dict[str, list[float]], count: float) -> dict[str, float | None]:
    """The errors, mm, at the measurement nearest to so many epochs; nothing after the last."""
    if count > curve["epochs"][-1] + 1.0:
        return {"seen": None, "unseen": None}
    k = min(range(len(curve["epochs"])), key=lambda i: abs(curve["epochs"][i] - count))
    return {name: 1e3 * curve[name][k] for name in ("seen", "unseen")}


def _unseen(row: Part) -> str:
    if row["part"] == "motion":
        return "motion"
    if row["part"] == "colliders":
        return "capsules instead of balls"
    fabric = f"{row['fabric']['stretch']:,g} N/m, bending {row['fabric']['bending']:g} N m"
    return f"stretched, {fabric}" if row["part"] == "stretched" else fabric

"""The tables of hierarchical cloth in docs/benchmarks.md; see `benchmarks.documents`."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown_tables import table

Part = dict[str, Any]

TOLD = (100, 500, *range(1000, 5001, 1000))  # epochs of Table 1
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
    rows = part["rows"]
    lines = [(label, *(f"{row['ms'][name]:.1f}" for row in rows)) for name, label in TIMES.items()]
    ratios = (f"{row['ms']['admm'] / row['ms']['local']:.1f}" for row in rows)
    lines.append(("ADMM over ours, `local` (the paper: 2.26, 1.25)", *ratios))
    heads = (f"{row['masses']:,} masses ({row['level_0']} at level 0)" for row in rows)
    return table(("ms/frame", *heads), lines)


def epochs(part: Part) -> str:
    """Table 1, in millimetres."""
    lines = []
    for row in part["rows"]:
        for told in sorted({*TOLD, *PAPERS[row["level"]]}):
            of_forms = [mm for form in ("paper", "local") for mm in _at(row["curves"][form], told)]
            lines.append((row["level"], f"{told:,}", *of_forms, PAPERS[row["level"]].get(told, "")))
    heads = (
        "level",
        "epochs",
        "`paper`, mm",
        "unseen",
        "`local`, mm",
        "unseen",
        "the paper's loss",
    )
    seen = ", ".join(
        f"level {row['level']} {1e3 * row['linear'][0]:.2f} mm ({1e3 * row['linear'][1]:.2f} mm unseen)"
        for row in part["rows"]
    )
    return f"{table(heads, lines)}\n\nLinear subdivision on the same {part['pairs']:,} pairs: {seen}."


def errors(part: Part) -> str:
    lines = []
    for row in part["rows"]:
        ratios = row["ratios"]
        best = min(ratios.values())
        shown = [f"**{r:.2f}**" if r == best else f"{r:.2f}" for r in ratios.values()]
        free = f"{row['free'] / row['spread']:.2f}"
        linear = f"{1e3 * row['linear']:.2f} mm"
        lines.append((_unseen(row), KINDS.get(row["kind"], row["kind"]), linear, *shown, free))
    ways = [f"`{name}`" if name in part["training"] else name for name in part["rows"][0]["ratios"]]
    return table(("unseen", "", "linear", *ways, "running by itself"), lines)


def structures(part: Part) -> str:
    """Fig. 10: what is left of linear subdivision's error after the study's epochs."""
    lines = [
        (
            f"{row['layers']} of {row['width']}",
            *(
                f"{curve['unseen'][-1] / linear:.2f}"
                for form in ("paper", "local")
                for curve, linear in zip(row["curves"][form], part["linear"], strict=True)
            ),
            *(f"{row['ms'][form]:.2f}" for form in ("paper", "local")),
        )
        for row in part["rows"]
    ]
    levels = [f"`{form}`, level {level}" for form in ("paper", "local") for level in (1, 2)]
    return table(("layers", *levels, "`paper`, ms", "`local`, ms"), lines)


def stretched(part: Part) -> str:
    """Fig. 11: a line for each way, error and roughness of each scene."""
    rows = part["rows"]
    lines = [
        (
            WAYS.get(name, f"`{name}`" if name in ("paper", "local") else name),
            *(f"{1e3 * row['errors'][name]:.1f}" if name in row["errors"] else "" for row in rows),
            *(f"{row['degrees'][name]:.1f}" for row in rows),
        )
        for name in rows[0]["degrees"]
    ]
    heads = [f"scene {k}, {unit}" for unit in ("mm", "degrees") for k in range(1, len(rows) + 1)]
    times_longer = ", ".join(f"{row['times']:.1f}" for row in rows)
    return f"{table(('', *heads), lines)}\n\nThe longest edge is {times_longer} times as long as in rest."


def _at(curve: dict[str, list[float]], told: float) -> tuple[str, str]:
    """In millimetres, at the measurement nearest to so many epochs; nothing after the last."""
    if told > curve["epochs"][-1] + 1.0:
        return "", ""
    k = min(range(len(curve["epochs"])), key=lambda i: abs(curve["epochs"][i] - told))
    return f"{1e3 * curve['seen'][k]:.2f}", f"{1e3 * curve['unseen'][k]:.2f}"


def _unseen(row: Part) -> str:
    if row["part"] == "motion":
        return "motion"
    if row["part"] == "colliders":
        return "capsules instead of balls"
    fabric = f"{row['fabric']['stretch']:,g} N/m, bending {row['fabric']['bending']:g} N m"
    return f"stretched, {fabric}" if row["part"] == "stretched" else fabric

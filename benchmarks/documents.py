"""Fill the figures of docs/benchmarks.md from build/bench/report.json, or from `--report FILE`.

Each part's table stands between `<!-- PART -->` and `<!-- end -->`; the words around them are by hand.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.contact_corrections import tables as contact_corrections
from benchmarks.folders import BENCH, ROOT
from benchmarks.hierarchical_cloth import tables as hierarchical_cloth
from benchmarks.latent_dynamics import tables as latent_dynamics
from benchmarks.markdown_tables import table
from benchmarks.quasistatic_springs import tables as quasistatic_springs

REPORT, PAGE = BENCH / "report.json", ROOT / "docs" / "benchmarks.md"


def accuracy(part: dict[str, Any]) -> str:
    rows = [
        (run["seed"], f"{run['rollout_error']:.3f}", f"{run['training']['seconds'] / 60:.1f}")
        for run in part["runs"]
    ]
    first = part["runs"][0]
    others = {
        "Ridge regression": first["ridge_error"],
        "the mean shape": first["mean_error"],
        f"the best that {part['bases']} bases could show": first["basis_error"],
    }
    lines = [
        f"Median of the seeds: **{part['rollout_error']:.3f}**.",
        ", ".join(f"{name}: {error:.3f}" for name, error in others.items()) + ".",
        f"{part['training_frames']:,} training frames, {part['test_frames']:,} test frames.",
    ]
    return table(("seed", "rollout error", "training, min"), rows) + "\n\n" + "\n".join(lines)


def limit(part: dict[str, Any]) -> str:
    return f"Relative distance of the two references over {part['frames']:,} frames: **{part['error']:.3f}**."


def excursion(part: dict[str, Any]) -> str:
    rows = [
        (
            seed,
            f"{run['error_left']:.3f}",
            f"{run['error_never_left']:.3f}",
            f"{run['ratio']:.2f}",
            f"{run['error_from_truth']:.3f}",
            f"{run['largest_coordinate']:.2f}",
            "yes" if run["finite"] else "no",
        )
        for seed, run in enumerate(part["runs"])
    ]
    names = ("seed", "left", "never left", "ratio", "from the truth", "largest coordinate, m", "finite")
    each = ", ".join(f"{error:.2f}" for error in part["runs"][0]["per_return"])
    return table(names, rows) + f"\n\nAfter each return, first seed: {each}."


def rows_of_table(part: dict[str, Any]) -> str:
    rows = [
        (
            row["scene"],
            row["vertices"],
            f"{row['training_frames']:,}",
            row["bases"],
            f"{row['step_us']:.0f}",
            f"{row['decode_us']:.0f}",
            f"{row['step_mb']:.2f}",
            f"{row['decoder_mb']:.1f}",
            f"{row['rollout_error']:.3f}",
            f"{row['ridge_error']:.3f}",
            f"{row['basis_error']:.3f}",
        )
        for row in part["rows"]
    ]
    names = (
        "scene",
        "vertices",
        "frames",
        "bases",
        "step, µs",
        "decode, µs",
        "network, MB",
        "decoder, MB",
        "error",
        "ridge",
        "best in basis",
    )
    return table(names, rows)


def ablations(part: dict[str, Any]) -> str:
    rows = [
        (
            row["name"],
            ", ".join(f"`{change}`" for change in row["changes"]) or "the preset",
            f"{row['rollout_error']:.3f}",
            f"{max(row['per_rollout']):.2f}",
            row["training"]["steps"],
        )
        for row in part["ablations"]
    ]
    return table(("what is changed", "setting", "error", "worst rollout", "steps"), rows)


def play(part: dict[str, Any]) -> str:
    rows = [
        (
            name,
            found["vertices"],
            found["bases"],
            f"{found['cloth_ms']:.1f}",
            f"{found['play_ms']:.3f}",
            f"{found['play_mean_ms']:.3f}",
            f"{found['scrub_ms']:.3f}",
            f"{found['written_ms']:.3f}",
            f"{found['nothing_ms']:.3f}",
            f"{found['speedup']:.0f} ({found['speedups'][0]:.0f} to {found['speedups'][-1]:.0f})",
        )
        for name, found in part.items()
    ]
    names = (
        "Blender",
        "vertices",
        "bases",
        "cloth, ms",
        "play, ms",
        "its mean, ms",
        "scrub, ms",
        "written only, ms",
        "neither, ms",
        "times faster",
    )
    return table(names, rows)


def graphics(part: dict[str, Any]) -> str:
    names = (
        "vertices",
        "bases",
        "processor",
        "card, read back",
        "card",
        "its bases, GB/s",
        "half precision",
        "preview drawn",
        "capsules, processor",
        "card with capsules",
    )
    parts = []
    for blender, found in part.items():
        rows = [
            (
                f"{row['vertices']:,}",
                row["bases"],
                *(f"{row[name]:.3f}" for name in ("cpu_ms", "read_ms", "gpu_ms")),
                f"{_bases_bytes(row) / row['gpu_ms'] / 1e6:.1f}",
                *(f"{row[name]:.3f}" for name in ("half_ms", "preview_ms", "cpu_push_ms", "gpu_pushed_ms")),
            )
            for row in found["rows"]
        ]
        parts.append(f"Blender {blender}, {found['renderer']} ({found['backend']}):\n\n{table(names, rows)}")
    return "\n\n".join(parts)


def objects(part: dict[str, Any]) -> str:
    rows = [
        (
            blender,
            many["objects"],
            f"{many['vertices']:,}",
            many["bases"],
            *(f"{many[name]:.2f}" for name in ("cpu_ms", "read_ms", "gpu_ms", "gpu_pushed_ms")),
            f"{many['gpu_one_by_one_ms']:.2f}",
        )
        for blender, many in ((blender, found["objects"]) for blender, found in part.items())
    ]
    names = (
        "Blender",
        "objects",
        "vertices",
        "bases",
        "processor",
        "card, read back",
        "card",
        "with capsules",
        "card, one by one",
    )
    return table(names, rows)


def _bases_bytes(row: dict[str, Any]) -> float:
    """Of positions' and normals' bases, float32, each of which is read once."""
    return 2.0 * 3.0 * 4.0 * float(row["vertices"]) * float(row["bases"])


def normals(part: dict[str, Any]) -> str:
    rows = [
        (
            row["scene"],
            row["bases"],
            f"{row['regressed']:.1f}",
            f"{row['recomputed']:.1f}",
            f"{row['ms']['regressed']:.2f}",
            f"{row['ms']['recomputed']:.2f}",
        )
        for row in part["rows"]
    ]
    names = ("scene", "bases", "regressed, °", "recomputed, °", "regressed, ms", "recomputed, ms")
    return table(names, rows)


def penetration(part: dict[str, Any]) -> str:
    names = {
        "reference": "the simulation",
        "predicted": "the prediction",
        "pushed": "and pushed out of capsules",
    }
    rows = [
        (
            names[name],
            f"{100 * row['share']:.3f}",
            f"{row['mean_mm']:.1f}",
            f"{row['deepest_mm']:.1f}",
            f"{100 * row['frames']:.1f}",
            f"{100 * row['between']:.3f}",
            f"{100 * row['frames_between']:.1f}",
            f"{100 * row['in_capsules']:.2f}",
        )
        for name, row in part["rows"].items()
    ]
    heads = (
        "",
        "vertices inside, %",
        "mean depth, mm",
        "deepest, mm",
        "frames with any, %",
        "edges and faces inside, %",
        "frames with any, %",
        "vertices in capsules, %",
    )
    left = [
        f"Rollout error of the one rollout of {part['frames']:,} frames: **{part['rollout_error']:.3f}**.",
        f"Left inside as too deep: {100 * part['deep']:.3f} % of the vertices, "
        f"as wedged: {100 * part['wedged']:.3f} %.",
        f"{part['training_frames']:,} training frames, {part['bases']} bases, "
        f"{part['training']['seconds'] / 60:.0f} minutes of training.",
    ]
    return table(heads, rows) + "\n\n" + "\n".join(left)


def solver(part: dict[str, Any]) -> str:
    found = {
        "tetrahedra": f"{part['tetrahedra']:,}",
        "vertices": f"{part['vertices']:,}",
        "frames/s": f"{part['frames_per_second']:.1f}",
        "of the mean": f"{part['mean_frames_per_second']:.1f}",
        "slowest frame, ms": f"{part['slowest_ms']:.0f}",
        "Newton steps a frame": f"{part['iterations']:.1f}",
        "frames that did not converge": part["not_converged"],
    }
    return table(list(found), [list(found.values())])


def shell(part: dict[str, Any]) -> str:
    found = part["shell"]
    rows = [
        ("Blender's cloth", f"{found['blender_step_ms']:.0f}", f"{found['blender_frame_ms']:.0f}", 1),
        ("ours", f"{found['step_ms']:.0f}", f"{found['frame_ms']:.0f}", f"{found['iterations']:.1f}"),
    ]
    return table(("", "step, ms", f"frame of {found['steps_a_frame']}, ms", "linear systems a step"), rows)


def simkit(part: dict[str, Any]) -> str:
    found = part["simkit"]
    if found is None:
        return "simkit was not installed."
    rows = [
        (name, *(f"{found[kind][name]:.0f}" for kind in ("ms", "iterations", "iteration_ms")))
        for name in ("simkit", "ours")
    ]
    ratio, apart = found["ms"]["simkit"] / found["ms"]["ours"], 1e6 * found["apart_m"]
    names = ("", "step, ms", "Newton steps", "each, ms")
    return f"{table(names, rows)}\n\n**{ratio:.1f}** times; the two ended {apart:.1f} µm apart at most."


# Of the page's places: the report's part each is made of, and how.
PLACES: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "accuracy": ("accuracy", accuracy),
    "limit": ("limit", limit),
    "excursion": ("excursion", excursion),
    "table": ("table", rows_of_table),
    "ablations": ("table", ablations),
    "play": ("play", play),
    "graphics": ("graphics", graphics),
    "objects": ("graphics", objects),
    "normals": ("normals", normals),
    "penetration": ("penetration", penetration),
    "solver": ("solver", solver),
    "shell": ("solver", shell),
    "simkit": ("solver", simkit),
    **latent_dynamics.PLACES,
    **quasistatic_springs.PLACES,
    **hierarchical_cloth.PLACES,
    **contact_corrections.PLACES,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", type=Path, default=REPORT)
    report = json.loads(parser.parse_args(arguments).report.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    for place, (part, written) in PLACES.items():
        if part in report:
            text = f"<!-- {place} -->\n{written(report[part])}\n<!-- end -->"
            page = re.sub(rf"<!-- {place} -->.*?<!-- end -->", lambda _, t=text: t, page, flags=re.DOTALL)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

"""The tables of subspace physics in docs/benchmarks.md; see `benchmarks.documents`."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown_tables import table


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

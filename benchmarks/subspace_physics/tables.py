"""The tables of subspace physics in docs/benchmarks/subspace_physics.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from statistics import median
from typing import Any

from benchmarks.markdown_tables import Column, table
from benchmarks.subspace_physics.baselines.errors import FIRST


def _after(count: str, row: dict[str, Any]) -> str:
    return _each((run["first"][count] for run in row["runs"]), ".4f")


def _fast_after(count: str, row: dict[str, Any]) -> str:
    return _each((run["fast"]["first"][count] for run in row["runs"]), ".4f")


def _errors_of(key: str, row: dict[str, Any]) -> str:
    return _each(run["rollout_error"] for run in row[key])


def _median_of(key: str, row: dict[str, Any]) -> float:
    return median(run["rollout_error"] for run in row[key])


def _steps_of(key: str, row: dict[str, Any]) -> str:
    steps = [run["training"]["steps"] for run in row[key]]
    return f"{min(steps):,}" if min(steps) == max(steps) else f"{min(steps):,} to {max(steps):,}"


ACCURACY = (
    Column("seed", "seed"),
    Column("rollout error", "rollout_error", ".3f"),
    Column("training, min", lambda run: run["training"]["seconds"] / 60, ".1f"),
)
BOXES = (
    Column("box", "box"),
    Column("takes", "takes"),
    Column("training frames", "training_frames", ","),
    Column("rollout error by seed", lambda row: _each(run["rollout_error"] for run in row["runs"])),
    Column("median", "median", ".3f"),
    Column("mean", "mean", ".3f"),
    Column("training, min", lambda row: max(run["training"]["seconds"] for run in row["runs"]) / 60, ".1f"),
    Column("twins", "limit", ".3f"),
    Column("best in basis", "basis_error", ".3f"),
    Column("mean of frames", lambda row: _each(run["frame_mean"] for run in row["runs"])),
    Column("median frame", lambda row: _each(run["frame_median"] for run in row["runs"])),
    Column("ridge", "ridge_error", ".3f"),
    Column("expected error: rank correlation", lambda row: _expected(row, "rank_correlation"), ".2f"),
    Column("expected over true", lambda row: _expected(row, "ratio"), ".2f"),
)
BESIDE = (
    Column("box", "box"),
    Column("takes", "takes"),
    Column("training frames", "training_frames", ","),
    Column("*Fast*", lambda row: _each(run["fast"]["error"] for run in row["runs"])),
    Column("linear", "linear.error", ".3f"),
    *(
        column
        for count in map(str, FIRST)
        for column in (
            Column(f"after {count}", partial(_after, count)),
            Column(f"*Fast* after {count}", partial(_fast_after, count)),
            Column(f"linear after {count}", f"linear.first.{count}", ".4f"),
        )
    ),
)
SCENES = (
    Column("scene", "scene"),
    Column("vertices", "vertices", ","),
    Column("frames: training", "training_frames", ","),
    Column("test", "test_frames", ","),
    Column("error by seed", lambda row: _each(run["rollout_error"] for run in row["runs"])),
    Column("median", "median", ".3f"),
    Column("mean", "mean", ".3f"),
    Column("median frame", lambda row: _each(run["frame_median"] for run in row["runs"])),
    Column("ridge", "ridge_error", ".3f"),
    Column("best in basis", "basis_error", ".3f"),
    Column("network, MB", "step_mb", ".2f"),
    Column("step and decoding, ms", "step_ms", ".2f"),
    Column("a frame simulated, ms", "simulation_ms", ".1f"),
    Column("speed-up", lambda row: row["simulation_ms"] / row["step_ms"], ".0f"),
    Column("the paper's frame simulated, ms", "paper_simulation_ms", ".0f"),
    Column("its step, ms", "paper_step_ms", ".3f"),
)
EXCURSION = (
    Column("seed", "seed"),
    Column("returns counted", lambda run: f"{run['counted']} of {len(run['per_return'])}"),
    Column("left", "error_left", ".3f"),
    Column("never left", "error_never_left", ".3f"),
    Column("ratio", "ratio", ".2f"),
    Column("from the truth", "error_from_truth", ".3f"),
    Column("largest coordinate, m", "largest_coordinate", ".2f"),
    Column("finite", lambda run: "yes" if run["finite"] else "no"),
)
RETURNS = (
    Column("seed", "seed"),
    Column("return", "number"),
    Column("left", "left", ".2f"),
    Column("never left", "never_left", ".2f"),
    Column("from the truth", "from_truth", ".2f"),
    Column("counted", lambda row: "yes" if row["counted"] else "no"),
)
SIZES = (
    Column("scene", "scene"),
    Column("vertices", "vertices"),
    Column("frames", "training_frames", ","),
    Column("bases", "bases"),
    Column("step, µs", "step_us", ".0f"),
    Column("decode, µs", "decode_us", ".0f"),
    Column("network, MB", "step_mb", ".2f"),
    Column("decoder, MB", "decoder_mb", ".1f"),
    Column("error", "rollout_error", ".3f"),
    Column("ridge", "ridge_error", ".3f"),
    Column("best in basis", "basis_error", ".3f"),
)
ABLATIONS = (
    Column("what is changed", "name"),
    Column("setting", lambda row: ", ".join(f"`{change}`" for change in row["changes"]) or "the preset"),
    *(
        column
        for label, key in (("with carried windows", "carried"), ("without", "not_carried"))
        for column in (
            Column(f"{label}: error by seed", partial(_errors_of, key)),
            Column("median", partial(_median_of, key), ".3f"),
            Column("steps", partial(_steps_of, key)),
        )
    ),
)
SEARCH = (
    Column("seed", "seed"),
    Column("processor time, s", "search.processor_seconds", ".0f"),
    Column("workers killed", "search.kills"),
    Column("trials given up", "search.given_up"),
    *(
        Column(f"{label}: {kind}", f"{name}.{kind}_error", ".3f")
        for name, label in (
            ("short", "one trial, the preset's settings"),
            ("search", "best of 30 trials"),
            ("long", "one long training, the preset's settings"),
            ("found", "one long training, the settings found"),
        )
        for kind in ("validation", "test")
    ),
)
SHAPES = {
    "reference": "the simulation",
    "predicted": "the prediction",
    "pushed": "and pushed out of capsules",
}
PENETRATION = (
    Column("", lambda row: SHAPES[row["name"]]),
    Column("vertices inside, %", lambda row: 100 * row["share"], ".3f"),
    Column("mean depth, mm", "mean_mm", ".1f"),
    Column("deepest, mm", "deepest_mm", ".1f"),
    Column("frames with any, %", lambda row: 100 * row["frames"], ".1f"),
    Column("edges and faces inside, %", lambda row: 100 * row["between"], ".3f"),
    Column("frames with any, %", lambda row: 100 * row["frames_between"], ".1f"),
    Column("vertices in capsules, %", lambda row: 100 * row["in_capsules"], ".2f"),
)
GARMENTS = (
    Column("garment", "name"),
    Column("vertices", "vertices", ","),
    Column("rollout error", "rollout_error", ".3f"),
    Column("ridge", "ridge_error", ".3f"),
    Column("best in basis", "basis_error", ".3f"),
    Column("mean of frames", "frame_mean", ".3f"),
    Column("median frame", "frame_median", ".3f"),
    Column("moves, mm", lambda row: 1e3 * row["spread_metres"], ".0f"),
    Column("off, mm", lambda row: 1e3 * row["rms_metres"], ".0f"),
    Column("training, min", lambda row: row["training"]["seconds"] / 60, ".1f"),
)
GARMENT_SHAPES = {"simulated": "simulated", "predicted": "predicted", "layered": "with *Layers Below*"}


def _share(kind: str, row: dict[str, Any]) -> float:
    return 100 * row[kind]["share"]


BEHIND = (
    Column("garment", "name"),
    Column("worn over", "below"),
    *(
        column
        for kind, label in GARMENT_SHAPES.items()
        for column in (
            Column(f"{label}: vertices behind, %", partial(_share, kind), ".2f"),
            Column("mean, mm", f"{kind}.mean_mm", ".1f"),
            Column("deepest, mm", f"{kind}.deepest_mm", ".1f"),
        )
    ),
)


def layers(part: dict[str, Any]) -> str:
    """Errors of garments that are worn over each other, and what of each is behind what is below."""
    ms = part["ms"]
    frame = "{median:.1f} ({mean:.1f})".format
    lines = [
        f"{part['training_frames']:,} training frames; {part['frames']:,} frames of the test take, without "
        f"its first second and {part['torn']:,} in which the simulation tore a garment. Preset "
        f"`{part['preset']}`, {part['bases']} bases, one seed; kept for testing: {part['kept']}.",
        "Milliseconds of a frame of the whole scene, median (mean): character alone "
        f"{frame(**ms['simulated'])}, all garments playing {frame(**ms['predicted'])}, with *Layers Below* "
        f"{frame(**ms['layered'])}; simulated {part['simulation_ms']:.0f}.",
    ]
    return "\n\n".join([table(GARMENTS, part["garments"]), table(BEHIND, part["behind"]), *lines])


def search(part: dict[str, Any]) -> str:
    """The table of a search beside one long training, and what was found."""
    found = [f"seed {row['seed']}: {row['search']['settings']}" for row in part["rows"]]
    return table(SEARCH, part["rows"]) + "\n\n" + f"Found were, with {'; with '.join(found)}."


def accuracy(part: dict[str, Any]) -> str:
    """The table of relative rollout errors and minutes of training by seed, with the baselines."""
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
    return table(ACCURACY, part["runs"]) + "\n\n" + "\n".join(lines)


def limit(part: dict[str, Any]) -> str:
    """The relative distance at which two simulations of the same motion end up, in a sentence."""
    return f"Relative distance of the two references over {part['frames']:,} frames: **{part['error']:.3f}**."


def boxes(part: dict[str, Any]) -> str:
    """The table of relative rollout errors by box and by frames to learn from."""
    frames = part["rows"][0]["test_frames"]
    return (
        table(BOXES, part["rows"])
        + f"\n\n{part['bases']} bases, preset `{part['preset']}`, {frames:,} test frames.\n\n"
        + "Beside it the second opinion alone, as *Fast* plays it, and linear dynamics in the same bases, "
        + "fitted to the same takes, mirrored ones too; by seed, over all frames, and 1, 4 and 16 frames "
        + "after a true state:\n\n"
        + table(BESIDE, part["rows"])
    )


def scenes(part: dict[str, Any]) -> str:
    """The table of all scenes of the paper."""
    return table(SCENES, part["rows"]) + f"\n\n{part['bases']} bases, preset `{part['preset']}`."


def _each(errors: Iterable[float], form: str = ".3f") -> str:
    return ", ".join(format(error, form) for error in errors)


def _expected(row: dict[str, Any], what: str) -> float:
    return median(run["expected_error"][what] for run in row["runs"])


def excursion(part: dict[str, Any]) -> str:
    """Relative errors after an excursion beyond the trained range and without one, by seed and by return."""
    rows = [{"seed": seed, **run} for seed, run in enumerate(part["runs"])]
    returns = [
        {"seed": seed, "number": number, **each}
        for seed, run in enumerate(part["runs"])
        for number, each in enumerate(run["per_return"], 1)
    ]
    return f"{table(EXCURSION, rows)}\n\n{table(RETURNS, returns)}"


def sizes(part: dict[str, Any]) -> str:
    """Holden's Table 2."""
    return table(SIZES, part["rows"])


def ablations(part: dict[str, Any]) -> str:
    """The table of relative rollout errors by seed with one setting changed at a time."""
    return table(ABLATIONS, part["ablations"])


def penetration(part: dict[str, Any]) -> str:
    """The table of penetration: shares of vertices, edges, faces and frames in %, depths in mm."""
    left = [
        f"Rollout error of the one rollout of {part['frames']:,} frames: **{part['rollout_error']:.3f}**.",
        f"Left inside as too deep: {100 * part['deep']:.3f} % of the vertices, "
        f"as wedged: {100 * part['wedged']:.3f} %.",
        f"{part['training_frames']:,} training frames, {part['bases']} bases, "
        f"{part['training']['seconds'] / 60:.0f} minutes of training.",
    ]
    rows = [{"name": name, **row} for name, row in part["rows"].items()]
    return table(PENETRATION, rows) + "\n\n" + "\n".join(left)

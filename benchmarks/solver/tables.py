"""The tables of the solver in docs/benchmarks/solver.md; see `benchmarks.documents`."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown_tables import Column, table

BLOCK = (
    Column("tetrahedra", "tetrahedra", ","),
    Column("vertices", "vertices", ","),
    Column("frames/s", "frames_per_second", ".1f"),
    Column("of the mean", "mean_frames_per_second", ".1f"),
    Column("slowest frame, ms", "slowest_ms", ".0f"),
    Column("Newton steps a frame", "iterations", ".1f"),
    Column("frames that did not converge", "not_converged"),
)
SIMKIT = (
    Column("", "name"),
    Column("step, ms", "ms", ".0f"),
    Column("Newton steps", "iterations", ".0f"),
    Column("each, ms", "iteration_ms", ".0f"),
)


def solver(part: dict[str, Any]) -> str:
    """The table of the block: frames per second, ms of the slowest, Newton steps."""
    return table(BLOCK, [part])


def shell(part: dict[str, Any]) -> str:
    """The table of the sheet beside Blender's cloth, ms a step and a frame."""
    found = part["shell"]
    columns = (
        Column("", "name"),
        Column("step, ms", "step_ms", ".0f"),
        Column(f"frame of {found['steps_a_frame']}, ms", "frame_ms", ".0f"),
        Column("linear systems a step", "systems"),
    )
    blender = {"step_ms": found["blender_step_ms"], "frame_ms": found["blender_frame_ms"], "systems": 1}
    ours = {**found, "systems": f"{found['iterations']:.1f}"}
    return table(columns, [{"name": "Blender's cloth", **blender}, {"name": "ours", **ours}])


def simkit(part: dict[str, Any]) -> str:
    """The table of one step beside simkit's, ms, and how far apart the two end, micrometres."""
    found = part["simkit"]
    if found is None:
        return "simkit was not installed."
    rows = [
        {"name": name, **{kind: found[kind][name] for kind in ("ms", "iterations", "iteration_ms")}}
        for name in ("simkit", "ours")
    ]
    ratio, apart = found["ms"]["simkit"] / found["ms"]["ours"], 1e6 * found["apart_m"]
    return f"{table(SIMKIT, rows)}\n\n**{ratio:.1f}** times; the two ended {apart:.1f} µm apart at most."

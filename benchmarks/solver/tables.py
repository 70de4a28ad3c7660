"""The tables of the solver in docs/benchmarks.md; see `benchmarks.documents`."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown_tables import table


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

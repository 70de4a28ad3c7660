"""The tables of Play in docs/benchmarks/playing.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.markdown_tables import Column, table

Row = dict[str, Any]


def _bases_gb_per_second(row: Row) -> float:
    """How fast the bases of positions and normals are read, float32, each of them once."""
    read = 2.0 * 3.0 * 4.0 * float(row["vertices"]) * float(row["bases"])
    return float(read / row["gpu_ms"] / 1e6)


def _times_faster(row: Row) -> str:
    least, most = row["speedups"][0], row["speedups"][-1]
    return f"{row['speedup']:.0f} ({least:.0f} to {most:.0f})"


GRAPHICS = (
    Column("vertices", "vertices", ","),
    Column("bases", "bases"),
    Column("processor", "cpu_ms", ".3f"),
    Column("card, read back", "read_ms", ".3f"),
    Column("card", "gpu_ms", ".3f"),
    Column("its bases, GB/s", _bases_gb_per_second, ".1f"),
    Column("half precision", "half_ms", ".3f"),
    Column("preview drawn", "preview_ms", ".3f"),
    Column("capsules, processor", "cpu_push_ms", ".3f"),
    Column("card with capsules", "gpu_pushed_ms", ".3f"),
)
EXPORTING = (
    Column("Blender", "blender"),
    Column("format", "format"),
    Column("vertices", "vertices", ","),
    Column("frames", "frames", ","),
    Column("what plays, to the file: median", "seconds", ".1f"),
    Column("mean", "seconds_mean", ".1f"),
    Column("Blender, from a Mesh Cache: median", "blender_seconds", ".1f"),
    Column("mean", "blender_seconds_mean", ".1f"),
    Column("speed, of Blender's", "speed", ".2f"),
)
OBJECTS = (
    Column("Blender", "blender"),
    Column("objects", "objects"),
    Column("vertices", "vertices", ","),
    Column("bases", "bases"),
    Column("processor", "cpu_ms", ".2f"),
    Column("card, read back", "read_ms", ".2f"),
    Column("card", "gpu_ms", ".2f"),
    Column("with capsules", "gpu_pushed_ms", ".2f"),
    Column("card, one by one", "gpu_one_by_one_ms", ".2f"),
)
NORMALS = (
    Column("scene", "scene"),
    Column("bases", "bases"),
    Column("regressed, °", "regressed", ".1f"),
    Column("recomputed, °", "recomputed", ".1f"),
    Column("regressed, ms", "ms.regressed", ".2f"),
    Column("recomputed, ms", "ms.recomputed", ".2f"),
)


def _kind(row: Row) -> str:
    return f"{row['objects']} {PLURALS[row['what']]}{', Fast' if row['fast'] else ''}"


def _both(name: str, form: str = ".1f") -> Callable[[Row], str]:
    """Mean and median."""
    return lambda row: f"{row[f'{name}_mean_ms']:{form}}, {row[f'{name}_ms']:{form}}"


PLAY = (
    Column("Blender", "blender"),
    Column("vertices", "vertices", ","),
    Column("bases", "bases"),
    Column("model", lambda row: "Fast" if row["fast"] else "whole"),
    Column("play", _both("play", ".3f")),
    Column("dragged", _both("dragged", ".3f")),
    Column("scrub", _both("scrub", ".3f")),
    Column("its step", _both("step", ".3f")),
    Column("its decoding", _both("decode", ".3f")),
)
CLOTH = (
    Column("Blender", "blender"),
    Column("cloth", _both("cloth")),
    Column("written only", _both("written", ".3f")),
    Column("neither", _both("nothing", ".3f")),
    Column("times faster", _times_faster),
    Column("calibration", "calibration_ms", ".2f"),
)
PLURALS = {"bunny": "bunnies", "cape": "capes"}
PLACE = (Column("Blender", "blender"), Column("cores", "cores"))
CROWD_MODELS = (
    *PLACE,
    Column("objects", _kind),
    Column("vertices", "vertices", ","),
    Column("step", _both("step_together")),
    Column("one by one", _both("step_alone")),
    Column("decode", _both("decode_together")),
    Column("one by one", _both("decode_alone")),
    Column("step and decode", _both("both_together")),
    Column("one by one", _both("both_alone")),
)
CROWD_FRAMES = (
    *PLACE,
    Column("models", lambda row: "Fast" if row["fast"] else "whole"),
    Column("frame", _both("together", ".0f")),
    Column("longest", "together_longest_ms", ".0f"),
    Column("one by one", _both("alone", ".0f")),
    Column("longest", "alone_longest_ms", ".0f"),
    Column("written only", "written_ms", ".0f"),
    Column("loading all, s", "loading_s", ".1f"),
    Column("calibration", "calibration_ms", ".2f"),
)


def crowd(part: Row) -> str:
    """Two tables of a crowd, ms, mean and median: the models alone, and whole frames."""
    runs = [(name, run) for name, of_blender in part.items() for run in of_blender]
    models, frames = (
        [{**run, **row, "blender": name} for name, run in runs for row in run[key]]
        for key in ("models", "scenes")
    )
    return f"{table(CROWD_MODELS, models)}\n\n{table(CROWD_FRAMES, frames)}"


def play(part: Row) -> str:
    """Two tables of each Blender, ms a frame, mean and median: Play, and the cloth that it replaces."""
    runs = [{**found, "blender": name} for name, found in part.items()]
    rows = [{**run, **row} for run in runs for row in run["models"]]
    return f"{table(PLAY, rows)}\n\n{table(CLOTH, runs)}"


def graphics(part: Row) -> str:
    """A table for each Blender of decoding on the processor and on the graphics card, ms."""
    return "\n\n".join(
        f"Blender {blender}, {found['renderer']} ({found['backend']}):\n\n{table(GRAPHICS, found['rows'])}"
        for blender, found in part.items()
    )


def objects(part: Row) -> str:
    """The table of decoding many objects at once in each Blender, ms for all of them."""
    return table(OBJECTS, [{**found["objects"], "blender": name} for name, found in part.items()])


def exporting(part: Row) -> str:
    """The table of files written in each Blender, seconds."""
    return table(EXPORTING, [{**row, "blender": name} for name, rows in part.items() for row in rows])


def normals(part: Row) -> str:
    """The table of regressed and recomputed normals: errors in degrees, times in ms."""
    return table(NORMALS, part["rows"])

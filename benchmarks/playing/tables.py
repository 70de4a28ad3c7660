"""The tables of Play in docs/benchmarks.md; see `benchmarks.documents`."""

from __future__ import annotations

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


PLAY = (
    Column("Blender", "blender"),
    Column("vertices", "vertices"),
    Column("bases", "bases"),
    Column("cloth, ms", "cloth_ms", ".1f"),
    Column("play, ms", "play_ms", ".3f"),
    Column("its mean, ms", "play_mean_ms", ".3f"),
    Column("scrub, ms", "scrub_ms", ".3f"),
    Column("written only, ms", "written_ms", ".3f"),
    Column("neither, ms", "nothing_ms", ".3f"),
    Column("times faster", _times_faster),
)
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


def play(part: Row) -> str:
    """The table of Play beside the cloth simulation in each Blender, ms a frame."""
    return table(PLAY, [{**found, "blender": name} for name, found in part.items()])


def graphics(part: Row) -> str:
    """A table for each Blender of decoding on the processor and on the graphics card, ms."""
    return "\n\n".join(
        f"Blender {blender}, {found['renderer']} ({found['backend']}):\n\n{table(GRAPHICS, found['rows'])}"
        for blender, found in part.items()
    )


def objects(part: Row) -> str:
    """The table of decoding many objects at once in each Blender, ms for all of them."""
    return table(OBJECTS, [{**found["objects"], "blender": name} for name, found in part.items()])


def normals(part: Row) -> str:
    """The table of regressed and recomputed normals: errors in degrees, times in ms."""
    return table(NORMALS, part["rows"])

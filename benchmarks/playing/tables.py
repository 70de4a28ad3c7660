"""The tables of Play in docs/benchmarks.md; see `benchmarks.documents`."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown_tables import table


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

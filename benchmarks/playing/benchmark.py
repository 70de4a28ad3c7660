"""What is measured of Play in Blender."""

from __future__ import annotations

from benchmarks.declaration import Benchmark, Figure, Part, Quick
from benchmarks.playing import tables
from benchmarks.playing.each_blender import BLENDERS
from benchmarks.playing.quick import Sizes


def _figures(blender: str) -> dict[str, Figure]:
    return {
        f"cloth_ms_{blender}": Figure(f"cloth, Blender {blender}", "ms", timed=True),
        f"play_ms_{blender}": Figure(f"Play, Blender {blender}", "ms", timed=True),
        f"speed_up_{blender}": Figure(f"times faster, Blender {blender}", better="higher"),
    }


BENCHMARK = Benchmark(
    "playing",
    Quick(
        "benchmarks.playing.quick",
        Sizes(),
        {name: figure for blender in BLENDERS for name, figure in _figures(blender).items()},
    ),
    parts={
        "play": Part("benchmarks.playing.each_blender:play", one_thread=False),
        "graphics": Part("benchmarks.playing.each_blender:graphics", one_thread=False),
        "crowd": Part("benchmarks.playing.each_blender:crowd", one_thread=False),
        "exporting": Part("benchmarks.playing.each_blender:exporting", one_thread=False),
        "normals": Part("benchmarks.playing.normals:judge", one_thread=False),
    },
    tables={
        "play": ("play", tables.play),
        "graphics": ("graphics", tables.graphics),
        "objects": ("graphics", tables.objects),
        "crowd": ("crowd", tables.crowd),
        "exporting": ("exporting", tables.exporting),
        "normals": ("normals", tables.normals),
    },
)

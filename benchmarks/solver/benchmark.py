"""What is measured of the bundled solver."""

from __future__ import annotations

from benchmarks.declaration import Benchmark, Figure, Part, Quick
from benchmarks.solver import tables
from benchmarks.solver.quick import Sizes

BENCHMARK = Benchmark(
    "solver",
    Quick(
        "benchmarks.solver.quick",
        Sizes(),
        {
            "block_ms": Figure("a frame of a pressed block", "ms", timed=True),
            "sheet_ms": Figure("a step of a sheet", "ms", timed=True),
            "over_cloth": Figure("its step over that of Blender's cloth"),
        },
    ),
    parts={"solver": Part("benchmarks.solver.block:judge", one_thread=False)},
    tables={
        "solver": ("solver", tables.solver),
        "shell": ("solver", tables.shell),
        "simkit": ("solver", tables.simkit),
    },
)

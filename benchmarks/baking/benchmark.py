"""What is measured of bakes by several workers."""

from __future__ import annotations

from benchmarks.baking import tables
from benchmarks.baking.quick import Sizes
from benchmarks.declaration import Benchmark, Figure, Part, Quick

BENCHMARK = Benchmark(
    "baking",
    Quick(
        "benchmarks.baking.quick",
        Sizes(),
        {"take_s": Figure("a take of cloth beside its frames", "s", timed=True)},
    ),
    parts={"workers": Part("benchmarks.baking.workers:judge", one_thread=False)},
    tables={"workers": ("workers", tables.workers)},
)

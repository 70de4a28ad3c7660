"""What is measured of exported models."""

from __future__ import annotations

from benchmarks.declaration import Benchmark, Figure, Part, Quick
from benchmarks.exporting import tables
from benchmarks.exporting.steps import Sizes

BENCHMARK = Benchmark(
    "exporting",
    Quick(
        "benchmarks.exporting.steps",
        Sizes(rounds=5),
        {
            "onnx_us": Figure("a step by ONNX Runtime", "µs", timed=True),
            "over_numpy": Figure("its step over NumPy's"),
        },
    ),
    parts={"exporting": Part("benchmarks.exporting.steps:judge")},
    tables={"exporting": ("exporting", tables.steps)},
)

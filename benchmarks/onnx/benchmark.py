"""What is measured of exported models."""

from __future__ import annotations

from benchmarks.declaration import Benchmark, Figure, Part, Quick
from benchmarks.onnx import tables
from benchmarks.onnx.turns import Sizes

BENCHMARK = Benchmark(
    "onnx",
    Quick(
        "benchmarks.onnx.steps",
        Sizes(rounds=5),
        {
            "onnx_us": Figure("a step by ONNX Runtime", "µs", timed=True),
            "over_numpy": Figure("its step over NumPy's"),
        },
    ),
    parts={"onnx": Part("benchmarks.onnx.steps:judge")},
    tables={"onnx": ("onnx", tables.steps)},
)

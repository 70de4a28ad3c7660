"""What is measured of hierarchical cloth (Oh et al. 2018)."""

from __future__ import annotations

from benchmarks.declaration import Benchmark, Part, Quick
from benchmarks.hierarchical_cloth import tables
from benchmarks.reduced import FIGURES, Reduced

BENCHMARK = Benchmark(
    "hierarchical_cloth",
    Quick(
        "benchmarks.reduced_method",
        Reduced(
            "hierarchical_cloth",
            "FLAG_LEVELS",
            training=(6, 100),
            validation=(1, 100),
            test=(1, 150),
            bases=64,
            changes=("epochs=20",),
        ),
        FIGURES,
        prepares=True,
    ),
    parts={
        "hierarchy_times": Part("benchmarks.hierarchical_cloth.times:judge"),
        "hierarchy_table": Part("benchmarks.hierarchical_cloth.training_table:judge"),
        "hierarchy_errors": Part("benchmarks.hierarchical_cloth.errors:judge"),
        "hierarchy_structures": Part("benchmarks.hierarchical_cloth.structures:judge"),
        "hierarchy_stretched": Part("benchmarks.hierarchical_cloth.stretched:judge"),
    },
    tables={
        "hierarchy_times": ("hierarchy_times", tables.times),
        "hierarchy_epochs": ("hierarchy_table", tables.epochs),
        "hierarchy_errors": ("hierarchy_errors", tables.errors),
        "hierarchy_structures": ("hierarchy_structures", tables.structures),
        "hierarchy_stretched": ("hierarchy_stretched", tables.stretched),
    },
)

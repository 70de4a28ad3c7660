"""What is measured of jiggle springs (Jin et al. 2022)."""

from __future__ import annotations

from benchmarks.declaration import Benchmark, Part, Quick
from benchmarks.quasistatic_springs import tables
from benchmarks.reduced import FIGURES, Reduced

BENCHMARK = Benchmark(
    "quasistatic_springs",
    Quick(
        "benchmarks.reduced_method",
        Reduced(
            "quasistatic_springs",
            "SOFT_CHARACTER",
            training=(3, 100),
            validation=(1, 100),
            test=(1, 100),
            bases=64,
            changes=("steps=600",),
            poses=80,
            simulation={"filling": "cage", "tetrahedra": 1500},
        ),
        FIGURES,
        prepares=True,
    ),
    parts={
        "spring_errors": Part("benchmarks.quasistatic_springs.errors:judge"),
        "spring_times": Part("benchmarks.quasistatic_springs.times:judge"),
    },
    tables={
        "springs_character": ("spring_errors", tables.character("Soft Character")),
        "springs_animal": ("spring_errors", tables.character("Soft Animal")),
        "springs_human": ("spring_errors", tables.character("Human")),
        "springs_times": ("spring_times", tables.times),
        "springs_making": ("spring_times", tables.making),
    },
)

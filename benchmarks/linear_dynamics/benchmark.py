"""What is measured of linear dynamics (de Aguiar et al. 2010)."""

from __future__ import annotations

from benchmarks.declaration import Benchmark, Quick
from benchmarks.reduced import FIGURES, Reduced

BENCHMARK = Benchmark(
    "linear_dynamics",
    Quick(
        "benchmarks.reduced_method",
        Reduced(
            "linear_dynamics",
            "BALL_AND_SHEET",
            training=(3, 900),
            validation=(1, 300),
            test=(1, 600),
            bases=64,
            dataset_of="subspace_physics",
        ),
        FIGURES,
        prepares=True,
        after="subspace_physics",
    ),
)

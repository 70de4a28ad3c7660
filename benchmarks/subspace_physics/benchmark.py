"""What is measured of subspace physics (Holden et al. 2019)."""

from __future__ import annotations

from benchmarks.declaration import Benchmark, Part, Quick
from benchmarks.reduced import FIGURES, Reduced
from benchmarks.subspace_physics import tables
from benchmarks.subspace_physics.baselines import tables as baselines

BENCHMARK = Benchmark(
    "subspace_physics",
    Quick(
        "benchmarks.reduced_method",
        Reduced(
            "subspace_physics",
            "BALL_AND_SHEET",
            training=(3, 900),
            validation=(1, 300),
            test=(1, 600),
            bases=64,
            changes=("steps=1000",),
        ),
        FIGURES,
        prepares=True,
    ),
    parts={
        "accuracy": Part("benchmarks.subspace_physics.accuracy:judge", one_thread=False),
        "limit": Part("benchmarks.subspace_physics.limit:judge", one_thread=False),
        "boxes": Part("benchmarks.subspace_physics.boxes:judge", one_thread=False),
        "scenes": Part("benchmarks.subspace_physics.scenes:judge", one_thread=False),
        "baselines": Part("benchmarks.subspace_physics.baselines.comparison:judge"),
        "excursion": Part("benchmarks.subspace_physics.excursion:judge", one_thread=False),
        "table": Part("benchmarks.subspace_physics.table:judge", one_thread=False),
        "penetration": Part("benchmarks.subspace_physics.penetration:judge", one_thread=False),
        "layers": Part("benchmarks.subspace_physics.layers:judge", one_thread=False),
        "search": Part("benchmarks.subspace_physics.search:judge"),
    },
    tables={
        "accuracy": ("accuracy", tables.accuracy),
        "limit": ("limit", tables.limit),
        "boxes": ("boxes", tables.boxes),
        "scenes": ("scenes", tables.scenes),
        "baselines": ("baselines", baselines.main_tables),
        "baselines_frames": ("baselines", baselines.frames_table),
        "excursion": ("excursion", tables.excursion),
        "table": ("table", tables.sizes),
        "ablations": ("table", tables.ablations),
        "penetration": ("penetration", tables.penetration),
        "layers": ("layers", tables.layers),
        "search": ("search", tables.search),
    },
)

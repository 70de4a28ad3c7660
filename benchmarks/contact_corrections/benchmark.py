"""What is measured of contact corrections (Romero et al. 2021)."""

from __future__ import annotations

from benchmarks.contact_corrections import tables
from benchmarks.declaration import Benchmark, Part, Quick
from benchmarks.reduced import FIGURES, Reduced

BENCHMARK = Benchmark(
    "contact_corrections",
    Quick(
        "benchmarks.reduced_method",
        Reduced(
            "contact_corrections",
            "JELLY_WITH_CIRCLE",
            training=(3, 150),
            validation=(1, 100),
            test=(1, 150),
            bases=100,
            changes=("handles=8", "poses=60", "epochs=300"),
        ),
        FIGURES,
        prepares=True,
    ),
    parts={
        "contact_accuracy": Part("benchmarks.contact_corrections.accuracy:judge"),
        "contact_decoupling": Part("benchmarks.contact_corrections.decoupling:judge"),
        "contact_jacobians": Part("benchmarks.contact_corrections.jacobians:judge"),
        "contact_pull": Part("benchmarks.contact_corrections.pull:judge"),
        "contact_times": Part("benchmarks.contact_corrections.times:judge"),
        "contact_peer": Part("benchmarks.contact_corrections.peer:judge"),
    },
    tables={
        "contact_accuracy": ("contact_accuracy", tables.accuracy),
        "contact_decoupling": ("contact_decoupling", tables.decoupling),
        "contact_jacobians": ("contact_jacobians", tables.jacobians),
        "contact_pull": ("contact_pull", tables.pull),
        "contact_times": ("contact_times", tables.times),
        "contact_peer": ("contact_peer", tables.peer),
    },
)

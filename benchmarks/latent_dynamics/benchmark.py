"""What is measured of latent dynamics (Li et al. 2025)."""

from __future__ import annotations

from benchmarks.declaration import Benchmark, Part, Quick
from benchmarks.latent_dynamics import tables
from benchmarks.reduced import FIGURES, Reduced

BENCHMARK = Benchmark(
    "latent_dynamics",
    Quick(
        "benchmarks.reduced_method",
        Reduced(
            "latent_dynamics",
            "PINNED_CLOTH",
            training=(4, 300),
            validation=(1, 300),
            test=(1, 300),
            bases=50,
            changes=("latents=24", "coder_steps=800", "steps=1200", "imagined=500"),
        ),
        FIGURES,
        prepares=True,
    ),
    parts={
        "latent_ablations": Part("benchmarks.latent_dynamics.ablations:judge", kept=True),
        "latent_peer": Part("benchmarks.latent_dynamics.peer:judge"),
        "latent_contact": Part("benchmarks.latent_dynamics.contact:judge"),
        "latent_table": Part("benchmarks.latent_dynamics.times:judge", kept=True),
        "latent_splits": Part("benchmarks.latent_dynamics.splits:judge", kept=True),
    },
    tables={
        "latent_table": ("latent_table", tables.times),
        "latent_splits": ("latent_splits", tables.splits),
        "latent_speeds": ("latent_splits", tables.speeds),
        "latent_cantilever": ("latent_ablations", tables.ablations_of("cantilever")),
        "latent_cloth": ("latent_ablations", tables.ablations_of("cloth")),
        "latent_tuft": ("latent_ablations", tables.ablations_of("tuft")),
        "latent_peer": ("latent_peer", tables.peer),
        "latent_contact": ("latent_contact", tables.contact),
    },
)

"""Measures latent dynamics (Li et al. 2025): `python tools/bench_latent.py [PART ...]`, without Blender.

Datasets and models are kept in build/bench/latent, so that what was stopped goes on where it was; the figures
go into build/bench/report.json, as those of `bench.py`, from which `bench_docs.py` takes them. All parts
together take hours. Datasets of the examples come from Blender: what is missing is said.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bench_latent_ablations
import bench_latent_contact
import bench_latent_peer
import bench_latent_splits
import bench_latent_table
from bench_runner import run_parts

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "latent_ablations": bench_latent_ablations.judge,
    "latent_peer": bench_latent_peer.judge,
    "latent_contact": bench_latent_contact.judge,
    "latent_table": bench_latent_table.judge,
    "latent_splits": bench_latent_splits.judge,
}
# The same of those models alone that are trained already.
KEPT: dict[str, Callable[[], dict[str, Any]]] = {
    "latent_ablations": partial(bench_latent_ablations.judge, kept_only=True),
    "latent_table": partial(bench_latent_table.judge, kept_only=True),
    "latent_splits": partial(bench_latent_splits.judge, kept_only=True),
}


if __name__ == "__main__":
    run_parts(__doc__.splitlines()[0], PARTS, KEPT)

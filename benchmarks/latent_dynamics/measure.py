"""Measures latent dynamics (Li et al. 2025).

`python -m benchmarks.latent_dynamics.measure [PART ...]`, without Blender. Datasets and models are kept in
build/bench/latent, so that what was stopped goes on where it was; the figures go into
build/bench/report.json, as those of `benchmarks.bench`, from which `benchmarks.documents` takes them. All
parts together take hours. Datasets of the examples come from Blender: what is missing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.latent_dynamics import ablations, contact, peer, splits, times
from benchmarks.runner import run_parts

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "latent_ablations": ablations.judge,
    "latent_peer": peer.judge,
    "latent_contact": contact.judge,
    "latent_table": times.judge,
    "latent_splits": splits.judge,
}
# The same of those models alone that are trained already.
KEPT: dict[str, Callable[[], dict[str, Any]]] = {
    "latent_ablations": partial(ablations.judge, kept_only=True),
    "latent_table": partial(times.judge, kept_only=True),
    "latent_splits": partial(splits.judge, kept_only=True),
}


if __name__ == "__main__":
    run_parts(__doc__.splitlines()[0], PARTS, KEPT)

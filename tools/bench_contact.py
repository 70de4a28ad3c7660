"""Measures contact corrections (Romero 2021): `python tools/bench_contact.py [PART ...]`, without Blender.

The jellies' takes are baked by `contact_bakes.py`, in Blender, those of the peer's block here; what is
missing is said. What was solved and trained is kept in build/bench/contact, so that what was stopped goes on
where it was; the figures go into build/bench/report.json, as those of `bench.py`, or into another file, from
which `bench_docs.py` takes them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bench_contact_accuracy
import bench_contact_decoupling
import bench_contact_jacobians
import bench_contact_peer
import bench_contact_pull
import bench_contact_times
from bench_runner import run_parts

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "contact_accuracy": bench_contact_accuracy.judge,
    "contact_decoupling": bench_contact_decoupling.judge,
    "contact_jacobians": bench_contact_jacobians.judge,
    "contact_pull": bench_contact_pull.judge,
    "contact_times": bench_contact_times.judge,
    "contact_peer": bench_contact_peer.judge,
}


if __name__ == "__main__":
    run_parts(__doc__.splitlines()[0], PARTS)

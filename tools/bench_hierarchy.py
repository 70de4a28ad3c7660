"""Measures hierarchical cloth (Oh 2018): `python tools/bench_hierarchy.py [PART ...]`, without Blender.

What was simulated and trained is kept in build/bench/hierarchy, so that what was stopped, or killed, goes on
where it was; the figures go into build/bench/report.json, as those of `bench.py`, or into another file, from
which `bench_docs.py` takes them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bench_hierarchy_errors
import bench_hierarchy_stretched
import bench_hierarchy_structures
import bench_hierarchy_table
import bench_hierarchy_times
from bench_runner import run_parts

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "hierarchy_times": bench_hierarchy_times.judge,
    "hierarchy_table": bench_hierarchy_table.judge,
    "hierarchy_errors": bench_hierarchy_errors.judge,
    "hierarchy_structures": bench_hierarchy_structures.judge,
    "hierarchy_stretched": bench_hierarchy_stretched.judge,
}


if __name__ == "__main__":
    run_parts(__doc__.splitlines()[0], PARTS)

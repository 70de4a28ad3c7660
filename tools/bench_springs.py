"""Measures jiggle springs (Jin et al. 2022): `python tools/bench_springs.py [PART ...]`, without Blender.

What characters are needed is baked by `spring_bakes.py`, in Blender; what is missing is said. Models are kept
in build/bench/springs; the figures go into build/bench/report.json, as those of `bench.py`, or into another
file, from which `bench_docs.py` takes them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bench_spring_errors
import bench_spring_times
from bench_runner import run_parts

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "spring_errors": bench_spring_errors.judge,
    "spring_times": bench_spring_times.judge,
}


if __name__ == "__main__":
    run_parts(__doc__.splitlines()[0], PARTS)
